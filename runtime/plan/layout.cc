#include "runtime/plan/layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

absl::Span<const int64_t> Sizes(const plan::Slice& slice) {
  return {slice.sizes().data(), static_cast<size_t>(slice.sizes_size())};
}

absl::Span<const uint32_t> Axes(const plan::Sharding::Dimension& dimension) {
  return {dimension.axes().data(), static_cast<size_t>(dimension.axes_size())};
}

}  // namespace

int64_t DataTypeBytes(plan::DataType type) {
  switch (type) {
    case plan::DATA_TYPE_F32:
    case plan::DATA_TYPE_I32:
      return 4;
    case plan::DATA_TYPE_BF16:
    case plan::DATA_TYPE_F16:
      return 2;
    default:
      return 0;
  }
}

std::string DataTypeName(plan::DataType type) {
  switch (type) {
    case plan::DATA_TYPE_F32:
      return "f32";
    case plan::DATA_TYPE_BF16:
      return "bf16";
    case plan::DATA_TYPE_F16:
      return "f16";
    case plan::DATA_TYPE_I32:
      return "i32";
    default:
      return absl::StrCat("type ", static_cast<int>(type));
  }
}

int64_t ElementCount(absl::Span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

bool IsDense(const plan::Slice& slice) {
  return slice.row_stride() == 0 || slice.sizes_size() == 0 ||
         slice.row_stride() == slice.sizes(slice.sizes_size() - 1);
}

int64_t SpanBytes(const plan::Slice& slice) {
  const int64_t count = ElementCount(Sizes(slice));
  if (count == 0 || IsDense(slice)) return count * DataTypeBytes(slice.type());
  const int64_t row = slice.sizes(slice.sizes_size() - 1);
  return ((count / row - 1) * slice.row_stride() + row) *
         DataTypeBytes(slice.type());
}

Box LocalBox(const plan::Mesh& mesh, const plan::State& state, int64_t rank) {
  Box box;
  for (int i = 0; i < state.global_sizes_size(); ++i) {
    const auto axes = Axes(state.sharding().dimensions(i));
    const int64_t size = state.global_sizes(i) / BlockCount(mesh, axes);
    box.offsets.push_back(BlockIndex(mesh, axes, rank) * size);
    box.sizes.push_back(size);
  }
  return box;
}

Box ClipToLogical(const Box& box, absl::Span<const int64_t> logical_sizes) {
  Box clipped = box;
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    const int64_t end = std::min(box.offsets[i] + box.sizes[i],
                                 logical_sizes[i]);
    clipped.sizes[i] = std::max<int64_t>(0, end - box.offsets[i]);
  }
  return clipped;
}

bool IsFirstReplica(const plan::Mesh& mesh, const plan::State& state,
                    int64_t rank) {
  // Ranks of other stages hold other states: the pipeline axis does not count.
  const std::vector<int64_t> coordinates = CoordinatesOfRank(mesh, rank);
  std::vector<bool> splits(mesh.axes_size(), false);
  for (const auto& dimension : state.sharding().dimensions())
    for (uint32_t axis : dimension.axes()) splits[axis] = true;
  for (int axis = 0; axis < mesh.axes_size(); ++axis)
    if (coordinates[axis] != 0 && !splits[axis] &&
        mesh.axes(axis).name() != kPipelineAxis)
      return false;
  return true;
}

std::string DescribeSizes(absl::Span<const int64_t> sizes) {
  return absl::StrCat("[", absl::StrJoin(sizes, ", "), "]");
}

}  // namespace mpc::runtime
