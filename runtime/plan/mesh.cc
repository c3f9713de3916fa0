#include "runtime/plan/mesh.h"

#include "absl/strings/str_cat.h"

namespace mpc::runtime {
namespace {

/// The ranks from one coordinate of `axis` to the next.
int64_t AxisStride(const plan::Mesh& mesh, int axis) {
  int64_t stride = 1;
  for (int i = axis + 1; i < mesh.axes_size(); ++i)
    stride *= mesh.axes(i).size();
  return stride;
}

int64_t Coordinate(const plan::Mesh& mesh, int axis, int64_t rank) {
  return rank / AxisStride(mesh, axis) % mesh.axes(axis).size();
}

/// The index of the axis `pp`, or −1.
int PipelineAxis(const plan::Mesh& mesh) {
  for (int i = 0; i < mesh.axes_size(); ++i)
    if (mesh.axes(i).name() == kPipelineAxis) return i;
  return -1;
}

absl::Span<const uint32_t> Axes(const plan::Group& group) {
  return {group.axes().data(), static_cast<size_t>(group.axes_size())};
}

}  // namespace

int64_t RankCount(const plan::Mesh& mesh) { return AxisStride(mesh, -1); }

std::vector<int64_t> CoordinatesOfRank(const plan::Mesh& mesh, int64_t rank) {
  std::vector<int64_t> coordinates(mesh.axes_size());
  for (int i = 0; i < mesh.axes_size(); ++i)
    coordinates[i] = Coordinate(mesh, i, rank);
  return coordinates;
}

int64_t RankOfCoordinates(const plan::Mesh& mesh,
                          absl::Span<const int64_t> coordinates) {
  int64_t rank = 0;
  for (int i = 0; i < mesh.axes_size(); ++i)
    rank = rank * mesh.axes(i).size() + coordinates[i];
  return rank;
}

std::string DescribeCoordinates(const plan::Mesh& mesh, int64_t rank) {
  std::string text;
  for (int i = 0; i < mesh.axes_size(); ++i)
    absl::StrAppend(&text, i ? " " : "", mesh.axes(i).name(), "=",
                    Coordinate(mesh, i, rank));
  return text;
}

int64_t BlockCount(const plan::Mesh& mesh, absl::Span<const uint32_t> axes) {
  int64_t count = 1;
  for (uint32_t axis : axes) count *= mesh.axes(axis).size();
  return count;
}

int64_t BlockIndex(const plan::Mesh& mesh, absl::Span<const uint32_t> axes,
                   int64_t rank) {
  int64_t index = 0;
  for (uint32_t axis : axes)
    index = index * mesh.axes(axis).size() + Coordinate(mesh, axis, rank);
  return index;
}

std::vector<int> GroupMembers(const plan::Mesh& mesh, const plan::Group& group,
                              int64_t rank) {
  // The member with coordinate 0 on the group's axes.
  int64_t first = rank;
  for (uint32_t axis : group.axes())
    first -= Coordinate(mesh, axis, rank) * AxisStride(mesh, axis);
  std::vector<int> members = {static_cast<int>(first)};
  for (uint32_t axis : group.axes()) {
    std::vector<int> longer;
    for (int member : members)
      for (int64_t i = 0; i < mesh.axes(axis).size(); ++i)
        longer.push_back(static_cast<int>(member + i * AxisStride(mesh, axis)));
    members = std::move(longer);
  }
  return members;
}

int64_t GroupSize(const plan::Mesh& mesh, const plan::Group& group) {
  return BlockCount(mesh, Axes(group));
}

int64_t GroupIndex(const plan::Mesh& mesh, const plan::Group& group,
                   int64_t rank) {
  return BlockIndex(mesh, Axes(group), rank);
}

int StageOfRank(const plan::Plan& plan, int64_t rank) {
  const int axis = PipelineAxis(plan.mesh());
  return axis < 0 ? 0 : static_cast<int>(Coordinate(plan.mesh(), axis, rank));
}

int RankOfStage(const plan::Mesh& mesh, int64_t rank, int64_t stage) {
  const int axis = PipelineAxis(mesh);
  if (axis < 0) return static_cast<int>(rank);
  const int64_t stages_away = stage - Coordinate(mesh, axis, rank);
  return static_cast<int>(rank + stages_away * AxisStride(mesh, axis));
}

int64_t StageCount(const plan::Mesh& mesh) {
  const int axis = PipelineAxis(mesh);
  return axis < 0 ? 1 : mesh.axes(axis).size();
}

}  // namespace mpc::runtime
