//===- VerifyExec.h - the gate before export --------------------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_VERIFYEXEC_H
#define MPC_PASSES_LOWERING_VERIFYEXEC_H

#include "mlir/IR/BuiltinOps.h"

namespace mpc {

/// What `mpc-verify-exec` checks; emits an error where it does not hold.
mlir::LogicalResult verifyExec(mlir::ModuleOp module);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_VERIFYEXEC_H
