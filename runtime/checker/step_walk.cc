#include "runtime/checker/step_walk.h"

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/checker/contents.h"
#include "runtime/checker/messages.h"
#include "runtime/checker/microbatch_check.h"
#include "runtime/checker/stage_collectives.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// A rank on its way through the schedule.
struct Walker {
  Walker(const plan::Role& role, int index)
      : role(role), contents(role), place{index, 0, -1, -1} {}

  bool is_done() const { return place.entry == role.schedule_size(); }
  const plan::ScheduleEntry& entry() const {
    return role.schedule(place.entry);
  }
  const plan::CommandList& list() const { return role.lists(entry().list()); }
  Memory MemoryOf(const Access& access) const {
    return runtime::MemoryOf(access.region, entry().slot());
  }
  /// Of what the list computes.
  int64_t microbatch() const {
    return IsOfMicrobatch(list().phase()) ? int64_t{entry().microbatch()}
                                          : Content::kOfStep;
  }

  const plan::Role& role;
  Contents contents;
  /// Of the next command; -1: the entry has not begun.
  Place place;
  InFlight in_flight;
  /// By handle: the number in the step of a collective over stages.
  std::map<uint32_t, size_t> collectives;
  /// Messages in the transient region that are under way.
  int transient_messages = 0;
};

class StepWalk {
 public:
  StepWalk(const plan::Plan& plan, const std::vector<RoleAccesses>& accesses)
      : plan_(plan),
        accesses_(accesses),
        channels_(plan.channels_size()),
        collectives_(plan) {
    for (int i = 0; i < plan.roles_size(); ++i)
      walkers_.emplace_back(plan.roles(i), i);
  }

