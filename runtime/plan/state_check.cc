#include "runtime/plan/state_check.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

using google::protobuf::RepeatedField;

absl::Span<const int64_t> Span(const RepeatedField<int64_t>& sizes) {
  return {sizes.data(), static_cast<size_t>(sizes.size())};
}

absl::Status CheckSizes(const plan::State& state) {
  const auto global = Span(state.global_sizes());
  const auto logical = Span(state.logical_sizes());
  bool fits = global.size() == logical.size();
  for (size_t i = 0; fits && i < global.size(); ++i)
    fits = logical[i] >= 1 && logical[i] <= global[i];
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "logical sizes %s of global sizes %s; each must be from 1 to the global "
      "size",
      DescribeSizes(logical), DescribeSizes(global)));
}

/// Marks an axis as used.
absl::Status UseAxis(const plan::Mesh& mesh, uint32_t axis,
                     std::vector<bool>& used) {
  if (axis >= used.size())
    return absl::InvalidArgumentError(absl::StrFormat(
        "sharding over axis #%d, the mesh has %d", axis, used.size()));
  if (used[axis])
    return absl::InvalidArgumentError(absl::StrCat(
        "sharding over axis \"", mesh.axes(axis).name(), "\" twice"));
  used[axis] = true;
  return absl::OkStatus();
}

absl::Status CheckSharding(const plan::State& state, const plan::Mesh& mesh) {
  const plan::Sharding& sharding = state.sharding();
  if (sharding.dimensions_size() != state.global_sizes_size())
    return absl::InvalidArgumentError(absl::StrFormat(
        "sharding of %d dimensions, the state has %d",
        sharding.dimensions_size(), state.global_sizes_size()));
  std::vector<bool> used(mesh.axes_size(), false);
  for (int i = 0; i < sharding.dimensions_size(); ++i) {
    const auto& axes = sharding.dimensions(i).axes();
    for (uint32_t axis : axes) {
      MPC_RETURN_IF_ERROR(UseAxis(mesh, axis, used));
      if (mesh.axes(axis).name() == kPipelineAxis)
        return absl::InvalidArgumentError(absl::StrFormat(
            "dimension %d is split over \"%s\", which never splits a tensor", i,
            kPipelineAxis));
    }
    const int64_t blocks =
        BlockCount(mesh, {axes.data(), static_cast<size_t>(axes.size())});
    if (state.global_sizes(i) % blocks != 0)
      return absl::InvalidArgumentError(
          absl::StrFormat("dimension %d of size %d does not divide into %d "
                          "blocks",
                          i, state.global_sizes(i), blocks));
  }
  for (uint32_t axis : sharding.partial_axes())
    MPC_RETURN_IF_ERROR(UseAxis(mesh, axis, used));
  if (sharding.partial_axes().empty() !=
      (sharding.reduction() == plan::REDUCTION_UNSPECIFIED))
    return absl::InvalidArgumentError(absl::StrFormat(
        "sharding with %d partial axes and reduction %s",
        sharding.partial_axes_size(),
        plan::Reduction_Name(sharding.reduction())));
  return absl::OkStatus();
}

bool MayLieIn(plan::Region region, plan::StateKind kind) {
  switch (kind) {
    case plan::STATE_KIND_BATCH:
    case plan::STATE_KIND_INCOMING:
      return region != plan::REGION_TRANSIENT;
    case plan::STATE_KIND_STASH:
      return region == plan::REGION_SLOT;
    default:
      return region == plan::REGION_PERSISTENT;
  }
}

absl::Status CheckPlace(const plan::State& state, const plan::Mesh& mesh) {
  const plan::Slice& slice = state.slice();
  if (slice.type() != state.type())
    return absl::InvalidArgumentError(
        absl::StrCat("a state of ", DataTypeName(state.type()),
                     " in a slice of ", DataTypeName(slice.type())));
  const Box box = LocalBox(mesh, state, 0);
  if (Span(slice.sizes()) != absl::MakeConstSpan(box.sizes))
    return absl::InvalidArgumentError(
        absl::StrCat("slice of ", DescribeSizes(Span(slice.sizes())),
                     ", a rank's part is ", DescribeSizes(box.sizes)));
  if (!IsDense(slice))
    return absl::InvalidArgumentError(
        "slice with gaps between rows; a state is dense");
  if (!MayLieIn(slice.region(), state.kind()))
    return absl::InvalidArgumentError(
        absl::StrCat("a state of ", plan::StateKind_Name(state.kind()), " in ",
                     plan::Region_Name(slice.region())));
  const bool is_batch = state.kind() == plan::STATE_KIND_BATCH;
  if (is_batch == (state.batch_input() == plan::BATCH_INPUT_UNSPECIFIED))
    return absl::InvalidArgumentError(absl::StrCat(
        plan::BatchInput_Name(state.batch_input()), " for a state of ",
        plan::StateKind_Name(state.kind())));
  return absl::OkStatus();
}

absl::Status CheckInitial(const plan::State& state) {
  if (!state.has_initial()) return absl::OkStatus();
  const plan::Initial& initial = state.initial();
  if (state.type() != plan::DATA_TYPE_F32 && state.type() != plan::DATA_TYPE_I32)
    return absl::UnimplementedError(
        absl::StrCat("initial value of a state of ", DataTypeName(state.type()),
                     "; supported: f32, i32"));
  if (initial.has_normal() && state.type() != plan::DATA_TYPE_F32)
    return absl::InvalidArgumentError(
        absl::StrCat("normal initial values of a state of ",
                     DataTypeName(state.type()), "; expected f32"));
  if (!state.sharding().partial_axes().empty() &&
      !(initial.kind_case() == plan::Initial::kConstant &&
        initial.constant() == 0))
    return absl::InvalidArgumentError(
        "initial value of a state with partial axes; expected the constant 0");
  return absl::OkStatus();
}

bool IsScalarKind(plan::StateKind kind) {
  return kind == plan::STATE_KIND_INPUT_SCALAR ||
         kind == plan::STATE_KIND_COUNTER || kind == plan::STATE_KIND_METRIC;
}

}  // namespace

absl::Status CheckState(const plan::State& state, const plan::Mesh& mesh) {
  if (state.name().empty())
    return absl::InvalidArgumentError("a state without a name");
  MPC_RETURN_IF_ERROR(CheckSizes(state));
  MPC_RETURN_IF_ERROR(CheckSharding(state, mesh));
  MPC_RETURN_IF_ERROR(CheckPlace(state, mesh));
  MPC_RETURN_IF_ERROR(CheckInitial(state));
  if (IsScalarKind(state.kind()) &&
      ElementCount(Span(state.global_sizes())) != 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "sizes ", DescribeSizes(Span(state.global_sizes())), " of a state of ",
        plan::StateKind_Name(state.kind()), "; expected one element"));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
