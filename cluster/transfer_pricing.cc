// Prices of communication.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cluster/curve.h"
#include "cluster/pricing.h"

namespace mpc::cluster {
namespace {

/// How a group lies in one level of links.
struct LevelShare {
  /// Parts of the level within that hold members; those exchange through the
  /// level.
  double parts = 1;
  /// Members in each of these parts.
  double members = 1;
};

/// Parts of `devices` devices that a group lies in. Members of a group of
/// several axes are taken to lie evenly in what they span.
int64_t PartsOf(const Group& group, int64_t devices) {
  const int64_t span = std::max(group.span, group.size);
  return std::min(group.size, (span + devices - 1) / devices);
}

/// The level's number of devices; 0 of the outermost means all.
int64_t DevicesOf(const Cluster& cluster, int level) {
  const int64_t devices = cluster.links(level).devices();
  return devices == 0 ? std::max<int64_t>(cluster.devices(), 1) : devices;
}

std::vector<LevelShare> SharesOf(const Cluster& cluster, const Group& group,
                                 int outermost) {
  std::vector<LevelShare> shares;
  double inner_parts = static_cast<double>(group.size);
  for (int level = 0; level <= outermost; ++level) {
    const double parts =
        level == outermost
            ? 1
            : static_cast<double>(PartsOf(group, DevicesOf(cluster, level)));
    shares.push_back({inner_parts / parts, group.size / inner_parts});
    inner_parts = parts;
  }
  return shares;
}

/// Hops of a collective through a level of several parts.
double HopsOf(CollectiveKind kind, double parts) {
  if (parts <= 1) return 0;
  if (kind == CollectiveKind::kAllReduce)
    return 2 * std::min(parts - 1, std::ceil(std::log2(parts)));
  return parts - 1;
}

}  // namespace

int Pricing::LevelOf(const Group& group) const {
  const int last = cluster_.links_size() - 1;
  for (int level = 0; level < last; ++level)
    if (PartsOf(group, DevicesOf(cluster_, level)) == 1) return level;
  return last;
}

int Pricing::LevelOf(int64_t source, int64_t destination) const {
  const int last = cluster_.links_size() - 1;
  for (int level = 0; level < last; ++level) {
    const int64_t devices = DevicesOf(cluster_, level);
    if (source / devices == destination / devices) return level;
  }
  return last;
}

TransferParts Pricing::Parts(const Transfer& transfer) const {
  TransferParts parts;
  const Group& group = transfer.group;
  if (group.size <= 1) return parts;
  const int outermost = LevelOf(group);
  const auto size = static_cast<double>(group.size);
  const auto bytes = static_cast<double>(transfer.bytes);
  parts.latency = cluster_.links(outermost).start_seconds();
  parts.level_seconds.resize(outermost + 1);
  const std::vector<LevelShare> shares = SharesOf(cluster_, group, outermost);
  for (int level = 0; level <= outermost; ++level) {
    const LevelShare& share = shares[level];
    if (share.parts <= 1) continue;
    const Link& link = cluster_.links(level);
    parts.latency +=
        HopsOf(transfer.kind, share.parts) * link.latency_seconds();
    if (bytes <= 0) continue;
    // What passes one device's link of this level.
    double moved = bytes / size * (size - 1) / share.members;
    if (transfer.kind == CollectiveKind::kAllReduce) moved *= 2;
    if (transfer.kind == CollectiveKind::kAllToAll)
      moved = bytes / size * share.members * (share.parts - 1);
    parts.level_seconds[level] =
        moved /
        (link.bytes_per_second() * ValueAt(link.efficiency(), bytes, 1) *
         ValueAt(link.group_efficiency(), share.parts, 1));
  }
  return parts;
}

double Pricing::MessageBandwidth(int level, int64_t users) const {
  const Link& link = cluster_.links(level);
  const int64_t sharing = std::max<int64_t>(link.sharing(), 1);
  return link.bytes_per_second() * sharing /
         std::min(sharing, std::max<int64_t>(users, 1));
}

TransferParts Pricing::MessageParts(int64_t bytes, int64_t source,
                                    int64_t destination) const {
  TransferParts parts;
  if (source == destination) return parts;
  const int level = LevelOf(source, destination);
  const Link& link = cluster_.links(level);
  parts.latency = link.latency_seconds();
  parts.level_seconds.resize(level + 1);
  if (bytes <= 0) return parts;
  const auto size = static_cast<double>(bytes);
  const double efficiency = ValueAt(link.message_efficiency(), size,
                                    ValueAt(link.efficiency(), size, 1));
  parts.level_seconds[level] =
      size /
      (MessageBandwidth(level, std::abs(destination - source)) * efficiency);
  return parts;
}

}  // namespace mpc::cluster
