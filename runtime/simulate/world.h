// Who takes part in which transfer: the ranks that are simulated, and the
// instances of groups and channels among them.
#ifndef MPC_RUNTIME_SIMULATE_WORLD_H_
#define MPC_RUNTIME_SIMULATE_WORLD_H_

#include <cstdint>
#include <vector>

#include "cluster/pricing.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// With `fold`, simulated rank i is a rank of stage i that stands for the
/// others: groups within the stage have one member, groups over stages one a
/// stage.
class SimulatedWorld {
 public:
  /// `plan` and `pricing` must outlive it.
  SimulatedWorld(const plan::Plan& plan, const cluster::Pricing& pricing,
                 bool fold);

  int size() const { return static_cast<int>(stages_.size()); }
  int StageOf(int rank) const { return stages_[rank]; }

  /// The members, in numbers of simulated ranks, of the rank's own group. The
  /// first one names the instance.
  const std::vector<int>& Members(uint32_t group, int rank) const {
    return members_[group][rank];
  }

  /// Simulated rank at the other end of a channel, of the rank at either end.
  int PeerOf(const plan::Channel& channel, int rank) const;

  /// Of a message from the simulated rank.
  cluster::TransferParts MessageParts(const plan::Channel& channel, int rank,
                                      int64_t bytes) const;

 private:
  const plan::Plan& plan_;
  const cluster::Pricing& pricing_;
  const bool fold_;
  std::vector<int> stages_;
  std::vector<std::vector<std::vector<int>>> members_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_WORLD_H_
