//===- Masking.h - which keys a query does not see -------------*- C++ -*-===//
//
// One definition for attention that stores its scores and for attention that does
// not. The runtime's attention masks the same.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_TRANSFORMER_IR_MASKING_H
#define MPC_DIALECTS_TRANSFORMER_IR_MASKING_H

#include "dialects/transformer/IR/ScalarMath.h"

namespace mpc::tfm {

/// `value` of a query and a key, or `instead` where the key is masked: where its
/// position is negative, which is padding, and with `causal` where it is larger than
/// the query's.
inline Scalar maskElement(Scalar value, Scalar queryPosition,
                          Scalar keyPosition, bool causal, double instead) {
  Scalar hidden = value.like(instead);
  Scalar seen = select(keyPosition < 0.0, hidden, value);
  return causal ? select(keyPosition > queryPosition, hidden, seen) : seen;
}

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_MASKING_H
