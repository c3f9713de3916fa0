// All ranks in this process.
#ifndef MPC_RUNTIME_COMM_LOCAL_LOCAL_HOST_H_
#define MPC_RUNTIME_COMM_LOCAL_LOCAL_HOST_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/comm/rank_host.h"

namespace mpc::runtime {

/// Ranks are threads of this process; it never fails.
absl::StatusOr<std::unique_ptr<RankHost>> CreateLocalHost(
    const RankHostOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LOCAL_LOCAL_HOST_H_
