// A command of a plan, ready to run.
#ifndef MPC_RUNTIME_THUNKS_THUNK_H_
#define MPC_RUNTIME_THUNKS_THUNK_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/comm/channel.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/device.h"
#include "runtime/plan/arena_layout.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Whether a command reads or writes a slice.
struct BufferUse {
  enum class Access { kRead, kWrite };
  plan::Slice slice;
  Access access;

  static BufferUse Read(const plan::Slice& slice) {
    return {slice, Access::kRead};
  }
  static BufferUse Write(const plan::Slice& slice) {
    return {slice, Access::kWrite};
  }
};

/// What one rank brings to one execution.
struct ThunkContext {
  Device& device;
  /// Null if the plan has no kernels.
  const KernelModule* kernels;
  /// By group of the plan.
  absl::Span<const std::unique_ptr<Communicator>> communicators;
  /// By channel of the plan; null where the rank has no end of it.
  absl::Span<const std::unique_ptr<ChannelEnd>> channels;
  char* arena;
  const ArenaLayout& layout;
  /// Of the slot region.
  int slot;

  template <typename T>
  T* Resolve(const plan::Slice& slice) const {
    return reinterpret_cast<T*>(arena + layout.Offset(slice, slot));
  }
};

/// One command of a role.
///
/// `Create` of a subclass checks everything that does not depend on the rank or
/// the run, so that `Execute` fails only for reasons outside the program, such
/// as a peer. A thunk holds no state of a run and is executed for several ranks
/// at once.
class Thunk {
 public:
  virtual ~Thunk() = default;
  Thunk(const Thunk&) = delete;
  Thunk& operator=(const Thunk&) = delete;

  /// The command, owned by the plan.
  const plan::Command& command() const { return command_; }
  virtual std::vector<BufferUse> buffer_uses() const = 0;
  virtual absl::Status Execute(const ThunkContext& context) const = 0;

 protected:
  explicit Thunk(const plan::Command& command) : command_(command) {}

 private:
  const plan::Command& command_;
};

/// The thunk of any command of `list` of a valid plan; errors start with the
/// command's location. The plan must outlive it.
absl::StatusOr<std::unique_ptr<Thunk>> CreateThunk(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_THUNK_H_
