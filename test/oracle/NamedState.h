//===- NamedState.h - a training step on named state ------------*- C++ -*-===//
//
// Runs the functions of a step by what their arguments and results are bound to.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_ORACLE_NAMEDSTATE_H
#define MPC_TEST_ORACLE_NAMEDSTATE_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/execution/Array.h"
#include <map>

namespace mpc {

/// Arrays by the kind and name of a binding.
using NamedState =
    std::map<std::pair<tfm::StateKind, std::string>, execution::Array>;

/// Evaluates a function of a step in the global view: arguments are read from
/// `state`, which must have them, and results written to it.
mlir::LogicalResult callOnState(mlir::func::FuncOp function, NamedState &state);

} // namespace mpc

#endif // MPC_TEST_ORACLE_NAMEDSTATE_H
