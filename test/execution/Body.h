//===- Body.h - the scalar code of a linalg.generic -------------*- C++ -*-===//
//
// A body is compiled to a list of instructions on numbered cells once, and run
// for every iteration.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_BODY_H
#define MPC_TEST_EXECUTION_BODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "test/execution/Array.h"
#include "llvm/ADT/DenseMap.h"

namespace mpc::execution {

/// A scalar: floats are doubles, integers are sign-extended from their width.
union Cell {
  double f;
  int64_t i;
};

/// Values that are defined outside of the body which uses them.
using Environment = llvm::DenseMap<mlir::Value, Array>;

class Body {
public:
  /// Fails with a diagnostic at an operation that is not known here.
  static mlir::FailureOr<Body> compile(mlir::linalg::GenericOp op);

  /// Prepares to run with the values that the body takes from outside.
  void bind(const Environment &outside);

  /// The cell of an argument of the body, to be set before `run`.
  Cell &argument(unsigned number) { return cells[number]; }
  /// Runs one iteration, whose loop indices are given.
  void run(llvm::ArrayRef<int64_t> loops);
  /// What the body yielded.
  Cell yielded(unsigned number) const { return cells[yields[number]]; }

private:
  enum class Code : uint8_t;
  /// cells[to] = code(cells[a], cells[b], cells[c]); `immediate` is a width of
  /// an integer, the number of a loop, or that of a tensor.
  struct Instruction {
    Code code;
    unsigned to, a = 0, b = 0, c = 0;
    int64_t immediate = 0;
    llvm::SmallVector<unsigned, 2> indices;
  };

  mlir::LogicalResult add(mlir::Operation &op);
  unsigned cellOf(mlir::Value value);
  unsigned newCell(mlir::Value value);

  std::vector<Instruction> instructions;
  std::vector<Cell> cells;
  llvm::SmallVector<unsigned> yields;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// Scalars and tensors from outside, and the latter's contents once bound.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> outsideScalars;
  llvm::SmallVector<mlir::Value> outsideTensors;
  llvm::SmallVector<const Array *> tensors;
};

/// Integers in arrays of doubles and back.
Cell toCell(double value, mlir::Type type);
double toDouble(Cell cell, mlir::Type type);

/// The scalar of a constant.
Cell toCell(mlir::TypedAttr constant);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_BODY_H
