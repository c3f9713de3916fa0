#include "runtime/checker/update_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/checker/byte_map.h"
#include "runtime/checker/place.h"
#include "runtime/checker/state_uses.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

const std::vector<plan::StateKind> kUpdated = {plan::STATE_KIND_MASTER,
                                               plan::STATE_KIND_MOMENT1,
                                               plan::STATE_KIND_MOMENT2};

std::string NameOf(const plan::State& state) {
  const std::string kind = plan::StateKind_Name(state.kind());
  return absl::StrCat(
      absl::AsciiStrToLower(kind.substr(sizeof("STATE_KIND_") - 1)), " \"",
      state.name(), "\"");
}

/// A run of bytes that a list writes, part of a state.
struct Update {
  int state;
  int command;
  uint64_t begin, end;
};

/// The writes of a list to bytes of `states`.
std::vector<Update> FindUpdates(const RangeTable<int>& states,
                                const plan::Role& role,
                                const std::vector<std::vector<Access>>& list) {
  std::vector<Update> updates;
  for (size_t command = 0; command < list.size(); ++command)
    for (const Access& access : list[command]) {
      if (!access.writes || access.region != plan::REGION_PERSISTENT) continue;
      states.ForEachOverlap(Memory::kPersistent, access.range, [&](int state) {
        const ByteRange whole = RangeOf(role.states(state).slice());
        ForEachRow(access.range, [&](uint64_t begin, uint64_t end) {
          begin = std::max(begin, whole.begin);
          end = std::min(end, whole.end);
          if (begin < end)
            updates.push_back({state, static_cast<int>(command), begin, end});
        });
      });
    }
  return updates;
}

class UpdateWalk {
 public:
  UpdateWalk(const plan::Plan& plan, int role, const RoleAccesses& accesses)
      : plan_(plan), role_(plan.roles(role)), place_{role} {
    RangeTable<int> states;
    for (int i = 0; i < role_.states_size(); ++i)
      if (std::find(kUpdated.begin(), kUpdated.end(), role_.states(i).kind()) !=
          kUpdated.end()) {
        updated_.push_back(i);
        states.Add(Memory::kPersistent, RangeOf(role_.states(i).slice()), i);
      }
    for (const auto& list : accesses)
      updates_.push_back(FindUpdates(states, role_, list));
  }

  absl::Status Run() {
    for (int i = 0; i < role_.schedule_size(); ++i) {
      place_.entry = i;
      for (const Update& update : updates_[role_.schedule(i).list()]) {
        place_.command = update.command;
        MPC_RETURN_IF_ERROR(Write(update));
      }
    }
    for (int state : updated_) MPC_RETURN_IF_ERROR(CheckComplete(state));
    return absl::OkStatus();
  }

 private:
  absl::Status Write(const Update& update) {
    const std::string name = NameOf(role_.states(update.state));
    const plan::Phase phase =
        role_.lists(role_.schedule(place_.entry).list()).phase();
    if (phase != plan::PHASE_UPDATE)
      return ErrorAt(
          plan_, place_,
          absl::StrCat("writes ", name, " in ", plan::Phase_Name(phase),
                       "; expected PHASE_UPDATE"));
    absl::Status status;
    writers_.ForEachPiece(update.begin, update.end,
                          [&](uint64_t, uint64_t, const Place* earlier) {
                            if (!earlier || !status.ok()) return;
                            status = ErrorAt(
                                plan_, place_,
                                absl::StrCat("updates ", name, " again after ",
                                             Describe(plan_, *earlier)));
                          });
    MPC_RETURN_IF_ERROR(status);
    writers_.Set(update.begin, update.end, place_);
    return absl::OkStatus();
  }

  absl::Status CheckComplete(int index) const {
    const plan::State& state = role_.states(index);
    bool is_complete = true;
    ForEachRow(RangeOf(state.slice()), [&](uint64_t begin, uint64_t end) {
      writers_.ForEachPiece(begin, end,
                            [&](uint64_t, uint64_t, const Place* writer) {
                              is_complete = is_complete && writer;
                            });
    });
    if (is_complete) return absl::OkStatus();
    return ErrorAt(plan_, {place_.role},
                   absl::StrCat("no list of the schedule updates ",
                                NameOf(state), ", or not the whole of it"));
  }

  const plan::Plan& plan_;
  const plan::Role& role_;
  Place place_;
  /// States.
  std::vector<int> updated_;
  /// By list.
  std::vector<std::vector<Update>> updates_;
  /// What has written each byte of the persistent region in this step.
  ByteMap<Place> writers_;
};

}  // namespace

absl::Status CheckUpdates(const plan::Plan& plan, int role,
                          const RoleAccesses& accesses) {
  return UpdateWalk(plan, role, accesses).Run();
}

}  // namespace mpc::runtime
