//===- Passes.h - what pipelines need beside their phases -------*- C++ -*-===//

#ifndef MPC_PASSES_PIPELINES_PASSES_H
#define MPC_PASSES_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"
#include <string>

namespace mpc {

#define GEN_PASS_DECL
#include "passes/pipelines/Passes.h.inc"

} // namespace mpc

#endif // MPC_PASSES_PIPELINES_PASSES_H
