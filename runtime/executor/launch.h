// Runs a plan's ranks.
#ifndef MPC_RUNTIME_EXECUTOR_LAUNCH_H_
#define MPC_RUNTIME_EXECUTOR_LAUNCH_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/rank_host.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct LaunchOptions {
  /// Threads that a rank computes with, its own included; at least 1.
  int threads_per_rank = 1;
  /// Where the ranks live; must outlive the call. Null: all in this process, as
  /// threads.
  RankHost* host = nullptr;
  /// Gets a line of what happens to a rank of this process. May be empty;
  /// called by several threads.
  std::function<void(int rank, absl::string_view line)> note = nullptr;
};

/// Runs `body` for every rank of this process and returns when all have ended.
/// A body may capture memory if it guards it: other ranks share it that happen
/// to live in this process. What all ranks are to know goes through the world.
///
/// Before any memory is allocated every command is checked against the plan and
/// the kernels against this machine. If a body returns an error or throws, all
/// ranks are aborted: their pending and later calls of the world fail. The
/// result is the error of the first of all ranks that failed, prefixed with
/// `rank N: `.
///
/// The plan must be valid (ParsePlan) and outlive the call. Calls may be
/// nested, e.g. to run two plans side by side, and made from several threads.
absl::Status LaunchRanks(
    const plan::Plan& plan, const LaunchOptions& options,
    const std::function<absl::Status(RankProgram& program)>& body);

/// The bytes that a rank of `role` allocates for tensors: persistent region,
/// all slots and transient region, each rounded up to 64 bytes.
uint64_t RequiredBytes(const plan::Role& role);

/// The sum of RequiredBytes over all ranks of the plan, and over some of them.
uint64_t RequiredBytes(const plan::Plan& plan);
uint64_t RequiredBytes(const plan::Plan& plan, absl::Span<const int> ranks);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_EXECUTOR_LAUNCH_H_
