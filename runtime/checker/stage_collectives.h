// The collectives that stages enter together.
#ifndef MPC_RUNTIME_CHECKER_STAGE_COLLECTIVES_H_
#define MPC_RUNTIME_CHECKER_STAGE_COLLECTIVES_H_

#include <vector>

#include "absl/status/status.h"
#include "runtime/checker/place.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Follows the collectives over groups that hold the axis `pp`. All stages are
/// members of each, so they start all of them in one order. Those of other
/// groups have members of one role only, which run the same commands.
class StageCollectives {
 public:
  explicit StageCollectives(const plan::Plan& plan);

  bool JoinsStages(uint32_t group) const { return joins_stages_[group]; }

  /// An error if another stage has started something else in its turn.
  absl::Status Start(const Place& place,
                     const plan::CollectiveStartCommand& start);

  /// How many the stage has started in this step.
  size_t Started(int role) const { return started_[role].size(); }

  /// Whether all stages have started collective `index` of the step.
  bool IsStarted(size_t index) const;

 private:
  struct Entry {
    Place place;
    const plan::CollectiveStartCommand* start;
  };

  const plan::Plan& plan_;
  /// By group.
  std::vector<bool> joins_stages_;
  /// By stage.
  std::vector<std::vector<Entry>> started_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_STAGE_COLLECTIVES_H_
