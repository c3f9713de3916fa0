// Plans of several stages made by hand, for tests of the checker. They are not
// meant to be run.
#ifndef MPC_RUNTIME_CHECKER_STAGE_PLAN_FOR_TEST_H_
#define MPC_RUNTIME_CHECKER_STAGE_PLAN_FOR_TEST_H_

#include <vector>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What a stage does with a microbatch.
enum class PassKind { kForward, kBackward, kWeight };

struct Pass {
  PassKind kind;
  int microbatch;
};

/// What each stage does, in order. Either no stage has passes of kind kWeight,
/// and backward does their work, or all have them.
using Table = std::vector<std::vector<Pass>>;

Table GPipeTable(int stages, int microbatches);
/// Narayanan 2019.
Table OneForwardOneBackwardTable(int stages, int microbatches);

/// A layer a stage, on the mesh pp × dp=2; stage s is led by rank 2·s.
///
/// A stage keeps of a microbatch, in its slot: the arriving activation (first
/// stage: ids), the leaving one, whose send ends at backward, and on the last
/// stage labels and the gradient of the output. Gradients arrive and leave in
/// persistent buffers, except that one which is kept for a pass of its own
/// arrives in the slot. Slots are as many as are under way in the table.
///
/// Lists: prologue, forward, backward_first, backward, update, with passes for
/// weights also weight_first and weight, and a transfer for each start and
/// wait: activation_receive, activation_received, activation_send,
/// activation_sent, and so for gradient.
plan::Plan MakeStagePlan(const Table& table);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_STAGE_PLAN_FOR_TEST_H_
