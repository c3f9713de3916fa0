// Plans made by hand for tests of pipelines: four linear layers `layer.0` …
// `layer.3` [8, 8], of which the first holds a row a token and the last makes
// the logits of the next one.
#ifndef MPC_RUNTIME_TESTING_PIPELINE_PLAN_H_
#define MPC_RUNTIME_TESTING_PIPELINE_PLAN_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The layers are divided evenly among `stages` (1, 2 or 4), sequences among
/// `dp`, over which gradients are partial. Trained by Adam.
struct PipelineOptions {
  int64_t stages = 1;
  int64_t dp = 1;
  int64_t microbatches = 1;

  /// A mistake: the last layer's update takes the gradient of one rank.
  bool omit_gradient_reduction = false;
};

/// 8 sequences of 4 tokens a step, vocabulary 8. Microbatches run in 1F1B order
/// (Narayanan 2019), in as many slots as are under way. Every value is computed
/// by the same commands on the same operands whatever the number of stages.
///
/// Observables: each layer's gradient, and on every stage `loss`, `grad_norm`,
/// `valid_tokens`.
plan::Plan MakePipelinePlan(const PipelineOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TESTING_PIPELINE_PLAN_H_
