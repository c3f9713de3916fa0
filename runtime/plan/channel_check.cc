#include "runtime/plan/channel_check.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// What a command does to a message.
struct MessageUse {
  uint32_t channel;
  bool sends;
  /// Of a start; null for a wait.
  const plan::Slice* message;
};

/// Whether the command is about a message.
bool GetMessageUse(const plan::Command& command, MessageUse& use) {
  switch (command.kind_case()) {
    case plan::Command::kSendStart:
      use = {command.send_start().channel(), true,
             &command.send_start().source()};
      return true;
    case plan::Command::kSendWait:
      use = {command.send_wait().channel(), true, nullptr};
      return true;
    case plan::Command::kReceiveStart:
      use = {command.receive_start().channel(), false,
             &command.receive_start().destination()};
      return true;
    case plan::Command::kReceiveWait:
      use = {command.receive_wait().channel(), false, nullptr};
      return true;
    default:
      return false;
  }
}

/// The messages of a step on one end of a channel.
class EndOfChannel {
 public:
  void Start(const plan::Slice& message, int entry) {
    bytes_.push_back(SpanBytes(message));
    entries_.push_back(entry);
    transient_.push_back(message.region() == plan::REGION_TRANSIENT);
  }

  absl::Status Wait(int entry) {
    if (waits_ == bytes_.size())
      return absl::InvalidArgumentError(absl::StrFormat(
          "wait for message %d, %d were started before", waits_ + 1, waits_));
    if (transient_[waits_] && entries_[waits_] != entry)
      return absl::InvalidArgumentError(absl::StrFormat(
          "wait for message %d, which schedule[%d] started in %s; expected the "
          "wait in the same list",
          waits_ + 1, entries_[waits_],
          plan::Region_Name(plan::REGION_TRANSIENT)));
    ++waits_;
    return absl::OkStatus();
  }

  const std::vector<int64_t>& bytes() const { return bytes_; }
  size_t waits() const { return waits_; }

 private:
  std::vector<int64_t> bytes_;
  std::vector<int> entries_;
  std::vector<bool> transient_;
  size_t waits_ = 0;
};

/// By channel.
using Ends = std::vector<EndOfChannel>;

absl::Status WalkEntry(const plan::Plan& plan, const plan::Role& role,
                       int entry, Ends& ends) {
  const plan::CommandList& list = role.lists(role.schedule(entry).list());
  for (int i = 0; i < list.commands_size(); ++i) {
    MessageUse use;
    if (!GetMessageUse(list.commands(i), use)) continue;
    EndOfChannel& end = ends[use.channel];
    if (use.message) {
      end.Start(*use.message, entry);
      continue;
    }
    if (const absl::Status status = end.Wait(entry); !status.ok())
      return absl::Status(
          status.code(),
          absl::StrFormat(
              "roles[%d].schedule[%d]: list \"%s\": commands[%d] \"%s\": "
              "channel \"%s\": %s",
              role.stage(), entry, list.name(), i, list.commands(i).location(),
              plan.channels(use.channel).name(), status.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ends> WalkSchedule(const plan::Plan& plan,
                                  const plan::Role& role) {
  Ends ends(plan.channels_size());
  for (int i = 0; i < role.schedule_size(); ++i)
    MPC_RETURN_IF_ERROR(WalkEntry(plan, role, i, ends));
  for (int i = 0; i < plan.channels_size(); ++i)
    if (ends[i].waits() != ends[i].bytes().size())
      return absl::InvalidArgumentError(absl::StrFormat(
          "roles[%d]: channel \"%s\": %d messages are started in a step and %d "
          "waited for",
          role.stage(), plan.channels(i).name(), ends[i].bytes().size(),
          ends[i].waits()));
  return ends;
}

absl::Status CompareEnds(const plan::Channel& channel,
                         const std::vector<int64_t>& sent,
                         const std::vector<int64_t>& received) {
  const std::string where = absl::StrFormat("channel \"%s\"", channel.name());
  if (sent.size() != received.size())
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: stage %d sends %d messages a step, stage %d receives %d", where,
        channel.source_stage(), sent.size(), channel.destination_stage(),
        received.size()));
  for (size_t i = 0; i < sent.size(); ++i)
    if (sent[i] != received[i])
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: message %d of a step has %d bytes on stage %d and %d bytes on "
          "stage %d",
          where, i + 1, sent[i], channel.source_stage(), received[i],
          channel.destination_stage()));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckChannels(const plan::Plan& plan) {
  const int64_t stages = StageCount(plan.mesh());
  std::set<std::string> names;
  for (int i = 0; i < plan.channels_size(); ++i) {
    const plan::Channel& channel = plan.channels(i);
    const std::string where =
        absl::StrFormat("channels[%d] \"%s\"", i, channel.name());
    if (channel.name().empty() || !names.insert(channel.name()).second)
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": expected a name of its own"));
    for (uint32_t stage : {channel.source_stage(), channel.destination_stage()})
      if (stage >= stages)
        return absl::InvalidArgumentError(absl::StrFormat(
            "%s: stage %d, there are %d", where, stage, stages));
    if (channel.source_stage() == channel.destination_stage())
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: from stage %d to itself; expected two stages",
                          where, channel.source_stage()));
  }
  return absl::OkStatus();
}

absl::Status CheckChannelEnd(const plan::Command& command,
                             const plan::Role& role, const plan::Plan& plan) {
  MessageUse use;
  if (!GetMessageUse(command, use)) return absl::OkStatus();
  if (use.channel >= static_cast<uint32_t>(plan.channels_size()))
    return absl::InvalidArgumentError(absl::StrFormat(
        "channel #%d, there are %d", use.channel, plan.channels_size()));
  const plan::Channel& channel = plan.channels(use.channel);
  const uint32_t expected =
      use.sends ? channel.source_stage() : channel.destination_stage();
  if (role.stage() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "stage %d %s channel \"%s\"; only stage %d does", role.stage(),
      use.sends ? "sends on" : "receives from", channel.name(), expected));
}

absl::Status CheckMessages(const plan::Plan& plan) {
  std::vector<Ends> stages;
  for (const plan::Role& role : plan.roles()) {
    MPC_ASSIGN_OR_RETURN(Ends ends, WalkSchedule(plan, role));
    stages.push_back(std::move(ends));
  }
  for (int i = 0; i < plan.channels_size(); ++i) {
    const plan::Channel& channel = plan.channels(i);
    MPC_RETURN_IF_ERROR(
        CompareEnds(channel, stages[channel.source_stage()][i].bytes(),
                    stages[channel.destination_stage()][i].bytes()));
  }
  return absl::OkStatus();
}

}  // namespace mpc::runtime
