// What this machine offers to a run.
#ifndef MPC_RUNTIME_TRAIN_MACHINE_H_
#define MPC_RUNTIME_TRAIN_MACHINE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mpc::runtime {

/// Processor cores that this process may use; at least 1.
int AvailableCores();

/// max(1, cores / ranks).
int DefaultThreadsPerRank(int64_t ranks);

/// Bytes that can be allocated without swapping: MemAvailable of /proc/meminfo.
absl::StatusOr<uint64_t> AvailableMemory();

/// The same from the text of /proc/meminfo.
absl::StatusOr<uint64_t> ParseAvailableMemory(absl::string_view meminfo);

/// kResourceExhausted, saying what is needed, what there is and what to do, if
/// `required` bytes in `arenas` arenas are more than `available`.
absl::Status CheckMemory(uint64_t required, int64_t arenas, uint64_t available);

/// Bytes that may still be mapped under the limits of the process (ulimit).
uint64_t AddressSpaceLeft();

/// kResourceExhausted if `arena_bytes` and what `threads` computing threads map
/// for themselves are more than `left`: BLAS would wait forever for the rest.
absl::Status CheckAddressSpace(uint64_t arena_bytes, int64_t threads,
                               uint64_t left);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_MACHINE_H_
