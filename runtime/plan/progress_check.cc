#include "runtime/plan/progress_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

/// How often something has happened, by channel or by group.
using Counts = std::vector<int64_t>;

/// Where a stage is in its step, and what it has done.
struct Walker {
  Walker(const plan::Plan& plan, const plan::Role& role)
      : role(role),
        starts(plan.channels_size()),
        waits(plan.channels_size()),
        meetings(plan.groups_size()) {}

  bool is_done() const { return entry == role.schedule_size(); }
  const plan::CommandList& list() const {
    return role.lists(role.schedule(entry).list());
  }

  const plan::Role& role;
  int entry = 0;
  int command = 0;
  /// Of messages by channel, and collectives over stages by group; the one that
  /// is being waited for included.
  Counts starts, waits, meetings;
  /// The command has been counted, and waits.
  bool is_blocked = false;
};

class Walk {
 public:
  explicit Walk(const plan::Plan& plan) : plan_(plan) {
    for (const plan::Role& role : plan.roles())
      stages_.emplace_back(plan, role);
    for (const plan::Group& group : plan.groups())
      joins_stages_.push_back(std::any_of(
          group.axes().begin(), group.axes().end(), [&](uint32_t axis) {
            return plan.mesh().axes(axis).name() == kPipelineAxis;
          }));
  }

  absl::Status Run() {
    bool has_moved = true;
    while (has_moved) {
      has_moved = false;
      for (Walker& stage : stages_) has_moved |= Advance(stage);
    }
    for (const Walker& stage : stages_)
      if (!stage.is_done()) return Describe();
    return absl::OkStatus();
  }

 private:
  /// Walks as far as the stage gets; whether it has moved.
  bool Advance(Walker& stage) {
    bool has_moved = false;
    for (; !stage.is_done(); ++stage.entry, stage.command = 0) {
      for (; stage.command < stage.list().commands_size(); ++stage.command) {
        const plan::Command& command = stage.list().commands(stage.command);
        if (!stage.is_blocked) Count(stage, command);
        stage.is_blocked = !Passes(stage, command);
        if (stage.is_blocked) return has_moved;
        has_moved = true;
      }
    }
    return has_moved;
  }

  void Count(Walker& stage, const plan::Command& command) const {
    switch (command.kind_case()) {
      case plan::Command::kSendStart:
        ++stage.starts[command.send_start().channel()];
        break;
      case plan::Command::kReceiveStart:
        ++stage.starts[command.receive_start().channel()];
        break;
      case plan::Command::kSendWait:
        ++stage.waits[command.send_wait().channel()];
        break;
      case plan::Command::kReceiveWait:
        ++stage.waits[command.receive_wait().channel()];
        break;
      case plan::Command::kCollectiveStart:
        ++stage.meetings[command.collective_start().group()];
        break;
      default:
        break;
    }
  }

  bool Passes(const Walker& stage, const plan::Command& command) const {
    switch (command.kind_case()) {
      case plan::Command::kSendWait: {
        const uint32_t channel = command.send_wait().channel();
        const auto& other =
            stages_[plan_.channels(channel).destination_stage()];
        return other.starts[channel] >= stage.waits[channel];
      }
      case plan::Command::kReceiveWait: {
        const uint32_t channel = command.receive_wait().channel();
        const auto& other = stages_[plan_.channels(channel).source_stage()];
        return other.starts[channel] >= stage.waits[channel];
      }
      case plan::Command::kCollectiveStart: {
        const uint32_t group = command.collective_start().group();
        return !joins_stages_[group] ||
               std::all_of(
                   stages_.begin(), stages_.end(), [&](const Walker& other) {
                     return other.meetings[group] >= stage.meetings[group];
                   });
      }
      default:
        return true;
    }
  }

  std::string DescribeWait(const Walker& stage,
                           const plan::Command& command) const {
    const auto message = [&](const char* what, uint32_t channel) {
      return absl::StrFormat("%s message %d of channel \"%s\"", what,
                             stage.waits[channel],
                             plan_.channels(channel).name());
    };
    switch (command.kind_case()) {
      case plan::Command::kSendWait:
        return message("the receiver of", command.send_wait().channel());
      case plan::Command::kReceiveWait:
        return message("the sender of", command.receive_wait().channel());
      default:
        return absl::StrFormat(
            "all stages at collective %d of group #%d",
            stage.meetings[command.collective_start().group()],
            command.collective_start().group());
    }
  }

  absl::Status Describe() const {
    std::string text = "the stages of a step wait for each other for ever";
    for (const Walker& stage : stages_) {
      if (stage.is_done()) continue;
      const plan::Command& command = stage.list().commands(stage.command);
      absl::StrAppendFormat(&text,
                            "; roles[%d].schedule[%d]: list \"%s\": "
                            "commands[%d] \"%s\" waits for "
                            "%s",
                            stage.role.stage(), stage.entry,
                            stage.list().name(), stage.command,
                            command.location(), DescribeWait(stage, command));
    }
    return absl::InvalidArgumentError(text);
  }

  const plan::Plan& plan_;
  std::vector<Walker> stages_;
  /// By group.
  std::vector<bool> joins_stages_;
};

}  // namespace

absl::Status CheckProgress(const plan::Plan& plan) { return Walk(plan).Run(); }

}  // namespace mpc::runtime
