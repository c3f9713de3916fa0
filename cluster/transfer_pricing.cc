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

double Pricing::Seconds(const Transfer& transfer) const {
  const Group& group = transfer.group;
  if (group.size <= 1) return 0;
  const int outermost = LevelOf(group);
  const double size = static_cast<double>(group.size);
  const double bytes = static_cast<double>(transfer.bytes);
  const double start = cluster_.links(outermost).start_seconds();
  double latency = 0, slowest = 0;
  double within = 1;  // Members of the part that a level joins to others.
  const std::vector<LevelShare> shares = SharesOf(cluster_, group, outermost);
  for (int level = 0; level <= outermost; ++level) {
    const LevelShare& share = shares[level];
    if (share.parts <= 1) continue;
    const Link& link = cluster_.links(level);
    within = share.members;
    // What passes one device's link of this level.
    double moved = bytes / size * (size - 1);
    if (transfer.kind == CollectiveKind::kAllReduce) moved *= 2;
    if (transfer.kind == CollectiveKind::kAllToAll)
      moved = bytes / size * (std::min(size, within * share.parts) - within);
    else
      moved /= within;
    latency += HopsOf(transfer.kind, share.parts) * link.latency_seconds();
    if (bytes > 0)
      slowest = std::max(
          slowest, moved / (link.bytes_per_second() *
                            ValueAt(link.efficiency(), bytes, 1) *
                            ValueAt(link.group_efficiency(), share.parts, 1)));
  }
  return start + latency + slowest;
}

double Pricing::MessageBandwidth(int level, int64_t users) const {
  const Link& link = cluster_.links(level);
  const int64_t sharing = std::max<int64_t>(link.sharing(), 1);
  return link.bytes_per_second() * sharing /
         std::min(sharing, std::max<int64_t>(users, 1));
}

double Pricing::MessageSeconds(int64_t bytes, int64_t source,
                               int64_t destination) const {
  if (source == destination) return 0;
  const int level = LevelOf(source, destination);
  const Link& link = cluster_.links(level);
  const int64_t users = std::abs(destination - source);
  if (bytes <= 0) return link.latency_seconds();
  const double size = static_cast<double>(bytes);
  const double efficiency = ValueAt(link.message_efficiency(), size,
                                    ValueAt(link.efficiency(), size, 1));
  return link.latency_seconds() +
         size / (MessageBandwidth(level, users) * efficiency);
}

}  // namespace mpc::cluster
