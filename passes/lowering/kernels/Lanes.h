// Vectors of iterations: how they are made, loaded, stored and reduced. Scalars
// are passed as they are; `width` 1 means scalars throughout.
#ifndef MPC_PASSES_LOWERING_KERNELS_LANES_H
#define MPC_PASSES_LOWERING_KERNELS_LANES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mpc::kernels {

/// Memory of a vector of iterations: lane i is at `pointer + i * stride`
/// elements. A lane whose `mask` is false is neither read nor written; no mask:
/// all are.
struct LaneMemory {
  mlir::Value pointer;
  int64_t stride;
  mlir::Value mask;
};

/// Builds operations on vectors of `width` lanes at the builder's place.
class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value i64(int64_t value);
  /// A constant vector of the given lane values.
  mlir::Value constantLanes(mlir::Type element, llvm::ArrayRef<int64_t> values);

  /// `value` in all lanes; a vector is returned as it is.
  mlir::Value broadcast(mlir::Value value, int64_t width);
  /// first, first + 1, ... of the type of `first`.
  mlir::Value iota(mlir::Value first, int64_t width);
  /// Lanes below `count` (i64).
  mlir::Value maskBelow(mlir::Value count, int64_t width);

  /// The address of element `index` after `pointer`.
  mlir::Value address(mlir::Type element, mlir::Value pointer,
                      mlir::Value index);
  /// A vector, or a scalar where `width` is 1 or the stride is 0.
  mlir::Value load(mlir::Type element, LaneMemory memory, int64_t width);
  /// Loads `pointer[indices]`, a vector of i64.
  mlir::Value gather(mlir::Type element, mlir::Value pointer,
                     mlir::Value indices, mlir::Value mask);
  void store(mlir::Value value, LaneMemory memory, int64_t width);

  /// Combines the lanes of `value` pairwise.
  mlir::Value
  reduce(mlir::Value value,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

private:
  /// The same bits as elements of another type of that size.
  mlir::Value reinterpret(mlir::Value value, mlir::Type element);
  mlir::Value loadWords(mlir::Type element, LaneMemory memory, int64_t width);
  mlir::Value lanePointers(mlir::Type element, LaneMemory memory,
                           int64_t width);
  mlir::Value allLanes(int64_t width);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// `element`, or a vector of it; an index is an i64.
mlir::Type laneType(mlir::Type element, int64_t width);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_LANES_H
