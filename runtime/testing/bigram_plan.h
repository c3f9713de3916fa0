// Plans made by hand for tests of what runs plans: a bigram language model
// whose only parameter `w` [8, 8] holds the logits of the next token. Small
// enough to be right by inspection, with every kind of state that a real plan
// has.
#ifndef MPC_RUNTIME_TESTING_BIGRAM_PLAN_H_
#define MPC_RUNTIME_TESTING_BIGRAM_PLAN_H_

#include <cstdint>
#include <string>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Splits sequences over `dp` and positions over `cp`; `w`'s gradient is
/// partial over both.
struct BigramOptions {
  int64_t dp = 1;
  int64_t cp = 1;
  int64_t microbatches = 1;
  /// Splits master and moments over dp.
  bool zero = false;
  /// AdamW without decay; else SGD.
  bool adam = false;
  /// Of `w`'s initial values.
  double standard_deviation = 0.5;

  // Mistakes.

  /// The kernel for the loss; the others are `cross_entropy_wrong`, whose
  /// gradients are off by 1 %, and `cross_entropy_not_a_number`.
  std::string loss_kernel = "cross_entropy";
  /// Each rank updates its replica with its own part of the gradient.
  bool omit_gradient_reduction = false;
};

/// 8 sequences of 4 tokens a step, vocabulary 8. Observables: `w` (its
/// gradient), `loss`, `grad_norm`, `valid_tokens`.
plan::Plan MakeBigramPlan(const BigramOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TESTING_BIGRAM_PLAN_H_
