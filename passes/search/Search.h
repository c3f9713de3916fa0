//===- Search.h - the strategy that takes the least time --------*- C++ -*-===//
//
// Exact: branch and bound over setups, dynamic programming over cuts, and the best
// recomputation of each stage in between. What it returns is the optimum of StepModel
// over the space that `Problem` spans.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_SEARCH_SEARCH_H
#define MPC_PASSES_SEARCH_SEARCH_H

#include "passes/search/StepModel.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mpc::search {

/// What the user has decided; the rest is searched for.
struct Pins {
  std::optional<int64_t> tp, dp, pp, microbatches, zero, chunks;
  std::optional<bool> sequenceParallel;
  std::optional<ScheduleKind> schedule;
  /// Layers of each piece, in depth order.
  std::optional<std::vector<int64_t>> stages;
  /// One mode for all layers, or one for each.
  std::vector<Recompute> recompute;
};

struct Problem {
  int64_t layers = 0, globalBatch = 0, devices = 0;
  /// Bytes of a device that a rank may use.
  int64_t memory = 0;
  /// tp is at most this, unless it is pinned.
  int64_t largestTp = 0;
  Pins pins;
  const cluster::Pricing *pricing = nullptr;
  /// The parts under a setup, and with its dp and zero; null where the compiler
  /// refuses it. They live as long as the problem.
  std::function<const PricedParts *(const Setup &)> parts;
  std::function<const PricedParts *(const Setup &)> states;
  /// What `states` are at least, at no cost: null where the states themselves are
  /// known.
  std::function<const PricedParts *(const Setup &)> optimisticStates;
  /// How many microbatches each stage keeps; empty where there is no such schedule.
  std::function<std::vector<int64_t>(const Setup &)> slots;
};

/// A whole strategy with its price.
struct Candidate {
  Setup setup;
  /// By stage.
  std::vector<Mix> stages;
  std::vector<StageCost> costs;
  StepTime time;
};

/// All setups of a problem.
std::vector<Setup> enumerateSetups(const Problem &problem);

/// The best cut of a setup within `memory` bytes a rank, or nothing: nothing fits, or
/// nothing takes less than `bound` seconds.
std::optional<Candidate> solve(const Problem &problem, const Setup &setup,
                               int64_t memory, double bound);

/// The cut with the least memory: the largest stage is as small as can be.
std::optional<Candidate> solveSmallest(const Problem &problem,
                                       const Setup &setup);

/// How many candidates a setup has, its cuts and what they recompute.
double countCuts(const Problem &problem, const Setup &setup);

struct Result {
  std::optional<Candidate> best;
  int64_t setups = 0;
  /// Those that were not excluded by their bound.
  int64_t solved = 0;
  double candidates = 0;
};

Result search(const Problem &problem);

/// The best of each other mesh than `best`'s, fastest first, a few.
std::vector<Candidate> findRunnersUp(const Problem &problem,
                                     const Setup &best);

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_SEARCH_H
