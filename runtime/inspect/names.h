// Words for the parts of a plan, as `inspect` prints them.
#ifndef MPC_RUNTIME_INSPECT_NAMES_H_
#define MPC_RUNTIME_INSPECT_NAMES_H_

#include <string>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The name in plan.proto without its prefix, in lower case: `master`,
/// `input_scalar`, `forward_backward`, `all_reduce`. A reduction that is not
/// set is empty.
std::string StateKindName(plan::StateKind kind);
std::string PhaseName(plan::Phase phase);
std::string VariantName(plan::Variant variant);
std::string CollectiveKindName(plan::CollectiveKind kind);
std::string ReductionName(plan::Reduction reduction);
std::string DeviceKindName(plan::DeviceKind kind);

/// The field of the command's kind: `gemm`, `collective_start`.
std::string CommandKindName(const plan::Command& command);

/// `dp=2 tp=4`; `one rank` for a mesh without axes.
std::string DescribeMesh(const plan::Mesh& mesh);

/// `[{"dp"}, {}, {"tp"}] sum = {"cp"}`, as in the compiler's IR.
std::string DescribeSharding(const plan::Mesh& mesh,
                             const plan::Sharding& sharding);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_INSPECT_NAMES_H_
