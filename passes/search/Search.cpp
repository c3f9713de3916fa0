//===- Search.cpp - branch and bound over setups -----------------*- C++ -*-===//

#include "passes/search/Search.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace mpc::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Meshes that are reported beside the best one.
constexpr size_t kRunnersUp = 5;

std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= number; ++i)
    if (number % i == 0)
      divisors.push_back(i);
  return divisors;
}

class Enumerator {
public:
  explicit Enumerator(const Problem &problem)
      : problem(problem), pins(problem.pins) {}

  std::vector<Setup> run() {
    for (int64_t tp : divisorsOf(problem.devices))
      if (accepts(pins.tp, tp) && (pins.tp || tp <= problem.largestTp))
        for (int64_t pp : divisorsOf(problem.devices / tp))
          if (accepts(pins.pp, pp) && (pins.pp || pp <= problem.layers))
            addMesh(tp, pp);
    return std::move(setups);
  }

private:
  template <typename T>
  static bool accepts(const std::optional<T> &pin, T value) {
    return !pin || *pin == value;
  }

  void addMesh(int64_t tp, int64_t pp) {
    Setup setup;
    setup.tp = tp;
    setup.pp = pp;
    setup.dp = problem.devices / (tp * pp);
    if (!accepts(pins.dp, setup.dp) || problem.globalBatch % setup.dp != 0)
      return;
    const int64_t own = problem.globalBatch / setup.dp;
    for (int64_t size : divisorsOf(own)) {
      setup.microbatchSize = size;
      setup.microbatches = own / size;
      if (!accepts(pins.microbatches, setup.microbatches))
        continue;
      for (bool isSplit : {false, true}) {
        setup.sequenceParallel = isSplit;
        if (accepts(pins.sequenceParallel, isSplit) && (!isSplit || tp > 1))
          addStorage(setup);
      }
    }
  }

  void addStorage(Setup setup) {
    for (int64_t zero : {0, 1}) {
      setup.zero = zero;
      // A user's zero=1 stands, though without replicas it changes nothing.
      if (accepts(pins.zero, zero) &&
          (zero == 0 || setup.dp > 1 || pins.zero))
        addSchedules(setup);
    }
  }

  void addSchedules(Setup setup) {
    for (int kind = 0; kind < kSchedules; ++kind) {
      setup.schedule = ScheduleKind(kind);
      if (!accepts(pins.schedule, setup.schedule))
        continue;
      // Without stages there is one order.
      if (setup.pp == 1 && setup.schedule != ScheduleKind::k1f1b)
        continue;
      // Groups of microbatches that differ begin more of them than is worth while.
      if (setup.schedule == ScheduleKind::kInterleaved &&
          setup.microbatches % setup.pp != 0 &&
          !(pins.microbatches && pins.schedule))
        continue;
      if (setup.schedule != ScheduleKind::kInterleaved) {
        setup.chunks = 1;
        add(setup);
        continue;
      }
      for (int64_t chunks = 2; chunks * setup.pp <= problem.layers; ++chunks) {
        setup.chunks = chunks;
        add(setup);
      }
    }
  }

  void add(const Setup &setup) {
    if (!accepts(pins.chunks, setup.chunks))
      return;
    if (pins.stages &&
        (int64_t)pins.stages->size() != setup.pp * setup.chunks)
      return;
    // Layers of one chunk do not follow each other in the model.
    if (setup.chunks > 1 && pins.recompute.size() > 1)
      return;
    setups.push_back(setup);
  }

  const Problem &problem;
  const Pins &pins;
  std::vector<Setup> setups;
};

double logChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

} // namespace

std::vector<Setup> enumerateSetups(const Problem &problem) {
  return Enumerator(problem).run();
}

double countCuts(const Problem &problem, const Setup &setup) {
  const double n = problem.layers, p = setup.pp;
  const bool isFree = problem.pins.recompute.empty();
  if (problem.pins.stages)
    return isFree ? std::pow(3.0, p) : 1;
  if (!isFree)
    return std::exp(logChoose(n + p - 1, p - 1));
  if (setup.chunks == 1)
    return std::exp(logChoose(n + 3 * p - 1, 3 * p - 1));
  double count = 0;
  for (double used = 1; used <= std::min(p, n); ++used)
    count += std::exp(logChoose(p, used) + logChoose(n - 1, used - 1) +
                      used * std::log(3.0));
  return count;
}

namespace {

struct Bounded {
  Setup setup;
  double bound;
  /// In which they were enumerated.
  int64_t order;
};

/// The best of a queue that ascends in its bounds, if it takes less than `bound`.
std::optional<Candidate> searchQueue(const Problem &problem,
                                     const std::vector<Bounded> &queue,
                                     double bound, int64_t &solved) {
  std::optional<Candidate> best;
  for (const Bounded &next : queue) {
    if (next.bound >= bound)
      break;
    ++solved;
    if (auto found = solve(problem, next.setup, problem.memory, bound)) {
      best = std::move(found);
      bound = best->time.total;
    }
  }
  return best;
}

/// All setups that the compiler takes, by their bounds.
std::vector<Bounded> boundSetups(const Problem &problem) {
  std::vector<Bounded> queue;
  for (const Setup &setup : enumerateSetups(problem)) {
    // Weight passes by themselves do what backward passes do otherwise, so that these
    // are bound enough, and most such setups need not be expanded.
    Setup whole = setup;
    if (setup.schedule == ScheduleKind::kZeroBubble)
      whole.schedule = ScheduleKind::k1f1b;
    if (const PricedParts *parts = problem.parts(whole))
      queue.push_back(
          {setup,
           StepModel(*problem.pricing, setup, *parts, *parts, {})
               .lowerBound(problem.layers),
           int64_t(queue.size())});
  }
  std::sort(queue.begin(), queue.end(),
            [](const Bounded &a, const Bounded &b) {
              return std::tie(a.bound, a.order) < std::tie(b.bound, b.order);
            });
  return queue;
}

} // namespace

Result search(const Problem &problem) {
  Result result;
  for (const Setup &setup : enumerateSetups(problem)) {
    ++result.setups;
    result.candidates += countCuts(problem, setup);
  }
  result.best = searchQueue(problem, boundSetups(problem), kInfinity,
                            result.solved);
  return result;
}

std::vector<Candidate> findRunnersUp(const Problem &problem,
                                     const Setup &best) {
  using Mesh = std::tuple<int64_t, int64_t, int64_t>;
  auto meshOf = [](const Setup &setup) {
    return Mesh(setup.tp, setup.dp, setup.pp);
  };
  std::vector<Mesh> order;
  std::map<Mesh, std::vector<Bounded>> meshes;
  for (const Bounded &next : boundSetups(problem)) {
    std::vector<Bounded> &own = meshes[meshOf(next.setup)];
    if (own.empty() && meshOf(next.setup) != meshOf(best))
      order.push_back(meshOf(next.setup));
    own.push_back(next);
  }
  std::vector<Candidate> found;
  int64_t solved = 0;
  for (const Mesh &mesh : order) {
    const double bound = found.size() < kRunnersUp
                             ? kInfinity
                             : found.back().time.total;
    auto candidate = searchQueue(problem, meshes[mesh], bound, solved);
    if (!candidate)
      continue;
    found.push_back(std::move(*candidate));
    std::sort(found.begin(), found.end(),
              [](const Candidate &a, const Candidate &b) {
                return a.time.total < b.time.total;
              });
    if (found.size() > kRunnersUp)
      found.pop_back();
  }
  return found;
}

} // namespace mpc::search
