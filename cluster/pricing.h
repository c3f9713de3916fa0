// Seconds of work on a cluster: the one price list of planner and simulator.
#ifndef MPC_CLUSTER_PRICING_H_
#define MPC_CLUSTER_PRICING_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cluster/cluster.pb.h"
#include "cluster/work.h"

namespace mpc::cluster {

/// What a transfer takes, in parts: the time of its levels runs side by side.
struct TransferParts {
  double latency = 0;
  /// By level of links, the time that a device's link of this level is in use;
  /// 0 where the transfer does not pass it.
  std::vector<double> level_seconds;

  /// Of the slowest level.
  double slowest() const {
    return level_seconds.empty()
               ? 0
               : *std::max_element(level_seconds.begin(), level_seconds.end());
  }
  double total() const { return latency + slowest(); }
};

/// Prices of a valid cluster. Immutable, so any number of threads may ask it.
class Pricing {
 public:
  explicit Pricing(const Cluster& cluster);

  /// Of one command on a device that does nothing else: the longer of computing
  /// and moving its operands (the roofline of Williams et al. 2009), and
  /// launch_seconds. A product or attention computes for flops / (peak ·
  /// efficiency), a kernel for operations / operations_per_second; each moves
  /// for bytes / (bandwidth · efficiency), attention its inputs and outputs
  /// only.
  double Seconds(const Work& work) const;

  /// Of one collective while the groups beside it, which hold the other
  /// devices, do the same: in a program in which all ranks do the same no group
  /// is alone.
  ///
  /// NCCL's rings: start + hops·latency + the time of the slowest level, since
  /// a ring is a pipeline. Each of n members passes f·(n−1)/n·bytes on (f is 2
  /// of an all_reduce, 1 of all_gather and reduce_scatter); into a level the k
  /// members within one part of it bring k links. An all_reduce passes each
  /// level of several parts in 2·min(parts − 1, ⌈log2 parts⌉) hops (a tree
  /// where that is shorter), the others in (parts − 1). An all_to_all sends
  /// (n−1)/n of the bytes, to each level what goes out of the part within.
  double Seconds(const Transfer& transfer) const {
    return Parts(transfer).total();
  }
  TransferParts Parts(const Transfer& transfer) const;

  /// Of one message between two devices while those beside them, as many as lie
  /// between the two, send likewise.
  double MessageSeconds(int64_t bytes, int64_t source,
                        int64_t destination) const {
    return MessageParts(bytes, source, destination).total();
  }
  TransferParts MessageParts(int64_t bytes, int64_t source,
                             int64_t destination) const;

  /// The outermost level of links that a group, or two devices, need; an index
  /// into Cluster.links.
  int LevelOf(const Group& group) const;
  int LevelOf(int64_t source, int64_t destination) const;

  /// The bandwidth of the level, in bytes a second, that a message of a device
  /// has when `users` neighbours send at the same time.
  double MessageBandwidth(int level, int64_t users) const;

  /// memory_bytes − reserved_bytes.
  uint64_t usable_bytes() const {
    return cluster_.device().memory_bytes() -
           cluster_.device().reserved_bytes();
  }
  bool overlaps_transfers() const {
    return cluster_.device().overlaps_transfers();
  }
  const Cluster& cluster() const { return cluster_; }

  /// Operations a second at the peak of a type.
  double PeakFlops(ElementType type) const;

 private:
  Cluster cluster_;
};

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_PRICING_H_
