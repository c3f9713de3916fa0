// Runs a plan's ranks.
#ifndef MPC_RUNTIME_EXECUTOR_LAUNCH_H_
#define MPC_RUNTIME_EXECUTOR_LAUNCH_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct LaunchOptions {
  /// Threads that a rank computes with, its own included; at least 1.
  int threads_per_rank = 1;
};

/// Runs `body` for every rank of this process and returns when all have ended.
/// Here all ranks are threads of this process; nothing that a body does may
/// depend on it, but a body may capture memory that all bodies share if it
/// guards it.
///
/// Before any memory is allocated every command is checked against the plan and
/// the kernels against this machine. If a body returns an error or throws, all
/// ranks are aborted: their pending and later calls of the world fail. The
/// result is the error of the first that failed, prefixed with `rank N: `.
///
/// The plan must be valid (ParsePlan) and outlive the call. Calls may be
/// nested, e.g. to run two plans side by side, and made from several threads.
absl::Status LaunchRanks(
    const plan::Plan& plan, const LaunchOptions& options,
    const std::function<absl::Status(RankProgram& program)>& body);

/// The bytes that a rank of `role` allocates for tensors: persistent region,
/// all slots and transient region, each rounded up to 64 bytes.
uint64_t RequiredBytes(const plan::Role& role);

/// The sum of RequiredBytes over all ranks of the plan.
uint64_t RequiredBytes(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_EXECUTOR_LAUNCH_H_
