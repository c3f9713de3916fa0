// Passes of the kernel generator.
#ifndef MPC_PASSES_LOWERING_KERNELS_PASSES_H
#define MPC_PASSES_LOWERING_KERNELS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/lowering/kernels/Passes.h.inc"

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_PASSES_H
