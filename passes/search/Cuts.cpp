//===- Cuts.cpp - the best cut of one setup ----------------------*- C++ -*-===//
//
// The time of a cut is a · max period + b · Σ filling + max once. For every value τ
// that the first maximum can have, and every value ε of the last, dynamic programming
// over stages finds the least sum; τ ascends until its own share is no better than
// what has been found. Stages are independent of each other but for their layers, so
// within one only its fastest recomputation that fits counts.
//
//===----------------------------------------------------------------------===//

#include "passes/search/Search.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace mpc::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Option {
  Mix mix;
  StageCost cost;
};

class CutSolver {
public:
  CutSolver(const Problem &problem, const StepModel &model, int64_t memory,
            double bound)
      : problem(problem), model(model), memory(memory), bound(bound),
        stageCount(model.setup().pp), layers(problem.layers) {}

  std::optional<Candidate> solve();
  /// The least largest memory instead of the least time.
  std::optional<Candidate> solveSmallest();

private:
  bool fits(int64_t stage, const Mix &mix) const {
    return model.memoryOf(stage, mix).total() <= memory;
  }
  std::optional<Option> fixedOption(int64_t stage, int64_t begin,
                                    int64_t count) const;
  std::optional<Option> bestOption(int64_t stage, int64_t count) const;
  std::vector<Mix> pureMixes(int64_t count) const;
  std::vector<Mix> candidatesOf(int64_t stage, int64_t count) const;
  bool allows(Recompute mode) const {
    const auto &given = problem.pins.recompute;
    return given.empty() || given.front() == mode;
  }
  bool isByLayer() const { return problem.pins.recompute.size() > 1; }
  const std::optional<Option> &option(int64_t stage, int64_t begin,
                                      int64_t count);
  std::optional<int64_t> pinnedCount(int64_t stage) const;
  template <typename Body>
  void forEachOption(int64_t stage, double period, double once,
                     const Body &body);
  std::vector<Option> trace(const std::vector<std::vector<int64_t>> &taken);
  template <typename Join>
  std::optional<std::vector<Option>> leastCut(double period, double once,
                                              const Join &join);
  double total(const std::vector<Option> &options) const;
  void consider(const std::vector<Option> &options);
  std::vector<double> periods();
  void considerEven();
  bool fitsAtAll(int64_t stage, int64_t count) const;
  bool findRanges();
  bool hasRoom(double period);
  Candidate finish(const std::vector<Option> &options) const;

  const Problem &problem;
  const StepModel &model;
  const int64_t memory;
  double bound;
  /// Of two options the smaller one, not the faster.
  bool prefersSmall = false;
  const int64_t stageCount, layers;
  std::optional<std::vector<Option>> best;
  /// By stage, begin (where modes are given by layer) and count.
  struct Known {
    bool isKnown = false;
    std::optional<Option> option;
  };
  std::vector<Known> options;
  /// The layers that each stage may have.
  std::vector<int64_t> least, most;
};

double CutSolver::total(const std::vector<Option> &options) const {
  double period = 0, filling = 0, once = 0;
  for (const Option &option : options) {
    period = std::max(period, option.cost.period);
    filling += option.cost.filling;
    once = std::max(once, option.cost.once);
  }
  return model.periodWeight() * period + model.fillingWeight() * filling +
         model.constant() + once;
}

/// All layers of one mode.
std::vector<Mix> CutSolver::pureMixes(int64_t count) const {
  std::vector<Mix> mixes;
  for (int mode = 0; mode < kRecomputes; ++mode)
    if (allows(Recompute(mode))) {
      mixes.emplace_back();
      mixes.back().layers[mode] = count;
    }
  return mixes;
}

