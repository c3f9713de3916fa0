// The instruction set extensions of this machine, by the compiler's names.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_
#define MPC_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The flags of the first processor in the text of /proc/cpuinfo.
std::set<std::string> FlagsOfCpuInfo(absl::string_view cpu_info);

/// kFailedPrecondition, naming the features that are missing, if a processor
/// with `flags` cannot run what `target` was compiled for, or if its triple is
/// not of this kind of machine.
absl::Status CheckTarget(const plan::Target& target,
                         const std::set<std::string>& flags);

/// The same for this machine.
absl::Status CheckTarget(const plan::Target& target);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_
