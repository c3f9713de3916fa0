// The bytes of a plan file: a serialized plan.Plan that ends in its checksum.
#ifndef MPC_RUNTIME_PLAN_PLAN_BYTES_H_
#define MPC_RUNTIME_PLAN_PLAN_BYTES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What a plan file holds: `plan` with the checksum set, whatever it was.
std::string SerializePlan(plan::Plan plan);

/// Whether `bytes` end in the checksum of what is before it.
bool HasValidChecksum(absl::string_view bytes);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_PLAN_BYTES_H_
