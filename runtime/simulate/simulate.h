// A training step of a plan on the clock of a cluster.
#ifndef MPC_RUNTIME_SIMULATE_SIMULATE_H_
#define MPC_RUNTIME_SIMULATE_SIMULATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cluster/pricing.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/simulate/priced_plan.h"

namespace mpc::runtime {

struct SimulateOptions {
  /// One rank a stage stands for all of them, which do the same at the same
  /// time. Where the ranks of a stage differ, because nodes cut stages
  /// unevenly, it is the one whose messages go farthest.
  bool fold = true;
  /// Keeps what happened when (Timeline); costs memory by the length of the
  /// step.
  bool record = false;
};

/// Communication of one kind on one rank in a step. Seconds of transfers are
/// those from the moment when all have started it to its end.
struct CommunicationTime {
  int64_t count = 0;
  /// Of payload: the whole of what is reduced, gathered, scattered or sent. A
  /// message counts on both sides.
  uint64_t bytes = 0;
  /// While the rank waits for what all members have started, be it that a
  /// transfer before it in its stream has not ended.
  double exposed_seconds = 0;
  /// From beginning to end, but for what is exposed.
  double hidden_seconds = 0;
};

/// One rank. Computing, exposed seconds and the bubble add up to the step.
struct RankTime {
  int stage = 0;
  ComputeSeconds computing;
  /// By PricedPlan::categories.
  std::vector<CommunicationTime> communication;
  /// Waiting for others to begin their part of a transfer, or to end the step.
  double bubble_seconds = 0;
  Flops flops;
  /// From beginning to end, waiting included, of all runs of each list of the
  /// stage.
  std::vector<double> list_seconds;

  double exposed_seconds() const;
  double hidden_seconds() const;
};

/// What one rank does from `begin` to `end`.
struct ListSpan {
  double begin = 0, end = 0;
  uint32_t list = 0;
  uint32_t microbatch = 0;
  /// Index into the schedule.
  uint32_t entry = 0;
};
struct TransferSpan {
  double begin = 0, end = 0;
  /// Index into PricedPlan::categories.
  int category = 0;
  int64_t bytes = 0;
};
struct WaitSpan {
  double begin = 0, end = 0;
  int category = 0;
  /// For others to begin; else for the transfer itself.
  bool is_bubble = false;
};
struct Timeline {
  std::vector<ListSpan> lists;
  std::vector<TransferSpan> transfers;
  std::vector<WaitSpan> waits;
};

/// Memory of a rank of one stage.
struct StageMemory {
  /// What the rank allocates.
  uint64_t arena_bytes = 0;
  uint64_t persistent_bytes = 0;
  uint64_t slot_bytes = 0;
  /// The most slots that hold a microbatch at the same time.
  int64_t slots_in_use = 0;
  /// The most transient bytes that a list touches.
  uint64_t transient_bytes = 0;
  /// The most bytes that are in use at the same time.
  uint64_t peak_bytes = 0;
};

/// What a rank of a stage uses during one entry of its schedule.
struct MemoryPoint {
  int64_t slots_in_use = 0;
  uint64_t transient_bytes = 0;
  /// All, persistent memory included.
  uint64_t bytes = 0;
};

struct Simulation {
  double step_seconds = 0;
  /// Tokens of all ranks in a step.
  int64_t tokens = 0;
  int64_t ranks = 0;
  /// Of all ranks.
  Flops flops;
  /// Fractions of the peak of the type that most products have.
  double model_flops_utilisation = 0;
  double hardware_flops_utilisation = 0;
  std::vector<std::string> categories;
  /// What most products compute in, and its peak on a device.
  cluster::ElementType type = cluster::ElementType::kF32;
  double peak_flops = 0;
  /// By stage; with `fold` false by rank.
  std::vector<RankTime> rank_times;
  std::vector<StageMemory> memory;
  /// By stage and entry of its schedule.
  std::vector<std::vector<MemoryPoint>> memory_over_time;
  uint64_t usable_bytes = 0;
  /// Events that were simulated.
  int64_t events = 0;

  /// Of each rank simulated, if it was asked for.
  std::vector<Timeline> timelines;

  /// The stage whose memory does not fit by most; -1 if all fit.
  int OverflowingStage() const;
};

/// Simulates a valid plan. kInvalidArgument if the cluster has fewer devices
/// than the plan has ranks, kFailedPrecondition if the step never ends. A plan
/// that does not fit the memory is simulated all the same.
absl::StatusOr<Simulation> Simulate(const plan::Plan& plan,
                                    const cluster::Pricing& pricing,
                                    const SimulateOptions& options);

/// What a rank of a stage uses during each entry of its schedule.
std::vector<MemoryPoint> MemoryOverTime(const plan::Role& role,
                                        const std::vector<PricedList>& lists);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_SIMULATE_H_