  absl::Status Run() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (Walker& walker : walkers_) {
        MPC_ASSIGN_OR_RETURN(const bool moved, Advance(walker));
        has_moved |= moved;
      }
    }
    for (const Walker& walker : walkers_)
      if (!walker.is_done()) return DescribeDeadlock();
    for (int i = 0; i < plan_.channels_size(); ++i)
      for (bool sends : {true, false})
        MPC_RETURN_IF_ERROR(CheckAllWaitedFor(channels_[i].own(sends)));
    return absl::OkStatus();
  }

 private:
  /// Walks as far as the rank gets; whether it has moved.
  absl::StatusOr<bool> Advance(Walker& walker) {
    bool has_moved = false;
    Place& place = walker.place;
    for (; !walker.is_done(); ++place.entry, place.command = -1) {
      if (place.command < 0) MPC_RETURN_IF_ERROR(BeginEntry(walker));
      for (; place.command < walker.list().commands_size(); ++place.command) {
        MPC_ASSIGN_OR_RETURN(
            const bool passes,
            Step(walker, walker.list().commands(place.command)));
        if (!passes) return has_moved;
        has_moved = true;
      }
      has_moved = true;
      MPC_RETURN_IF_ERROR(EndEntry(walker));
    }
    return has_moved;
  }

  absl::Status BeginEntry(Walker& walker) {
    if (walker.entry().load_batch())
      for (const plan::State& state : walker.role.states())
        if (state.kind() == plan::STATE_KIND_BATCH &&
            state.slice().region() == plan::REGION_SLOT)
          MPC_RETURN_IF_ERROR(Load(walker, state));
    walker.place.command = 0;
    return absl::OkStatus();
  }

  absl::Status Load(Walker& walker, const plan::State& state) {
    const Access access = {state.slice().region(), RangeOf(state.slice()),
                           true};
    const Memory memory = walker.MemoryOf(access);
    if (const auto buffer = walker.in_flight.FindDisturbed(memory, access))
      return DisturbedError(plan_, walker.place, access, *buffer);
    walker.contents.Write(memory, access.range,
                          {walker.entry().microbatch(), walker.place});
    return absl::OkStatus();
  }

  absl::Status EndEntry(Walker& walker) {
    if (walker.transient_messages == 0) return absl::OkStatus();
    Place place = walker.place;
    place.command = -1;
    return ErrorAt(plan_, place,
                   "ends with a message in the transient region under way");
  }

  /// Whether the command passes; else it is to be tried again.
  absl::StatusOr<bool> Step(Walker& walker, const plan::Command& command) {
    if (command.has_collective_wait()) {
      const auto own =
          walker.collectives.find(command.collective_wait().handle());
      return own == walker.collectives.end() ||
             collectives_.IsStarted(own->second);
    }
    MessageUse use;
    const bool is_about_message = GetMessageUse(command, use);
    if (is_about_message) {
      MPC_RETURN_IF_ERROR(CheckChannel(walker, use));
      if (!use.starts) return Wait(walker, use);
    }
    const auto& accesses = accesses_[walker.place.role][walker.entry().list()]
                                    [walker.place.command];
    for (const Access& access : accesses)
      MPC_RETURN_IF_ERROR(Check(walker, access));
    if (is_about_message) {
      MPC_RETURN_IF_ERROR(Start(walker, use, accesses.front()));
      return true;
    }
    for (const Access& access : accesses)
      if (access.writes)
        walker.contents.Write(walker.MemoryOf(access), access.range,
                              {walker.microbatch(), walker.place});
    if (command.has_collective_start())
      MPC_RETURN_IF_ERROR(StartCollective(walker, command.collective_start()));
    return true;
  }

  absl::Status CheckChannel(const Walker& walker, const MessageUse& use) const {
    if (use.channel >= channels_.size())
      return ErrorAt(plan_, walker.place,
                     absl::StrFormat("channel #%d, there are %d", use.channel,
                                     channels_.size()));
    const plan::Channel& channel = plan_.channels(use.channel);
    const uint32_t stage =
        use.sends ? channel.source_stage() : channel.destination_stage();
    if (walker.role.stage() == stage) return absl::OkStatus();
    return ErrorAt(
        plan_, walker.place,
        absl::StrFormat("stage %d %s channel \"%s\"; only stage %d does",
                        walker.role.stage(),
                        use.sends ? "sends on" : "receives from",
                        channel.name(), stage));
  }

  absl::Status Check(const Walker& walker, const Access& access) const {
    const Memory memory = walker.MemoryOf(access);
    if (const auto buffer = walker.in_flight.FindDisturbed(memory, access))
      return DisturbedError(plan_, walker.place, access, *buffer);
    if (access.writes) return absl::OkStatus();
    const auto fault =
        walker.contents.FindFault(memory, access.range, walker.microbatch());
    if (!fault) return absl::OkStatus();
    const std::string bytes = absl::StrFormat(
        "reads bytes %d to %d of %s, which ", fault->begin, fault->end,
        access.region == plan::REGION_SLOT ? "its slot" : "a message's buffer");
    if (!fault->content)
      return ErrorAt(plan_, walker.place,
                     absl::StrCat(bytes, "nothing has written in this step"));
    return ErrorAt(
        plan_, walker.place,
        absl::StrCat(bytes, "hold microbatch ", fault->content->microbatch,
                     " since ", Describe(plan_, fault->content->writer)));
  }

  absl::Status Start(Walker& walker, const MessageUse& use,
                     const Access& access) {
    ChannelEnds& channel = channels_[use.channel];
    ChannelEnd& own = channel.own(use.sends);
    const Memory memory = walker.MemoryOf(access);
    MessageEnd end = {
        walker.place,
        memory,
        access,
        static_cast<int64_t>(access.range.end - access.range.begin),
        memory == Memory::kTransient
            ? walker.microbatch()
            : walker.contents.MicrobatchOf(memory, access.range),
        walker.in_flight.Add(memory, access, walker.place)};
    if (memory == Memory::kTransient) ++walker.transient_messages;
    own.started.push_back(end);
    const auto& others = channel.other(use.sends).started;
    const size_t number = own.started.size() - 1;
    if (others.size() <= number || others[number].bytes == end.bytes)
      return absl::OkStatus();
    return ErrorAt(
        plan_, walker.place,
        absl::StrFormat("message %d of channel \"%s\" has %d bytes, and %d "
                        "bytes at %s",
                        number, plan_.channels(use.channel).name(), end.bytes,
                        others[number].bytes,
                        Describe(plan_, others[number].start)));
  }

  absl::StatusOr<bool> Wait(Walker& walker, const MessageUse& use) {
    ChannelEnds& channel = channels_[use.channel];
    ChannelEnd& own = channel.own(use.sends);
    if (own.waited == own.started.size())
      return ErrorAt(
          plan_, walker.place,
          absl::StrFormat("waits for message %d of channel \"%s\", "
                          "which it has not started before",
                          own.waited, plan_.channels(use.channel).name()));
    const auto& others = channel.other(use.sends).started;
    if (others.size() <= own.waited) return false;
    const MessageEnd& end = own.started[own.waited];
    walker.in_flight.Remove(end.buffer);
    if (end.memory == Memory::kTransient) --walker.transient_messages;
    if (!use.sends)
      walker.contents.Write(end.memory, end.access.range,
                            {others[own.waited].microbatch, walker.place});
    ++own.waited;
    return true;
  }

  absl::Status StartCollective(Walker& walker,
                               const plan::CollectiveStartCommand& start) {
    walker.collectives.erase(start.handle());
    if (!collectives_.JoinsStages(start.group())) return absl::OkStatus();
    walker.collectives[start.handle()] =
        collectives_.Started(walker.place.role);
    return collectives_.Start(walker.place, start);
  }

  std::string DescribeWait(const Walker& walker) const {
    const plan::Command& command = walker.list().commands(walker.place.command);
    MessageUse use;
    if (!GetMessageUse(command, use))
      return absl::StrFormat(
          "waits for the other stages to start collective %d over stages",
          walker.collectives.at(command.collective_wait().handle()));
    const plan::Channel& channel = plan_.channels(use.channel);
    return absl::StrFormat(
        "waits for stage %d to start to %s message %d of channel \"%s\"",
        use.sends ? channel.destination_stage() : channel.source_stage(),
        use.sends ? "receive" : "send",
        channels_[use.channel].own(use.sends).waited, channel.name());
  }

  absl::Status DescribeDeadlock() const {
    std::string text = "the step does not end";
    for (const Walker& walker : walkers_)
      if (!walker.is_done())
        absl::StrAppend(&text, "; ", Describe(plan_, walker.place), ": ",
                        DescribeWait(walker));
    return absl::InvalidArgumentError(text);
  }

  absl::Status CheckAllWaitedFor(const ChannelEnd& end) const {
    if (end.waited == end.started.size()) return absl::OkStatus();
    return ErrorAt(plan_, end.started[end.waited].start,
                   "starts a message that is not waited for in this step");
  }

  const plan::Plan& plan_;
  const std::vector<RoleAccesses>& accesses_;
  std::vector<Walker> walkers_;
  std::vector<ChannelEnds> channels_;
  StageCollectives collectives_;
};

}  // namespace

absl::Status CheckStep(const plan::Plan& plan,
                       const std::vector<RoleAccesses>& accesses) {
  return StepWalk(plan, accesses).Run();
}

}  // namespace mpc::runtime