/// The mixes of which one is the fastest that fits: for every number of full layers,
/// as few selective ones as do, and the ends, where a mode's own needs come and go.
std::vector<Mix> CutSolver::candidatesOf(int64_t stage, int64_t count) const {
  if (count == 0)
    return {Mix()};
  // The smallest has one mode: any other has layers that keep no less, and needs its
  // working memory as well.
  if (prefersSmall || model.setup().chunks > 1 ||
      !problem.pins.recompute.empty())
    return pureMixes(count);
  std::vector<Mix> mixes;
  for (int64_t full = 0; full <= count; ++full) {
    const int64_t rest = count - full;
    auto mixOf = [&](int64_t selective) {
      return Mix{{rest - selective, selective, full}};
    };
    mixes.push_back(mixOf(0));
    const bool isEnough = fits(stage, mixes.back());
    mixes.push_back(mixOf(rest));
    if (rest >= 2) {
      // Between the ends memory falls evenly with every selective layer.
      const int64_t first = model.memoryOf(stage, mixOf(1)).total();
      const int64_t last = model.memoryOf(stage, mixOf(rest - 1)).total();
      int64_t selective = 1;
      if (first > memory && last < first)
        selective = 1 + ((first - memory) * (rest - 2) + (first - last) - 1) /
                            (first - last);
      selective = std::min(selective, rest - 1);
      mixes.push_back(mixOf(selective));
      mixes.push_back(mixOf(rest - 1));
    }
    // One more full layer takes longer.
    if (isEnough)
      break;
  }
  return mixes;
}

std::optional<Option> CutSolver::bestOption(int64_t stage,
                                            int64_t count) const {
  const Mix *best = nullptr;
  double bestPeriod = 0;
  int64_t bestBytes = 0;
  const std::vector<Mix> mixes = candidatesOf(stage, count);
  for (const Mix &mix : mixes) {
    const int64_t bytes = model.memoryOf(stage, mix).total();
    if (bytes > memory)
      continue;
    const double period = model.periodOf(stage, mix);
    const bool isBetter = prefersSmall || period == bestPeriod
                              ? bytes < bestBytes
                              : period < bestPeriod;
    if (!best || isBetter) {
      best = &mix;
      bestPeriod = period;
      bestBytes = bytes;
    }
  }
  if (!best)
    return std::nullopt;
  return Option{*best, model.costOf(stage, *best)};
}

std::optional<Option> CutSolver::fixedOption(int64_t stage, int64_t begin,
                                             int64_t count) const {
  Option option;
  for (int64_t layer = begin; layer < begin + count; ++layer)
    ++option.mix.layers[int(problem.pins.recompute[layer])];
  option.cost = model.costOf(stage, option.mix);
  if (option.cost.memory.total() > memory)
    return std::nullopt;
  return option;
}

/// Where modes are not given by layer, `begin` does not count.
const std::optional<Option> &CutSolver::option(int64_t stage, int64_t begin,
                                               int64_t count) {
  const int64_t begins = isByLayer() ? layers + 1 : 1;
  if (options.empty())
    options.resize(stageCount * begins * (layers + 1));
  Known &known = options[(stage * begins + begin % begins) * (layers + 1) + count];
  if (!known.isKnown) {
    known.isKnown = true;
    known.option = isByLayer() ? fixedOption(stage, begin, count)
                               : bestOption(stage, count);
  }
  return known.option;
}

/// The layers that a stage has, where the user has said it.
std::optional<int64_t> CutSolver::pinnedCount(int64_t stage) const {
  const auto &given = problem.pins.stages;
  if (!given)
    return std::nullopt;
  int64_t count = 0;
  for (size_t piece = stage; piece < given->size(); piece += stageCount)
    count += (*given)[piece];
  return count;
}

/// Whether some mix fits.
bool CutSolver::fitsAtAll(int64_t stage, int64_t count) const {
  for (const Mix &mix : pureMixes(count))
    if (fits(stage, mix))
      return true;
  return false;
}

