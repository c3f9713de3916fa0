// Seconds of work on a cluster: the one price list of planner and simulator.
#ifndef MPC_CLUSTER_PRICING_H_
#define MPC_CLUSTER_PRICING_H_

#include <cstdint>

#include "cluster/cluster.pb.h"
#include "cluster/work.h"

namespace mpc::cluster {

/// Prices of a valid cluster. Immutable, so any number of threads may ask it.
class Pricing {
 public:
  explicit Pricing(const Cluster& cluster);

  /// Of one command on a device that does nothing else. A product or attention takes
  /// flops / (peak · efficiency); traffic the longer of bytes / (bandwidth ·
  /// efficiency) and operations / operations_per_second (the roofline of Williams
  /// et al. 2009). Each adds launch_seconds.
  double Seconds(const Work& work) const;

  /// Of one collective when nothing else uses its links: α + β·bytes, a ring in
  /// each level of the hierarchy that the group spans (all_reduce moves
  /// 2·(n−1)/n of the bytes, all_gather and reduce_scatter (n−1)/n).
  double Seconds(const Transfer& transfer) const;

  /// Of one message between two devices that are `distance` apart.
  double MessageSeconds(int64_t bytes, int64_t source, int64_t destination) const;

  /// The outermost level of links that a group, or two devices, need; an index into
  /// Cluster.links.
  int LevelOf(const Group& group) const;
  int LevelOf(int64_t source, int64_t destination) const;

  /// memory_bytes − reserved_bytes.
  uint64_t usable_bytes() const;
  bool overlaps_transfers() const;

 private:
  Cluster cluster_;
};

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_PRICING_H_
