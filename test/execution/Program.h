//===- Program.h - an interpreted decomposition -----------------*- C++ -*-===//
//
// The linalg, tensor and arith ops that an op of tfm stands for, on arrays.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_PROGRAM_H
#define MPC_TEST_EXECUTION_PROGRAM_H

#include "mlir/IR/Block.h"
#include "test/execution/Body.h"

namespace mpc::execution {

class Program {
public:
  /// Decomposes an op for the local part of its types. Fails with a diagnostic if
  /// it has no decomposition, or one that is not known here.
  static mlir::FailureOr<std::unique_ptr<Program>>
  compile(mlir::Operation *op);

  llvm::SmallVector<Array> run(llvm::ArrayRef<const Array *> operands);

private:
  /// Runs one op, whose operands are in the environment.
  void run(mlir::Operation &op, Environment &environment);
  void runGeneric(mlir::linalg::GenericOp op, Environment &environment);

  mlir::Block block;
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseMap<mlir::Operation *, Body> bodies;
};

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_PROGRAM_H
