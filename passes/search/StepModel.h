//===- StepModel.h - time and memory of a training step ---------*- C++ -*-===//
//
// What one strategy costs, from the costs of the parts of a model. No MLIR, and no
// choice: the search asks.
//
// With t(s) the seconds that stage s computes a microbatch, forward and backward, m
// microbatches, p stages and v chunks a stage, a step takes
//
//   gpipe, 1f1b   (m − 1) max t + Σ t            (Huang et al. 2019, Narayanan et al. 2021)
//   interleaved   (m − 1/v) max t + Σ t / v      (Narayanan et al. 2021, section 2.2)
//   zero-bubble   m max t + (1 − 1/p) Σ (t − 2 w)   w: weight gradients (Qi et al.
//                                                2023, ZB-H1)
//
// and what comes once: the first and the last messages of a pipeline, what is not
// hidden of each stage's gathers of parameters and reductions of gradients (they stand
// in its first and last list, for whose end the next stage waits), and the update.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_SEARCH_STEPMODEL_H
#define MPC_PASSES_SEARCH_STEPMODEL_H

#include "passes/search/Parts.h"
#include <string>
#include <vector>

namespace mpc::search {

enum class ScheduleKind { kGpipe, k1f1b, kInterleaved, kZeroBubble };
inline constexpr int kSchedules = 4;

/// Seconds of one part.
struct PartTime {
  double forward = 0, backward = 0, weight = 0;
  /// Of these, waiting for tensor-parallel collectives.
  double exposed = 0;
  double prologue = 0, update = 0;
  /// Over data.
  double reductions = 0, gathers = 0, updateTransfers = 0;

  /// Of a microbatch.
  double period() const { return forward + backward + weight; }
};

/// Parts and what they take on one cluster.
struct PricedParts {
  Parts parts;
  PartTime first, last;
  std::array<PartTime, kRecomputes> layer;
};

/// Tensor-parallel ranks are neighbours, data-parallel ones `tp` apart.
PricedParts priceParts(Parts parts, const cluster::Pricing &pricing, int64_t tp,
                       int64_t dp);

/// A strategy but for how layers are cut and what they recompute.
struct Setup {
  int64_t tp = 1, dp = 1, pp = 1;
  int64_t microbatches = 1, microbatchSize = 1;
  bool sequenceParallel = false;
  int64_t zero = 0;
  ScheduleKind schedule = ScheduleKind::k1f1b;
  int64_t chunks = 1;
};

/// How many microbatches (of a chunk) each stage keeps at once, by the papers'
/// formulas; empty for interleaving whose microbatches the stages do not divide, where
/// only the schedule tells.
std::vector<int64_t> getSlots(const Setup &setup);

/// Layers of a stage by mode.
struct Mix {
  std::array<int64_t, kRecomputes> layers = {};
  int64_t count() const { return layers[0] + layers[1] + layers[2]; }
};

/// Bytes of a rank by purpose.
struct StageMemory {
  int64_t states = 0, stash = 0, transient = 0, other = 0;
  int64_t total() const { return states + stash + transient + other; }
};

/// What a stage costs.
struct StageCost {
  /// Seconds of a microbatch, and what it adds to the filling of the pipeline.
  double period = 0, filling = 0;
  /// Seconds once a step: prologue and update.
  double once = 0;
  /// Of `period`: forward, and waiting for tensor-parallel collectives.
  double forward = 0, exposed = 0;
  /// Of `filling`: exposed gathers of parameters and reductions of gradients. Of
  /// `once`: collectives over data.
  double inTurn = 0, updateTransfers = 0;
  StageMemory memory;
};

/// A step, split up.
struct StepTime {
  double total = 0;
  /// Of the slowest stage, all microbatches.
  double compute = 0, tensor = 0;
  /// What it waits for others.
  double bubble = 0, messages = 0;
  double data = 0, update = 0;
};

class StepModel {
public:
  /// `parts` are of the setup's tensor-parallel group and microbatch size, `states`
  /// also of its dp and zero. `slots` are how many microbatches each stage keeps.
  StepModel(const cluster::Pricing &pricing, const Setup &setup,
            const PricedParts &parts, const PricedParts &states,
            std::vector<int64_t> slots);

  const Setup &setup() const { return setup_; }

  /// A stage with these layers. A stage of several chunks has layers of one mode.
  StageCost costOf(int64_t stage, const Mix &mix) const;
  /// Of `costOf` only these, at a fraction of its price.
  StageMemory memoryOf(int64_t stage, const Mix &mix) const;
  double periodOf(int64_t stage, const Mix &mix) const;

  /// What max t and Σ filling count in a step.
  double periodWeight() const { return periodWeight_; }
  double fillingWeight() const { return fillingWeight_; }
  /// Seconds that every cut has: messages of an empty pipeline.
  double constant() const { return constant_; }

  /// Of a whole step.
  StepTime timeOf(const std::vector<StageCost> &stages) const;

  /// What no cut of `layers` layers, whatever they recompute, comes below: Σ filling,
  /// and the whole step.
  double leastFilling(int64_t layers) const;
  double lowerBound(int64_t layers) const;

private:
  /// The ends of the model that a stage has.
  struct Ends {
    double period = 0;
    Memory memory;
  };
  const Ends &endsOf(int64_t stage) const {
    return ends_[(stage == 0 ? 1 : 0) + (stage == setup_.pp - 1 ? 2 : 0)];
  }
  void addEnd(const PartTime &time, const Part &part, const Part &states,
              Ends &ends) const;
  PartTime leastWork(int64_t layers) const;

  const cluster::Pricing *pricing_;
  Setup setup_;
  /// Forward, backward and memory of a microbatch are of the one, states and what
  /// comes once a step of the other.
  const PricedParts *parts_, *states_;
  std::vector<int64_t> slots_;
  /// Of a stage with neither end, the first, the last, and both.
  std::array<Ends, 4> ends_;
  std::array<int64_t, kRecomputes> inFlight_ = {};
  double message_ = 0;
  double periodWeight_ = 0, fillingWeight_ = 0, constant_ = 0;
};

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_STEPMODEL_H