/// Narrows the layers of each stage to those that can lead to a step within the bound;
/// false where there is none. More layers take longer and need more.
bool CutSolver::findRanges() {
  const double spare = bound - model.constant() -
                       model.fillingWeight() * model.leastFilling(layers);
  const double largest =
      model.periodWeight() > 0 ? spare / model.periodWeight() : kInfinity;
  least.assign(stageCount, 0);
  most.assign(stageCount, layers);
  if (isByLayer()) {
    for (int64_t stage = 0; stage < stageCount; ++stage)
      if (auto count = pinnedCount(stage))
        least[stage] = most[stage] = *count;
    return spare >= 0;
  }
  auto isPossible = [&](int64_t stage, int64_t count) {
    if (!fitsAtAll(stage, count))
      return false;
    const std::optional<Option> &found = option(stage, 0, count);
    return found && found->cost.period <= largest;
  };
  int64_t room = 0;
  for (int64_t stage = 0; stage < stageCount; ++stage) {
    if (auto count = pinnedCount(stage)) {
      if (!isPossible(stage, *count))
        return false;
      least[stage] = most[stage] = *count;
    } else {
      if (!isPossible(stage, 0))
        return false;
      int64_t low = 0, high = layers;
      while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (isPossible(stage, middle))
          low = middle;
        else
          high = middle - 1;
      }
      most[stage] = low;
    }
    room += most[stage];
  }
  // What the others cannot hold is left.
  for (int64_t stage = 0; stage < stageCount; ++stage)
    least[stage] = std::max(least[stage], layers - (room - most[stage]));
  return room >= layers;
}

/// Whether stages with no larger period can hold all layers.
bool CutSolver::hasRoom(double period) {
  if (isByLayer())
    return true;
  int64_t room = 0;
  for (int64_t stage = 0; stage < stageCount; ++stage) {
    int64_t count = most[stage];
    while (count >= least[stage] &&
           option(stage, 0, count)->cost.period > period)
      --count;
    if (count < least[stage])
      return false;
    room += count;
  }
  return room >= layers;
}

/// Calls `body(begin, count, option)` for what a stage may hold with no larger period
/// or once.
template <typename Body>
void CutSolver::forEachOption(int64_t stage, double period, double once,
                              const Body &body) {
  for (int64_t count = least[stage]; count <= most[stage]; ++count)
    for (int64_t begin = 0; begin + count <= layers; ++begin) {
      const std::optional<Option> &found = option(stage, begin, count);
      if (found && found->cost.period <= period && found->cost.once <= once)
        body(begin, count, *found);
      else if (!isByLayer())
        break;
    }
}

/// Dynamic programming over stages: of all cuts whose options have no larger period or
/// once, one for which `join`, from 0 on and by stage, comes out least.
template <typename Join>
std::optional<std::vector<Option>> CutSolver::leastCut(double period, double once,
                                                       const Join &join) {
  std::vector<double> values(layers + 1, kInfinity);
  values[0] = 0;
  std::vector<std::vector<int64_t>> taken(
      stageCount, std::vector<int64_t>(layers + 1, -1));
  for (int64_t stage = 0; stage < stageCount; ++stage) {
    std::vector<double> next(layers + 1, kInfinity);
    forEachOption(stage, period, once,
                  [&](int64_t begin, int64_t count, const Option &found) {
                    const double value = join(values[begin], found.cost);
                    if (value >= next[begin + count])
                      return;
                    next[begin + count] = value;
                    taken[stage][begin + count] = count;
                  });
    values = std::move(next);
  }
  if (values[layers] == kInfinity)
    return std::nullopt;
  return trace(taken);
}

/// The options that lead to all layers.
std::vector<Option>
CutSolver::trace(const std::vector<std::vector<int64_t>> &taken) {
  std::vector<Option> chosen(stageCount);
  for (int64_t stage = stageCount, end = layers; stage-- > 0;) {
    const int64_t count = taken[stage][end];
    end -= count;
    chosen[stage] = *option(stage, end, count);
  }
  return chosen;
}

void CutSolver::consider(const std::vector<Option> &options) {
  const double time = total(options);
  if (time < bound) {
    bound = time;
    best = options;
  }
}

/// The periods that stages can have, ascending.
std::vector<double> CutSolver::periods() {
  std::set<double> values;
  for (int64_t stage = 0; stage < stageCount; ++stage)
    forEachOption(stage, kInfinity, kInfinity,
                  [&](int64_t, int64_t, const Option &found) {
                    values.insert(found.cost.period);
                  });
  return {values.begin(), values.end()};
}

