//===- Array.cpp - tensors on the host --------------------------*- C++ -*-===//

#include "test/execution/Array.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace mlir;

namespace mpc::execution {

int64_t getElementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// How many blocks of `inner` contiguous elements lie before dimension `dim`.
static std::pair<int64_t, int64_t> getOuterInner(ArrayRef<int64_t> shape,
                                                 int64_t dim) {
  return {getElementCount(shape.take_front(dim)),
          getElementCount(shape.drop_front(dim + 1))};
}

Array Array::slice(int64_t dim, int64_t begin, int64_t size) const {
  assert(begin >= 0 && begin + size <= shape[dim] && "slice out of range");
  auto [outer, inner] = getOuterInner(shape, dim);
  Array piece;
  piece.shape = shape;
  piece.shape[dim] = size;
  piece.values.reserve(outer * size * inner);
  for (int64_t i = 0; i < outer; ++i) {
    auto first = values.begin() + (i * shape[dim] + begin) * inner;
    piece.values.insert(piece.values.end(), first, first + size * inner);
  }
  return piece;
}

void Array::insert(const Array &piece, int64_t dim, int64_t begin) {
  auto [outer, inner] = getOuterInner(shape, dim);
  int64_t length = piece.shape[dim] * inner;
  for (int64_t i = 0; i < outer; ++i)
    std::copy_n(piece.values.begin() + i * length, length,
                values.begin() + (i * shape[dim] + begin) * inner);
}

Array &Array::operator+=(const Array &other) {
  for (auto [mine, theirs] : llvm::zip_equal(values, other.values))
    mine += theirs;
  return *this;
}

Array concatenate(ArrayRef<Array> pieces, int64_t dim) {
  SmallVector<int64_t> shape = pieces[0].shape;
  shape[dim] = 0;
  for (const Array &piece : pieces)
    shape[dim] += piece.shape[dim];
  Array joined(shape);
  int64_t begin = 0;
  for (const Array &piece : pieces) {
    joined.insert(piece, dim, begin);
    begin += piece.shape[dim];
  }
  return joined;
}

Array maximum(const Array &a, const Array &b) {
  Array result = a;
  for (auto [mine, theirs] : llvm::zip_equal(result.values, b.values))
    mine = std::max(mine, theirs);
  return result;
}

Array scaled(const Array &a, double factor) {
  Array result = a;
  for (double &value : result.values)
    value *= factor;
  return result;
}

double dot(const Array &a, const Array &b) {
  double sum = 0;
  for (auto [x, y] : llvm::zip_equal(a.values, b.values))
    sum += x * y;
  return sum;
}

double getDifference(const Array &a, const Array &b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (a.shape != b.shape)
    return kInfinite;
  double largest = 1, difference = 0;
  for (auto [x, y] : llvm::zip_equal(a.values, b.values)) {
    if (std::isfinite(y))
      largest = std::max(largest, std::fabs(y));
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double here = std::fabs(x - y);
    difference = std::max(difference, std::isnan(here) ? kInfinite : here);
  }
  return difference / largest;
}

uint64_t Random::next() { // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (double(next() >> 11) / double(1ull << 53));
}

int64_t Random::integer(int64_t low, int64_t high) {
  return low + int64_t(next() % uint64_t(high - low + 1));
}

} // namespace mpc::execution
