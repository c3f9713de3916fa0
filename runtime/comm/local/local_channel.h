// Messages between threads of one process.
#ifndef MPC_RUNTIME_COMM_LOCAL_LOCAL_CHANNEL_H_
#define MPC_RUNTIME_COMM_LOCAL_LOCAL_CHANNEL_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/comm/channel.h"

namespace mpc::runtime {

class LocalHub;

enum class ChannelSide { kSource = 0, kDestination = 1 };

/// What the two ends share. It holds no message: whoever starts second copies
/// from the sender's memory to the receiver's. Thread-safe; each side is used
/// by one thread at a time.
class LocalChannel {
 public:
  LocalChannel(LocalHub& hub, ChannelId id);

  absl::Status Start(ChannelSide side, absl::Span<char> message);

  /// Returns once `count` messages have been delivered since the beginning.
  absl::Status AwaitDelivery(ChannelSide side, uint64_t count);

  /// Lets a blocked side look at the state of the hub.
  void WakeAll();

 private:
  int RankOf(ChannelSide side) const;
  absl::Status Deliver(absl::Span<char> source, absl::Span<char> destination);

  LocalHub& hub_;
  const ChannelId id_;
  std::mutex mutex_;
  std::condition_variable moved_;
  /// By side: started, and not yet by the other side. At most one is not empty.
  std::array<std::deque<absl::Span<char>>, 2> started_;
  /// Only the side that came second counts up, and it is one at a time: the
  /// first has nothing in front of what it starts meanwhile.
  std::atomic<uint64_t> delivered_{0};
};

/// An end; see CreateLocalWorlds for when calls return.
std::unique_ptr<ChannelEnd> CreateLocalChannelEnd(
    std::shared_ptr<LocalHub> hub, std::shared_ptr<LocalChannel> channel,
    ChannelSide side);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LOCAL_LOCAL_CHANNEL_H_
