// A schedule of several stages as a picture in text.
#ifndef MPC_RUNTIME_INSPECT_SCHEDULE_PICTURE_H_
#define MPC_RUNTIME_INSPECT_SCHEDULE_PICTURE_H_

#include <string>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A line a stage, from left to right in time, as if every forward and weight pass
/// took one unit, a backward pass two, or one where weights have passes of their
/// own; `F3` is the forward pass of microbatch 3 (`F3.1`: of the stage's chunk 1), a
/// point an idle unit. Then the part of the time that stages are idle: the bubble.
/// `plan` is valid. Wide pictures end after about 150 columns.
std::string PrintSchedulePicture(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_INSPECT_SCHEDULE_PICTURE_H_
