// Names come from the schema, so that a new enumerator needs nothing here.
#include "runtime/inspect/names.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace mpc::runtime {
namespace {

std::string Shorten(const std::string& name, const std::string& prefix) {
  const std::string lower = absl::AsciiStrToLower(name);
  return std::string(absl::StripPrefix(lower, prefix));
}

template <typename Axes>
std::string DescribeAxes(const plan::Mesh& mesh, const Axes& axes) {
  auto quote = [&](std::string* out, uint32_t axis) {
    absl::StrAppend(out, "\"", mesh.axes(axis).name(), "\"");
  };
  return absl::StrCat("{", absl::StrJoin(axes, ", ", quote), "}");
}

}  // namespace

std::string StateKindName(plan::StateKind kind) {
  return Shorten(plan::StateKind_Name(kind), "state_kind_");
}

std::string PhaseName(plan::Phase phase) {
  return Shorten(plan::Phase_Name(phase), "phase_");
}

std::string VariantName(plan::Variant variant) {
  return Shorten(plan::Variant_Name(variant), "variant_");
}

std::string CollectiveKindName(plan::CollectiveKind kind) {
  return Shorten(plan::CollectiveKind_Name(kind), "collective_kind_");
}

std::string ReductionName(plan::Reduction reduction) {
  if (reduction == plan::REDUCTION_UNSPECIFIED) return "";
  return Shorten(plan::Reduction_Name(reduction), "reduction_");
}

std::string DeviceKindName(plan::DeviceKind kind) {
  return Shorten(plan::DeviceKind_Name(kind), "device_kind_");
}

std::string CommandKindName(const plan::Command& command) {
  const auto* kind = command.GetDescriptor()->FindOneofByName("kind");
  const auto* field =
      command.GetReflection()->GetOneofFieldDescriptor(command, kind);
  return field == nullptr ? "" : std::string(field->name());
}

std::string DescribeMesh(const plan::Mesh& mesh) {
  if (mesh.axes().empty()) return "one rank";
  return absl::StrJoin(mesh.axes(), " ",
                       [](std::string* out, const plan::Mesh::Axis& axis) {
                         absl::StrAppend(out, axis.name(), "=", axis.size());
                       });
}

std::string DescribeSharding(const plan::Mesh& mesh,
                             const plan::Sharding& sharding) {
  std::vector<std::string> dimensions;
  for (const plan::Sharding::Dimension& dimension : sharding.dimensions())
    dimensions.push_back(DescribeAxes(mesh, dimension.axes()));
  std::string out = absl::StrCat("[", absl::StrJoin(dimensions, ", "), "]");
  if (!sharding.partial_axes().empty()) {
    absl::StrAppend(&out, " ", ReductionName(sharding.reduction()), " = ",
                    DescribeAxes(mesh, sharding.partial_axes()));
  }
  return out;
}

}  // namespace mpc::runtime
