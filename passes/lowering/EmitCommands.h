//===- EmitCommands.h - steps with memory to exec commands ------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_EMITCOMMANDS_H
#define MPC_PASSES_LOWERING_EMITCOMMANDS_H

#include "passes/lowering/ListMemory.h"

namespace mpc {

/// Emits the commands of a function of the step at the builder's place. Emits an
/// error where an op has no command.
mlir::LogicalResult emitCommands(const ListMemory &memory,
                                 mlir::OpBuilder &builder);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_EMITCOMMANDS_H
