// Memory of the host for tensors.
#ifndef MPC_RUNTIME_DEVICE_CPU_ARENA_H_
#define MPC_RUNTIME_DEVICE_CPU_ARENA_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/device/device.h"

namespace mpc::runtime {

/// Maps zeroed memory, in huge pages where it is large and the system has them.
/// kResourceExhausted if the system refuses.
absl::StatusOr<std::unique_ptr<Arena>> AllocateArena(uint64_t bytes);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_ARENA_H_
