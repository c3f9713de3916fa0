#include "runtime/checker/microbatch_check.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "runtime/checker/place.h"

namespace mpc::runtime {
namespace {

/// Chunk and phase. Phases of a microbatch are in the order of their numbers.
using Passage = std::pair<uint32_t, plan::Phase>;

std::string Describe(const Passage& passage) {
  std::string phase = plan::Phase_Name(passage.second);
  phase = absl::AsciiStrToLower(phase.substr(sizeof("PHASE_") - 1));
  return absl::StrFormat("phase %s of chunk %d", phase, passage.first);
}

}  // namespace

bool IsOfMicrobatch(plan::Phase phase) {
  switch (phase) {
    case plan::PHASE_FORWARD:
    case plan::PHASE_BACKWARD:
    case plan::PHASE_FORWARD_BACKWARD:
    case plan::PHASE_WEIGHT:
      return true;
    default:
      return false;
  }
}

absl::Status CheckMicrobatches(const plan::Plan& plan, int role_index) {
  const plan::Role& role = plan.roles(role_index);
  const int64_t microbatches = plan.training().microbatches();
  /// The entry that runs each microbatch; -1: none so far.
  std::map<Passage, std::vector<int>> runs;
  for (const plan::CommandList& list : role.lists())
    if (IsOfMicrobatch(list.phase()))
      runs[{list.chunk(), list.phase()}].assign(microbatches, -1);
  for (int i = 0; i < role.schedule_size(); ++i) {
    const plan::ScheduleEntry& entry = role.schedule(i);
    const plan::CommandList& list = role.lists(entry.list());
    if (!IsOfMicrobatch(list.phase())) continue;
    const Passage own = {list.chunk(), list.phase()};
    int& run = runs[own][entry.microbatch()];
    if (run >= 0)
      return ErrorAt(
          plan, {role_index, i},
          absl::StrFormat("runs microbatch %d through %s, as schedule[%d] has",
                          entry.microbatch(), Describe(own), run));
    run = i;
    for (const auto& [other, entries] : runs)
      if (other.first == own.first && other.second > own.second &&
          entries[entry.microbatch()] >= 0)
        return ErrorAt(
            plan, {role_index, i},
            absl::StrFormat("runs microbatch %d through %s after %s in "
                            "schedule[%d]",
                            entry.microbatch(), Describe(own), Describe(other),
                            entries[entry.microbatch()]));
  }
  for (const auto& [passage, entries] : runs)
    for (int64_t m = 0; m < microbatches; ++m)
      if (entries[m] < 0)
        return ErrorAt(
            plan, {role_index},
            absl::StrFormat("no entry of the schedule runs microbatch %d "
                            "through %s",
                            m, Describe(passage)));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
