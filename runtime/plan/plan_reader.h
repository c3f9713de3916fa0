// Reads a plan from a file or from memory.
#ifndef MPC_RUNTIME_PLAN_PLAN_READER_H_
#define MPC_RUNTIME_PLAN_PLAN_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The version of plan.proto that this runtime understands.
inline constexpr int kPlanVersion = 1;

/// Parses and validates (see ValidatePlan) a serialized plan. `name` stands for
/// it in messages. kDataLoss if the bytes are no plan or an incomplete one,
/// kUnimplemented for another version, kInvalidArgument if it contradicts
/// itself.
absl::StatusOr<plan::Plan> ParsePlan(absl::string_view bytes,
                                     absl::string_view name);

/// ParsePlan of a file; `-` is standard input. kNotFound, kPermissionDenied and
/// so on if it cannot be read.
absl::StatusOr<plan::Plan> LoadPlan(const std::string& path);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_PLAN_READER_H_
