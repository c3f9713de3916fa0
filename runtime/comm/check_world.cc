#include "runtime/comm/check_world.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace mpc::runtime {

std::vector<int> AllRanks(int size) {
  std::vector<int> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

absl::StatusOr<int> IndexInGroup(absl::Span<const int> members,
                                 const World& world) {
  std::vector<int> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end());
  const auto self = std::find(members.begin(), members.end(), world.rank());
  if (self == members.end() || sorted.front() < 0 ||
      sorted.back() >= world.size() ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return absl::InvalidArgumentError(absl::StrFormat(
        "a group of ranks %s; expected different ones below %d, with rank %d",
        absl::StrJoin(members, " "), world.size(), world.rank()));
  return static_cast<int>(self - members.begin());
}

absl::Status CheckChannel(const ChannelId& id, const World& world) {
  const int lower = std::min(id.source, id.destination);
  const int higher = std::max(id.source, id.destination);
  if (lower >= 0 && higher < world.size() && lower != higher &&
      (lower == world.rank() || higher == world.rank()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "channel \"%s\" from rank %d to rank %d; expected different ones below "
      "%d, one of them rank %d",
      id.name, id.source, id.destination, world.size(), world.rank()));
}

absl::Status CheckRoot(int root, const World& world) {
  if (root >= 0 && root < world.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("root %d of %d ranks", root, world.size()));
}

}  // namespace mpc::runtime
