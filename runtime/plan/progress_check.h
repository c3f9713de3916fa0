// Whether the stages of a plan can reach the end of a step.
#ifndef MPC_RUNTIME_PLAN_PROGRESS_CHECK_H_
#define MPC_RUNTIME_PLAN_PROGRESS_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Walks the schedules of all stages side by side: a start of a message passes,
/// a wait passes once the other end has started the message, a collective over
/// stages once all of them have reached it. An error if stages wait for each
/// other for ever; it names what each waits for. Everything else has been
/// checked.
///
/// Exact for any schedule: no command has a choice, so the order of the walk
/// does not matter.
absl::Status CheckProgress(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_PROGRESS_CHECK_H_
