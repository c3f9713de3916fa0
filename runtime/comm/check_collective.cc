// Whether a collective makes sense, see communicator.h.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/comm/communicator.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

bool Reduces(plan::CollectiveKind kind) {
  return kind == plan::COLLECTIVE_KIND_ALL_REDUCE ||
         kind == plan::COLLECTIVE_KIND_REDUCE_SCATTER;
}

bool CutsSource(plan::CollectiveKind kind) {
  return kind == plan::COLLECTIVE_KIND_REDUCE_SCATTER ||
         kind == plan::COLLECTIVE_KIND_ALL_TO_ALL;
}

bool JoinsDestination(plan::CollectiveKind kind) {
  return kind == plan::COLLECTIVE_KIND_ALL_GATHER ||
         kind == plan::COLLECTIVE_KIND_ALL_TO_ALL;
}

absl::Status CheckTypes(const Collective& c) {
  const std::string name = plan::CollectiveKind_Name(c.kind);
  if (c.source.type != c.destination.type)
    return absl::InvalidArgumentError(
        absl::StrCat(name, " of ", DataTypeName(c.source.type), " into ",
                     DataTypeName(c.destination.type)));
  if (!Reduces(c.kind)) return absl::OkStatus();
  if (c.reduction == plan::REDUCTION_UNSPECIFIED)
    return absl::InvalidArgumentError(absl::StrCat(
        name, " without a reduction; legal: REDUCTION_SUM, REDUCTION_MAX"));
  return absl::OkStatus();
}

absl::Status CheckDimension(const char* which, int dimension,
                            const Tensor& tensor) {
  if (dimension >= 0 && dimension < static_cast<int>(tensor.sizes.size()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s dimension %d of a tensor of sizes %s", which,
                      dimension, DescribeSizes(tensor.sizes)));
}

}  // namespace

absl::Status CheckCollective(const Collective& c, int64_t group_size) {
  if (c.kind == plan::COLLECTIVE_KIND_UNSPECIFIED)
    return absl::InvalidArgumentError("a collective without a kind");
  MPC_RETURN_IF_ERROR(CheckTypes(c));
  std::vector<int64_t> expected(c.source.sizes.begin(), c.source.sizes.end());
  if (CutsSource(c.kind)) {
    MPC_RETURN_IF_ERROR(
        CheckDimension("source", c.source_dimension, c.source));
    int64_t& size = expected[c.source_dimension];
    if (size % group_size != 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: dimension %d of size %d does not divide among %d members",
          plan::CollectiveKind_Name(c.kind), c.source_dimension, size,
          group_size));
    size /= group_size;
  }
  if (JoinsDestination(c.kind)) {
    MPC_RETURN_IF_ERROR(
        CheckDimension("destination", c.destination_dimension, c.source));
    expected[c.destination_dimension] *= group_size;
  }
  if (c.destination.sizes != absl::MakeConstSpan(expected))
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s among %d members of sizes %s into %s; expected %s",
        plan::CollectiveKind_Name(c.kind), group_size,
        DescribeSizes(c.source.sizes), DescribeSizes(c.destination.sizes),
        DescribeSizes(expected)));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
