//===- ResizeFactor.h - new sizes, carried by the rules ---------*- C++ -*-===//
//
// Giving one dimension of one value a new size changes the size of every
// dimension that is the same factor of some op. The rules say which those are.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_TRAINING_RESIZEFACTOR_H
#define MPC_PASSES_TRAINING_RESIZEFACTOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mpc {

/// New sizes for dimensions of the values of one function. Nothing changes
/// before `apply`.
///
/// The function has one block, and the types of its values fit the ops' rules.
class FactorResizer {
public:
  /// Says whether a dimension of an argument may change, and emits the error if
  /// it may not.
  using ArgumentCheck =
      llvm::function_ref<mlir::LogicalResult(mlir::BlockArgument, int64_t dim)>;

  explicit FactorResizer(mlir::func::FuncOp function) : function(function) {}

  /// Gives `dim` of `value` the size, and all dimensions that must follow.
  /// Emits an error if one of them cannot: an op without a rule, an inner
  /// dimension of an iota (whose numbers would change), an argument that
  /// `check` refuses. No dimension may be given two sizes by two calls.
  mlir::LogicalResult resize(mlir::Value value, int64_t dim, int64_t size,
                             ArgumentCheck check);

  /// Writes the types, that of the function included.
  void apply();

private:
  using Place = std::pair<mlir::Value, int64_t>;

  mlir::LogicalResult follow(mlir::Operation *op, Place from, int64_t size);
  void visit(Place place, int64_t size);

  mlir::func::FuncOp function;
  llvm::MapVector<Place, int64_t> sizes;
  llvm::SmallVector<Place> pending;
};

} // namespace mpc

#endif // MPC_PASSES_TRAINING_RESIZEFACTOR_H
