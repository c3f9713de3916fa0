#include "runtime/comm/mpi/group_header.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_format.h"

namespace mpc::runtime {
namespace {

/// FNV-1a of the ranks.
uint64_t DigestOf(absl::Span<const int> members) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const int member : members)
    digest = (digest ^ static_cast<uint64_t>(member)) * 0x100000001b3;
  return digest;
}

}  // namespace

absl::StatusOr<GroupHeader> HeaderOf(const Posted& posted,
                                     absl::Span<const int> members) {
  GroupHeader header;
  header.kind = static_cast<int32_t>(posted.kind());
  header.root = posted.root();
  header.members = DigestOf(members);
  header.bytes = static_cast<int64_t>(posted.bytes().size());
  if (posted.kind() != Posted::Kind::kCollective) return header;
  const Collective& c = posted.collective();
  header.collective = c.kind;
  header.reduction = c.reduction;
  header.source_dimension = c.source_dimension;
  header.destination_dimension = c.destination_dimension;
  header.type = c.source.type;
  header.source_dimensions = static_cast<int32_t>(c.source.sizes.size());
  header.destination_dimensions =
      static_cast<int32_t>(c.destination.sizes.size());
  for (const auto& sizes : {c.source.sizes, c.destination.sizes})
    if (sizes.size() > GroupHeader::kMaxDimensions)
      return absl::UnimplementedError(absl::StrFormat(
          "a collective of a tensor of %d dimensions; supported: up to %d",
          sizes.size(), GroupHeader::kMaxDimensions));
  std::copy(c.source.sizes.begin(), c.source.sizes.end(), header.source_sizes);
  std::copy(c.destination.sizes.begin(), c.destination.sizes.end(),
            header.destination_sizes);
  return header;
}

bool Agree(const GroupHeader& a, const GroupHeader& b) {
  return std::memcmp(&a, &b, offsetof(GroupHeader, bytes)) == 0;
}

std::string Describe(const GroupHeader& header) {
  Posted posted;
  const auto kind = static_cast<Posted::Kind>(header.kind);
  if (kind != Posted::Kind::kCollective) {
    posted.SetOther(kind, "", header.root);
    return Describe(posted);
  }
  Collective c;
  c.kind = static_cast<plan::CollectiveKind>(header.collective);
  c.reduction = static_cast<plan::Reduction>(header.reduction);
  c.source_dimension = header.source_dimension;
  c.destination_dimension = header.destination_dimension;
  c.source.type = c.destination.type = static_cast<plan::DataType>(header.type);
  c.source.sizes =
      absl::MakeConstSpan(header.source_sizes).first(header.source_dimensions);
  c.destination.sizes = absl::MakeConstSpan(header.destination_sizes)
                            .first(header.destination_dimensions);
  posted.SetCollective(c);
  return Describe(posted);
}

}  // namespace mpc::runtime
