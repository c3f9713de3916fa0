//===- Dropping.cpp - which elements dropout keeps ------------------------===//

#include "dialects/transformer/IR/Dropping.h"
#include <cmath>

using namespace mlir;

namespace mpc::tfm {

static Scalar mix(Scalar x) {
  x = x ^ (x >> 16);
  x = x * 0x7feb352d;
  x = x ^ (x >> 15);
  x = x * 0x846ca68b;
  return x ^ (x >> 16);
}

Scalar hashPlace(Scalar seed, uint32_t key, ArrayRef<Scalar> place) {
  Scalar hash = mix(seed ^ seed.like(key));
  for (Scalar coordinate : place)
    hash = mix(hash + coordinate);
  return hash;
}

Scalar dropElement(Scalar x, Scalar hash, const llvm::APFloat &rate) {
  float dropped = rate.convertToFloat();
  double threshold = std::round(double(dropped) * (1 << 24));
  // Both sides are below 2^31, so the comparison may be signed.
  Scalar keeps = (hash >> 8) >= threshold;
  return select(keeps, x * (1.0f / (1.0f - dropped)), x.like(0));
}

} // namespace mpc::tfm
