#include "runtime/checker/place.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

int64_t FirstRankOfStage(const plan::Mesh& mesh, int64_t stage) {
  std::vector<int64_t> coordinates;
  for (const auto& axis : mesh.axes())
    coordinates.push_back(axis.name() == kPipelineAxis ? stage : 0);
  return RankOfCoordinates(mesh, coordinates);
}

}  // namespace

std::string Describe(const plan::Plan& plan, const Place& place) {
  const plan::Role& role = plan.roles(place.role);
  std::string text =
      absl::StrCat("rank ", FirstRankOfStage(plan.mesh(), place.role));
  int list = place.list;
  if (place.entry >= 0) {
    const plan::ScheduleEntry& entry = role.schedule(place.entry);
    list = entry.list();
    absl::StrAppendFormat(&text, ": schedule[%d] (microbatch %d, slot %d)",
                          place.entry, entry.microbatch(), entry.slot());
  }
  if (list < 0) return text;
  absl::StrAppendFormat(&text, ": list \"%s\"", role.lists(list).name());
  if (place.command >= 0)
    absl::StrAppendFormat(&text, ": commands[%d] \"%s\"", place.command,
                          role.lists(list).commands(place.command).location());
  return text;
}

absl::Status ErrorAt(const plan::Plan& plan, const Place& place,
                     absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(Describe(plan, place), ": ", what));
}

}  // namespace mpc::runtime
