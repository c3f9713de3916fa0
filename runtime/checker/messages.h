// The messages of a channel in the course of a step.
#ifndef MPC_RUNTIME_CHECKER_MESSAGES_H_
#define MPC_RUNTIME_CHECKER_MESSAGES_H_

#include <cstdint>
#include <vector>

#include "runtime/checker/in_flight.h"

namespace mpc::runtime {

/// One end of a message.
struct MessageEnd {
  Place start;
  Memory memory;
  Access access;
  int64_t bytes;
  /// Of what is sent.
  int64_t microbatch;
  InFlight::Handle buffer;
};

/// One end of a channel.
struct ChannelEnd {
  std::vector<MessageEnd> started;
  /// How many of those have been waited for.
  size_t waited = 0;
};

struct ChannelEnds {
  ChannelEnd source, destination;

  ChannelEnd& own(bool sends) { return sends ? source : destination; }
  ChannelEnd& other(bool sends) { return sends ? destination : source; }
  const ChannelEnd& own(bool sends) const {
    return sends ? source : destination;
  }
};

/// What a command does to a message.
struct MessageUse {
  uint32_t channel;
  bool sends;
  bool starts;
};

/// Whether the command is about a message.
inline bool GetMessageUse(const plan::Command& command, MessageUse& use) {
  switch (command.kind_case()) {
    case plan::Command::kSendStart:
      use = {command.send_start().channel(), true, true};
      return true;
    case plan::Command::kSendWait:
      use = {command.send_wait().channel(), true, false};
      return true;
    case plan::Command::kReceiveStart:
      use = {command.receive_start().channel(), false, true};
      return true;
    case plan::Command::kReceiveWait:
      use = {command.receive_wait().channel(), false, false};
      return true;
    default:
      return false;
  }
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_MESSAGES_H_
