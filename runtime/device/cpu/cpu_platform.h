// The CPU as a kind of device.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPU_PLATFORM_H_
#define MPC_RUNTIME_DEVICE_CPU_CPU_PLATFORM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/device/device.h"

namespace mpc::runtime {

/// kFailedPrecondition on a processor below x86-64-v3, which this runtime's own
/// kernels need.
absl::StatusOr<std::unique_ptr<Platform>> CreateCpuPlatform();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_CPU_PLATFORM_H_