/// Layers as even as can be: a first bound.
void CutSolver::considerEven() {
  std::vector<Option> options;
  for (int64_t stage = 0, begin = 0; stage < stageCount; ++stage) {
    const int64_t count = pinnedCount(stage).value_or(
        (layers - begin) / (stageCount - stage));
    const std::optional<Option> &found = option(stage, begin, count);
    if (!found)
      return;
    options.push_back(*found);
    begin += count;
  }
  consider(options);
}

std::optional<Candidate> CutSolver::solve() {
  considerEven();
  if (!findRanges())
    return best ? std::optional(finish(*best)) : std::nullopt;
  const double filling = model.fillingWeight() * model.leastFilling(layers);
  auto addFilling = [](double sum, const StageCost &cost) {
    return sum + cost.filling;
  };
  for (double period : periods()) {
    if (model.periodWeight() * period + filling + model.constant() >= bound)
      break;
    if (!hasRoom(period))
      continue;
    double once = kInfinity;
    // A smaller `once` costs filling: until that alone is too much.
    while (auto found = leastCut(period, once, addFilling)) {
      consider(*found);
      double filling = 0, largest = 0;
      for (const Option &option : *found) {
        filling += option.cost.filling;
        largest = std::max(largest, option.cost.once);
      }
      if (model.periodWeight() * period + model.fillingWeight() * filling +
              model.constant() >=
          bound)
        break;
      once = std::nextafter(largest, 0.0);
    }
  }
  if (!best)
    return std::nullopt;
  return finish(*best);
}

std::optional<Candidate> CutSolver::solveSmallest() {
  prefersSmall = true;
  if (!findRanges())
    return std::nullopt;
  auto smallest = leastCut(
      kInfinity, kInfinity, [](double size, const StageCost &cost) {
        return std::max(size, double(cost.memory.total()));
      });
  return smallest ? std::optional(finish(*smallest)) : std::nullopt;
}

Candidate CutSolver::finish(const std::vector<Option> &options) const {
  Candidate candidate;
  candidate.setup = model.setup();
  for (const Option &option : options) {
    candidate.stages.push_back(option.mix);
    candidate.costs.push_back(option.cost);
  }
  candidate.time = model.timeOf(candidate.costs);
  return candidate;
}

} // namespace

static std::optional<Candidate> solveWith(const Problem &problem,
                                          const Setup &setup,
                                          const PricedParts &parts,
                                          const PricedParts &states,
                                          const std::vector<int64_t> &slots,
                                          int64_t memory, double bound) {
  const StepModel model(*problem.pricing, setup, parts, states, slots);
  return CutSolver(problem, model, memory, bound).solve();
}

std::optional<Candidate> solve(const Problem &problem, const Setup &setup,
                               int64_t memory, double bound) {
  const PricedParts *parts = problem.parts(setup);
  if (!parts ||
      StepModel(*problem.pricing, setup, *parts, *parts, {})
              .lowerBound(problem.layers) >= bound)
    return std::nullopt;
  const std::vector<int64_t> slots = problem.slots(setup);
  if (slots.empty())
    return std::nullopt;
  // Before the compiler is asked: whether it could be worth while at all.
  const PricedParts *optimistic = problem.optimisticStates(setup);
  if (optimistic && bound < kInfinity &&
      !solveWith(problem, setup, *parts, *optimistic, slots, memory, bound))
    return std::nullopt;
  const PricedParts *states = problem.states(setup);
  if (!states)
    return std::nullopt;
  return solveWith(problem, setup, *parts, *states, slots, memory, bound);
}

std::optional<Candidate> solveSmallest(const Problem &problem,
                                       const Setup &setup) {
  const PricedParts *parts = problem.parts(setup);
  const std::vector<int64_t> slots = problem.slots(setup);
  const PricedParts *states =
      parts && !slots.empty() ? problem.states(setup) : nullptr;
  if (!states)
    return std::nullopt;
  const StepModel model(*problem.pricing, setup, *parts, *states, slots);
  return CutSolver(problem, model, std::numeric_limits<int64_t>::max(),
                   kInfinity)
      .solveSmallest();
}

} // namespace mpc::search
