// What other systems do and plans do not, for comparison with what they
// measured.
#ifndef MPC_RUNTIME_SIMULATE_ASSUMPTIONS_H_
#define MPC_RUNTIME_SIMULATE_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct Assumptions {
  /// RecomputeWhole.
  bool recompute_whole = false;
  /// A collective whose operand a product makes, or whose result one reads,
  /// goes on at the same time as the product, as where both are cut into pieces
  /// (Transformer Engine's user buffers).
  bool overlap_products = false;
  /// Parameters are gathered from the beginning of the step on, and gradients
  /// that the last backward pass reduces are waited for in the update.
  bool overlap_steps = false;
  /// Gradients are reduced in the update, behind all backward passes.
  bool reduce_late = false;
  /// Scaling, mask, softmax and dropout of stored scores are kernels of their
  /// own, five forward and four backward, as before fused ones.
  bool eager_attention = false;
  /// SplitOptimizer.
  bool split_optimizer = false;
};

/// From names with dashes, separated by commas:
/// `recompute-whole,overlap-steps`. kInvalidArgument names the known ones.
absl::StatusOr<Assumptions> ParseAssumptions(absl::string_view text);
std::vector<std::string> AssumptionNames();

/// A plan for the clock alone: its values would be wrong, and its handles are
/// unique in the role and may be waited for in another list.
plan::Plan Assume(plan::Plan plan, const Assumptions& assumptions);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_ASSUMPTIONS_H_
