// The checks of one slice.
#ifndef MPC_RUNTIME_PLAN_SLICE_CHECK_H_
#define MPC_RUNTIME_PLAN_SLICE_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks sizes, stride and alignment of a slice and that it lies in its region
/// of `role`. Its enums are set.
absl::Status CheckSlice(const plan::Slice& slice, const plan::Role& role);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_SLICE_CHECK_H_
