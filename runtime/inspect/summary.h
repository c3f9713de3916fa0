// What `mpc-run inspect` says of a plan, as values.
#ifndef MPC_RUNTIME_INSPECT_SUMMARY_H_
#define MPC_RUNTIME_INSPECT_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// One parameter and what belongs to it. Shardings are written as in the
/// compiler's IR: `[{"dp"}, {}]`, with ` sum = {"dp"}` where partial.
struct ParameterSummary {
  std::string name;
  std::vector<int64_t> logical_sizes;
  /// With the padding of the vocabulary.
  std::vector<int64_t> global_sizes;
  std::string type;
  /// Of the master, as the optimizer updates it.
  std::string storage_sharding;
  /// As forward and backward read it.
  std::string compute_sharding;
  /// Of the accumulator; empty without one.
  std::string gradient_sharding;
  /// Master, compute copy, moments and accumulator on one rank.
  uint64_t bytes_per_rank = 0;
};

struct ListSummary {
  std::string name;
  /// E.g. `forward_backward`.
  std::string phase;
  /// `only`, `first`, `middle` or `last` microbatch.
  std::string variant;
  /// How often the schedule runs the list in a step.
  int64_t runs_per_step = 0;
  int64_t commands = 0;
  /// By kind, e.g. `gemm`.
  std::map<std::string, int64_t> commands_by_kind;
};

/// The collectives of one kind over one group of axes in one list.
struct CollectiveSummary {
  std::string list;
  /// E.g. `all_reduce`.
  std::string kind;
  /// `sum` or `max`; empty where nothing is reduced.
  std::string reduction;
  std::vector<std::string> axes;
  int64_t group_size = 1;
  int64_t count_per_step = 0;
  /// A collective's payload is the larger of its source and destination on a
  /// rank: the whole of what is reduced, scattered or gathered.
  uint64_t payload_bytes_per_step = 0;
};

/// One run of a list.
struct ScheduleSummary {
  std::string list;
  uint32_t microbatch = 0;
  uint32_t slot = 0;
  bool load_batch = false;
};

struct MemoryCategory {
  /// E.g. `master`; `transient`, `other` for what no state names.
  std::string name;
  uint64_t bytes = 0;
};

/// Memory of a rank. The categories sum to `arena_bytes`.
struct MemorySummary {
  uint64_t arena_bytes = 0;
  uint64_t persistent_bytes = 0;
  uint64_t slot_bytes = 0;
  uint32_t slots = 0;
  uint64_t transient_bytes = 0;
  std::vector<MemoryCategory> categories;
};

struct RoleSummary {
  uint32_t stage = 0;
  MemorySummary memory;
  std::vector<ParameterSummary> parameters;
  std::vector<ListSummary> lists;
  std::vector<CollectiveSummary> collectives;
  /// In the order of a step.
  std::vector<ScheduleSummary> schedule;
};

/// What goes from one rank of a stage to one of another in a step.
struct ChannelSummary {
  std::string name;
  uint32_t source_stage = 0;
  uint32_t destination_stage = 0;
  int64_t messages_per_step = 0;
  uint64_t bytes_per_step = 0;
};

struct PlanSummary {
  std::vector<RoleSummary> roles;
  std::vector<ChannelSummary> channels;
};

/// Summarises a plan that has passed the checks of the plan's reader.
/// kInvalidArgument if states of a role overlap, so that memory by category has
/// no meaning.
absl::StatusOr<PlanSummary> Summarize(const plan::Plan& plan);

/// The same facts for people and for programs (docs/inspect-json.md).
std::string PrintText(const plan::Plan& plan, const PlanSummary& summary);
std::string PrintJson(const plan::Plan& plan, const PlanSummary& summary);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_INSPECT_SUMMARY_H_
