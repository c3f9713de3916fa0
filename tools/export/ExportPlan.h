//===- ExportPlan.h - exec ops to a plan ------------------------*- C++ -*-===//
//
// The only code of the compiler that writes plan.proto. It decides nothing: exec
// ops mirror its messages.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TOOLS_EXPORT_EXPORTPLAN_H
#define MPC_TOOLS_EXPORT_EXPORTPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/plan/plan.pb.h"

namespace mpc {

/// The plan that a module says. Emits an error where `mpc-verify-exec` would, and
/// where the module does not say what it trains (`tfm.training`).
mlir::FailureOr<plan::Plan> exportPlan(mlir::ModuleOp module,
                                       llvm::StringRef compilerVersion);

} // namespace mpc

#endif // MPC_TOOLS_EXPORT_EXPORTPLAN_H
