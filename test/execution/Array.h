//===- Array.h - tensors on the host ----------------------------*- C++ -*-===//
//
// What the evaluator computes with: dense arrays of doubles. Proofs of rules are
// about exact arithmetic, so floats of every width are doubles here; integers up
// to 32 bits are held exactly.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_ARRAY_H
#define MPC_TEST_EXECUTION_ARRAY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace mpc::execution {

/// The number of elements of a shape; 1 for a scalar.
int64_t getElementCount(llvm::ArrayRef<int64_t> shape);

/// A dense row-major tensor.
struct Array {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values;

  Array() = default;
  explicit Array(llvm::ArrayRef<int64_t> shape, double fill = 0)
      : shape(shape), values(getElementCount(shape), fill) {}

  /// Elements [begin, begin + size) along a dimension.
  Array slice(int64_t dim, int64_t begin, int64_t size) const;
  /// Overwrites the elements from `begin` on along a dimension.
  void insert(const Array &piece, int64_t dim, int64_t begin);

  Array &operator+=(const Array &other);
};

/// The pieces one after the other along a dimension.
Array concatenate(llvm::ArrayRef<Array> pieces, int64_t dim);

/// Element by element, of arrays of one shape.
Array maximum(const Array &a, const Array &b);
Array scaled(const Array &a, double factor);
double dot(const Array &a, const Array &b);

/// The largest |a - b|, relative to the largest |b| where that is above 1; equal
/// infinities do not differ. Infinite if a shape or the place of a NaN differs.
double getDifference(const Array &a, const Array &b);

/// A source of numbers that is the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// In [low, high).
  double uniform(double low, double high);
  /// In [low, high].
  int64_t integer(int64_t low, int64_t high);
  bool chance(double probability) { return uniform(0, 1) < probability; }

private:
  uint64_t state;
};

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_ARRAY_H
