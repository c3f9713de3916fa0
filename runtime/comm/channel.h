// Messages from one rank to another: the interface that a transport implements.
#ifndef MPC_RUNTIME_COMM_CHANNEL_H_
#define MPC_RUNTIME_COMM_CHANNEL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace mpc::runtime {

/// Which channel of a world: both ends say the same. Two channels differ in
/// number, source or destination.
struct ChannelId {
  int number = 0;
  /// For messages only.
  std::string name;
  /// Different ranks.
  int source = 0;
  int destination = 0;
};

/// One rank's end of a channel: the source's end sends, the destination's end
/// receives. Message number i of the one is message number i of the other.
///
/// From Start to its Wait a message that is sent may not be written, one that
/// is received neither read nor written; the memory must live until the Wait,
/// or after an error until every rank has stopped. If both sides disagree on
/// the bytes of a message, both fail, and so does every later call of the world
/// (see World).
///
/// Thread-compatible: an end is used by one thread at a time, which need not be
/// the thread of the other end.
class ChannelEnd {
 public:
  virtual ~ChannelEnd() = default;

  /// Begins to send or to receive a message of at least one byte, behind those
  /// that have begun. Never waits for the other side.
  virtual absl::Status Start(absl::Span<char> message) = 0;

  /// Returns once the oldest message without a Wait has been delivered: the
  /// receiver has all of it.
  virtual absl::Status Wait() = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_CHANNEL_H_
