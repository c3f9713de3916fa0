// What all ranks of a run share: the interface that a transport implements.
#ifndef MPC_RUNTIME_COMM_WORLD_H_
#define MPC_RUNTIME_COMM_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/channel.h"
#include "runtime/comm/communicator.h"

namespace mpc::runtime {

/// One rank's end of all ranks of a run.
///
/// Every rank calls the same operations in the same order, OpenChannel apart;
/// each returns once its part is done, which may be after all ranks have
/// entered it. When a rank aborts, ends early or disagrees with the others,
/// every call that is pending and every later one, also on communicators made
/// by Split and channels made by OpenChannel, returns an error that names the
/// first rank that failed and its message (kAborted); nothing hangs.
///
/// Thread-compatible: used by one thread at a time, except Abort.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// The communicator of `members`, ranks in the group's order, of which this
  /// is one. All ranks call Split the same number of times; those that name
  /// the same members get ends of one communicator. It may not outlive the
  /// world.
  virtual absl::StatusOr<std::unique_ptr<Communicator>> Split(
      absl::Span<const int> members) = 0;

  /// This rank's end of a channel, of which it is source or destination. Only
  /// these two open it, each once and in any order. It may not outlive the
  /// world.
  virtual absl::StatusOr<std::unique_ptr<ChannelEnd>> OpenChannel(
      const ChannelId& id) = 0;

  /// Returns once every rank has called it.
  virtual absl::Status Barrier() = 0;

  /// The bytes that `root` passes; those of other ranks are ignored.
  virtual absl::StatusOr<std::string> Broadcast(absl::string_view bytes,
                                                int root) = 0;

  /// At `root` every rank's bytes, by rank; nothing elsewhere. Sizes may differ.
  virtual absl::StatusOr<std::vector<std::string>> Gather(
      absl::string_view bytes, int root) = 0;

  /// Makes every rank's calls fail with `status` as the message of this rank.
  /// Only the first abort of all ranks counts. May be called from any thread.
  virtual void Abort(const absl::Status& status) = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_WORLD_H_
