// The program of one rank, ready to run: its memory, its commands, its world.
#ifndef MPC_RUNTIME_EXECUTOR_RANK_PROGRAM_H_
#define MPC_RUNTIME_EXECUTOR_RANK_PROGRAM_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/world.h"
#include "runtime/device/device.h"
#include "runtime/plan/arena_layout.h"
#include "runtime/executor/role_program.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What the caller adds to a step. Each may be empty, except `load_batch` where
/// an entry of the schedule asks for it. An error of one ends the step.
struct StepCallbacks {
  /// Before an entry with `load_batch`: fills the BATCH states of slot
  /// `entry.slot()` with microbatch `entry.microbatch()`.
  std::function<absl::Status(const plan::ScheduleEntry& entry)> load_batch;
  /// After entry number `entry` of the schedule has run: the time to read
  /// observables, which later entries may overwrite.
  std::function<absl::Status(int entry)> after_entry;
  /// After each command, with the time it took. For profiles.
  std::function<void(const plan::Command& command, std::chrono::nanoseconds)>
      after_command;
};

/// One rank of a run, made by LaunchRanks (launch.h). Used by the thread that
/// LaunchRanks gives to the rank.
///
/// States are named by an index into Role.states, which FindState looks up.
/// Their memory stays in place for the whole run; the caller may read and write
/// it whenever RunStep is not running, and in the callbacks above. A state in
/// the slot region has one copy a slot; `slot` is 0 for all others.
class RankProgram {
 public:
  ~RankProgram();
  RankProgram(const RankProgram&) = delete;
  RankProgram& operator=(const RankProgram&) = delete;

  const plan::Plan& plan() const;
  /// This rank's role: the program of its stage.
  const plan::Role& role() const;
  int rank() const { return world_->rank(); }
  /// By axis of the mesh.
  absl::Span<const int64_t> coordinates() const { return coordinates_; }
  World& world() const { return *world_; }
  /// For work of the caller's own on the threads of this rank.
  Device& device() const { return *device_; }

  /// Bytes of memory for tensors that this rank has allocated; equal to
  /// RequiredBytes of its role.
  uint64_t arena_bytes() const;

  /// Sets every state to its initial value under `seed`, in all slots; a state
  /// without one is set to zero.
  absl::Status InitializeState(uint32_t seed);

  /// Walks the schedule once: one training step. Errors carry the location of
  /// the command, e.g. `h.3.attn.c_proj: …`. After an error the state is that
  /// of a step half done, and the world is to be aborted (by returning the
  /// error from the body of LaunchRanks).
  absl::Status RunStep(const StepCallbacks& callbacks);

  /// kNotFound, naming what states of that kind there are.
  absl::StatusOr<int> FindState(plan::StateKind kind,
                                absl::string_view name) const;

  /// The indices of all states of a kind, in the order of the plan.
  std::vector<int> StatesOfKind(plan::StateKind kind) const;

  /// This rank's part of a state: dense, row-major, see LocalBox (plan/layout.h)
  /// for its place in the whole.
  absl::Span<char> StateBytes(int state, int slot = 0) const;

  /// The same as elements of the state's type: T is float or int32_t and must
  /// be that type.
  template <typename T>
  absl::Span<T> StateData(int state, int slot = 0) const {
    const absl::Span<char> bytes = StateBytes(state, slot);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Writes an INPUT_SCALAR (or COUNTER) of one element and type f32 or i32. An
  /// i32 takes an integer of −2³¹ … 2³²−1, modulo 2³²: seeds are unsigned.
  absl::Status WriteScalar(plan::StateKind kind, absl::string_view name,
                           double value);

  /// Reads any state of one element and type f32 or i32.
  absl::StatusOr<double> ReadScalar(plan::StateKind kind,
                                    absl::string_view name) const;

 private:
  friend class RankLauncher;
  RankProgram() = default;

  absl::Status RunEntry(const plan::ScheduleEntry& entry,
                        const StepCallbacks& callbacks);
  absl::Status InitializeCopy(int state, int slot, uint32_t seed);
  absl::StatusOr<int> FindScalar(plan::StateKind kind,
                                 absl::string_view name) const;

  const RoleProgram* program_ = nullptr;
  std::unique_ptr<World> world_;
  std::unique_ptr<Device> device_;
  std::vector<int64_t> coordinates_;
  /// By group of the plan.
  std::vector<std::unique_ptr<Communicator>> communicators_;
  /// By channel of the plan; null where this rank has no end of it.
  std::vector<std::unique_ptr<ChannelEnd>> channels_;
  ArenaLayout layout_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_EXECUTOR_RANK_PROGRAM_H_
