//===- Dropping.h - which elements dropout keeps ---------------*- C++ -*-===//
//
// The random numbers of dropout: a hash of where an element is. The runtime's
// attention computes the same, to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_TRANSFORMER_IR_DROPPING_H
#define MPC_DIALECTS_TRANSFORMER_IR_DROPPING_H

#include "dialects/transformer/IR/ScalarMath.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"

namespace mpc::tfm {

/// The hash of i32 coordinates: m(m(m(seed ^ key) + place[0]) + place[1]) ...
Scalar hashPlace(Scalar seed, uint32_t key, llvm::ArrayRef<Scalar> place);

/// x / (1 - rate) if the element with this hash is kept, else 0.
Scalar dropElement(Scalar x, Scalar hash, const llvm::APFloat &rate);

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_DROPPING_H
