//===- StepFunction.h - writing a function of a training step ---*- C++ -*-===//
//
// A function of a step is a list of bound arguments, ops, and a list of bound
// results. This keeps the lists and the bindings together.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_TRAINING_STEPFUNCTION_H
#define MPC_PASSES_TRAINING_STEPFUNCTION_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc {

/// A function under construction at the end of a module. `finish` must be
/// called.
class StepFunction {
public:
  StepFunction(mlir::ModuleOp module, mlir::Location location,
               llvm::StringRef name);

  mlir::BlockArgument addArgument(mlir::Type type, tfm::BindingAttr binding,
                                  mlir::Location location,
                                  tfm::ParameterAttr parameter = {});
  void addResult(mlir::Value value, tfm::BindingAttr binding);

  /// Stands at the end of the body.
  mlir::OpBuilder &getBuilder() { return builder; }

  mlir::func::FuncOp getFunction() const { return function; }

  /// Writes the return op, the function's type and the bindings.
  void finish();

private:
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  llvm::SmallVector<tfm::BindingAttr> argumentBindings, resultBindings;
  llvm::SmallVector<tfm::ParameterAttr> parameters;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace mpc

#endif // MPC_PASSES_TRAINING_STEPFUNCTION_H
