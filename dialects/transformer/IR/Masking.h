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

/// `value` of a query and a key, or `instead` where the key is masked: with
/// `causal`, where its position is the larger one.
inline Scalar maskElement(Scalar value, Scalar queryPosition,
                          Scalar keyPosition, bool causal, double instead) {
  if (!causal)
    return value;
  return select(keyPosition > queryPosition, value.like(instead), value);
}

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_MASKING_H
