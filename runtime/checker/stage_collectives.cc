#include "runtime/checker/stage_collectives.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

std::string Describe(const plan::Slice& slice) {
  return absl::StrCat(DataTypeName(slice.type()), " ",
                      DescribeSizes({slice.sizes().data(),
                                     static_cast<size_t>(slice.sizes_size())}));
}

/// All that members must agree on.
std::string Describe(const plan::CollectiveStartCommand& start) {
  return absl::StrFormat(
      "%s %s of %s to %s, dimensions %d to %d, over group #%d",
      plan::CollectiveKind_Name(start.kind()),
      plan::Reduction_Name(start.reduction()), Describe(start.source()),
      Describe(start.destination()), start.source_dimension(),
      start.destination_dimension(), start.group());
}

}  // namespace

StageCollectives::StageCollectives(const plan::Plan& plan)
    : plan_(plan), started_(plan.roles_size()) {
  for (const plan::Group& group : plan.groups())
    joins_stages_.push_back(std::any_of(
        group.axes().begin(), group.axes().end(), [&](uint32_t axis) {
          return plan.mesh().axes(axis).name() == kPipelineAxis;
        }));
}

absl::Status StageCollectives::Start(
    const Place& place, const plan::CollectiveStartCommand& start) {
  auto& own = started_[place.role];
  const size_t index = own.size();
  own.push_back({place, &start});
  const std::string text = Describe(start);
  for (const auto& stage : started_) {
    if (stage.size() <= index) continue;
    const std::string other = Describe(*stage[index].start);
    if (other == text) continue;
    return ErrorAt(plan_, place,
                   absl::StrCat("starts ", text, " as collective ", index,
                                " over stages, for which ",
                                runtime::Describe(plan_, stage[index].place),
                                " starts ", other));
  }
  return absl::OkStatus();
}

bool StageCollectives::IsStarted(size_t index) const {
  return std::all_of(started_.begin(), started_.end(),
                     [&](const auto& stage) { return stage.size() > index; });
}

}  // namespace mpc::runtime
