#include "runtime/comm/posted.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

std::string Describe(const Collective& c) {
  std::string text = plan::CollectiveKind_Name(c.kind);
  if (c.reduction != plan::REDUCTION_UNSPECIFIED)
    absl::StrAppend(&text, " ", plan::Reduction_Name(c.reduction));
  absl::StrAppendFormat(&text, " of %s %s into %s, dimensions %d and %d",
                        DataTypeName(c.source.type),
                        DescribeSizes(c.source.sizes),
                        DescribeSizes(c.destination.sizes), c.source_dimension,
                        c.destination_dimension);
  return text;
}

bool Agree(const Collective& a, const Collective& b) {
  return a.kind == b.kind && a.reduction == b.reduction &&
         a.source_dimension == b.source_dimension &&
         a.destination_dimension == b.destination_dimension &&
         a.source.type == b.source.type && a.source.sizes == b.source.sizes &&
         a.destination.sizes == b.destination.sizes;
}

}  // namespace

void Posted::SetCollective(const Collective& collective) {
  kind_ = Kind::kCollective;
  root_ = 0;
  collective_ = collective;
  source_sizes_.assign(collective.source.sizes.begin(),
                       collective.source.sizes.end());
  destination_sizes_.assign(collective.destination.sizes.begin(),
                            collective.destination.sizes.end());
  collective_.source.sizes = source_sizes_;
  collective_.destination.sizes = destination_sizes_;
}

void Posted::SetOther(Kind kind, absl::string_view bytes, int root) {
  kind_ = kind;
  bytes_.assign(bytes.data(), bytes.size());
  root_ = root;
}

bool Agree(const Posted& a, const Posted& b) {
  return a.kind() == b.kind() && a.root() == b.root() &&
         (a.kind() != Posted::Kind::kCollective ||
          Agree(a.collective(), b.collective()));
}

std::string Describe(const Posted& posted) {
  switch (posted.kind()) {
    case Posted::Kind::kCollective:
      return Describe(posted.collective());
    case Posted::Kind::kBarrier:
      return "a barrier";
    case Posted::Kind::kBroadcast:
      return absl::StrCat("a broadcast from rank ", posted.root());
    case Posted::Kind::kGather:
      return absl::StrCat("a gather to rank ", posted.root());
  }
  return "nothing";
}

}  // namespace mpc::runtime
