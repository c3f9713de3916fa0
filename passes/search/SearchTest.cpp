//===- SearchTest.cpp - the search against all candidates --------*- C++ -*-===//
//
// Small problems of random prices, of which every candidate is priced one by one.
//
//===----------------------------------------------------------------------===//

#include "passes/search/Search.h"
#include "cluster/read_cluster.h"
#include "passes/pipeline/Schedule.h"
#include "passes/search/StrategyText.h"
#include "gmock/gmock.h"
#include <limits>
#include <map>
#include <random>

namespace mpc::search {
namespace {

/// Prices that are random, but that recomputation takes time and saves memory.
class RandomPrices {
public:
  explicit RandomPrices(unsigned seed) : random(seed) {}

  double seconds(double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  }
  int64_t bytes(int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, most)(random);
  }
  int64_t pick(std::initializer_list<int64_t> values) {
    return *(values.begin() + bytes(values.size()) - 1);
  }

  PartTime time(double scale) {
    PartTime time;
    time.forward = seconds(scale);
    time.backward = seconds(2 * scale);
    time.exposed = seconds(time.forward);
    return time;
  }
  void addOnce(PartTime &time, double scale) {
    time.prologue = seconds(scale);
    time.update = seconds(scale);
    time.reductions = seconds(4 * scale);
    time.gathers = seconds(2 * scale);
  }
  void setMemory(Memory &memory, int64_t scale) {
    memory.states = bytes(4 * scale);
    memory.slot = bytes(scale);
    memory.transient = bytes(scale);
    memory.channels = bytes(scale / 4 + 1);
    memory.batch = bytes(scale / 4 + 1);
  }

  PricedParts parts(bool splitsWeights) {
    PricedParts priced;
    Parts &parts = priced.parts;
    for (auto [time, part] : {std::pair(&priced.first, &parts.first),
                              std::pair(&priced.last, &parts.last)}) {
      *time = this->time(1);
      addOnce(*time, 1);
      setMemory(part->memory, 400);
    }
    parts.last.memory.tied = bytes(100);
    parts.tiedBytes = bytes(1 << 20);
    parts.first.activationBytes = bytes(1 << 6);
    PartTime layer = time(1);
    addOnce(layer, 0.5);
    Memory memory;
    setMemory(memory, 400);
    for (int mode = 0; mode < kRecomputes; ++mode) {
      priced.layer[mode] = layer;
      if (splitsWeights) {
        priced.layer[mode].weight = layer.backward * 0.4;
        priced.layer[mode].backward -= priced.layer[mode].weight;
      }
      parts.layer[mode].memory = memory;
      layer.backward += seconds(0.5);
      memory.slot = bytes(memory.slot);
      memory.transient = bytes(400);
    }
    if (splitsWeights)
      priced.last.weight = seconds(0.5);
    return priced;
  }

private:
  std::minstd_rand random;
};

/// Every candidate of a problem.
class BruteForce {
public:
  explicit BruteForce(const Problem &problem) : problem(problem) {}

  double leastTime() {
    for (const Setup &setup : enumerateSetups(problem)) {
      const PricedParts *parts = problem.parts(setup);
      const StepModel of(*problem.pricing, setup, *parts,
                         *problem.states(setup), problem.slots(setup));
      model = &of;
      costs.clear();
      tryStage(0, 0);
    }
    return least;
  }
  int64_t count() const { return candidates; }

private:
  bool allows(int64_t begin, const Mix &mix) const {
    const auto &given = problem.pins.recompute;
    const bool isPure = std::count(mix.layers.begin(), mix.layers.end(), 0) >= 2;
    if (model->setup().chunks > 1 && !isPure)
      return false;
    if (given.empty())
      return true;
    Mix wanted;
    for (int64_t layer = begin; layer < begin + mix.count(); ++layer)
      ++wanted.layers[int(given[given.size() == 1 ? 0 : layer])];
    return wanted.layers == mix.layers;
  }

  void tryStage(int64_t stage, int64_t begin) {
    const Setup &setup = model->setup();
    if (stage == setup.pp) {
      if (begin == problem.layers) {
        ++candidates;
        least = std::min(least, model->timeOf(costs).total);
      }
      return;
    }
    const int64_t rest = problem.layers - begin;
    for (int64_t full = 0; full <= rest; ++full)
      for (int64_t selective = 0; full + selective <= rest; ++selective)
        for (int64_t none = 0; full + selective + none <= rest; ++none) {
          const Mix mix = {{none, selective, full}};
          if (problem.pins.stages && setup.chunks == 1 &&
              (*problem.pins.stages)[stage] != mix.count())
            continue;
          if (!allows(begin, mix))
            continue;
          const StageCost cost = model->costOf(stage, mix);
          if (cost.memory.total() > problem.memory)
            continue;
          costs.push_back(cost);
          tryStage(stage + 1, begin + mix.count());
          costs.pop_back();
        }
  }

  const Problem &problem;
  const StepModel *model = nullptr;
  std::vector<StageCost> costs;
  double least = std::numeric_limits<double>::infinity();
  int64_t candidates = 0;
};

/// A problem and all that it refers to.
struct RandomProblem {
  explicit RandomProblem(unsigned seed) : prices(seed) {
    cluster::Cluster cluster = *cluster::Machine("a100_dgx_80gb");
    cluster.mutable_device()->set_overlaps_transfers(prices.bytes(4) > 1);
    pricing = std::make_unique<cluster::Pricing>(cluster);
    problem.layers = prices.bytes(5);
    problem.devices = prices.pick({1, 2, 3, 4, 6});
    problem.globalBatch = prices.pick({1, 2, 4, 6});
    problem.memory = prices.bytes(6000);
    problem.largestTp = 4;
    problem.pricing = pricing.get();
    problem.parts = [this](const Setup &setup) {
      return of({setup.tp, setup.sequenceParallel, setup.microbatchSize,
                 setup.schedule == ScheduleKind::kZeroBubble, 0});
    };
    problem.states = [this](const Setup &setup) {
      return of({setup.tp, setup.dp, setup.zero, -1, 1});
    };
    problem.optimisticStates = [this](const Setup &) { return &nothing; };
    problem.slots = [](const Setup &setup) { return getSlots(setup); };
    pin();
  }

  const PricedParts *of(const std::array<int64_t, 5> &key) {
    auto [place, isNew] = made.try_emplace(key);
    if (isNew) {
      place->second = prices.parts(/*splitsWeights=*/key[3] == 1);
      // What weight passes do apart, backward passes do otherwise.
      std::array<int64_t, 5> whole = key;
      whole[3] = 0;
      if (key[3] == 1) {
        const PricedParts base = *of(whole);
        PricedParts &split = place->second;
        for (auto [to, from] :
             {std::pair(&split.first, &base.first), {&split.last, &base.last},
              {&split.layer[0], &base.layer[0]},
              {&split.layer[1], &base.layer[1]},
              {&split.layer[2], &base.layer[2]}}) {
          *to = *from;
          to->weight = 0.4 * from->backward;
          to->backward = from->backward - to->weight;
        }
      }
    }
    return &place->second;
  }

  /// Every kind of constraint, now and then.
  void pin() {
    Pins &pins = problem.pins;
    switch (prices.bytes(12)) {
    case 1:
      pins.tp = prices.pick({1, 2, 3});
      break;
    case 2:
      pins.pp = prices.pick({1, 2, 3});
      break;
    case 3:
      pins.zero = prices.pick({0, 1});
      break;
    case 4:
      pins.microbatches = prices.pick({1, 2});
      break;
    case 5:
      pins.sequenceParallel = false;
      break;
    case 6:
      pins.schedule = ScheduleKind(prices.pick({0, 1, 2, 3}));
      break;
    case 7:
      pins.recompute = {Recompute(prices.pick({0, 1, 2}))};
      break;
    case 8:
      for (int64_t layer = 0; layer < problem.layers; ++layer)
        pins.recompute.push_back(Recompute(prices.pick({0, 1, 2})));
      break;
    case 9:
      pins.stages = {problem.layers - problem.layers / 2, problem.layers / 2};
      break;
    default:
      break;
    }
  }

  RandomPrices prices;
  std::unique_ptr<cluster::Pricing> pricing;
  std::map<std::array<int64_t, 5>, PricedParts> made;
  PricedParts nothing;
  Problem problem;
};

TEST(SearchTest, EqualsBruteForce) {
  int64_t candidates = 0;
  int feasible = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    RandomProblem random(seed);
    BruteForce brute(random.problem);
    const double least = brute.leastTime();
    const Result result = search(random.problem);
    candidates += brute.count();
    ASSERT_EQ(result.best.has_value(), least < 1e300) << "seed " << seed;
    if (!result.best)
      continue;
    ++feasible;
    EXPECT_NEAR(result.best->time.total, least, 1e-9 * least)
        << "seed " << seed;
    for (const StageCost &cost : result.best->costs)
      EXPECT_LE(cost.memory.total(), random.problem.memory);
  }
  // Neither side of the comparison is empty.
  EXPECT_GT(feasible, 60);
  EXPECT_LT(feasible, 195);
  EXPECT_GT(candidates, 10'000);
}

TEST(SearchTest, RunnersUpAreOfOtherMeshesInOrder) {
  RandomProblem random(7);
  random.problem.pins = Pins();
  random.problem.memory = 1'000'000;
  random.problem.devices = 6;
  random.problem.layers = 4;
  random.problem.globalBatch = 6;
  const Result result = search(random.problem);
  ASSERT_TRUE(result.best);
  const std::vector<Candidate> runnersUp =
      findRunnersUp(random.problem, result.best->setup);
  ASSERT_GE(runnersUp.size(), 3u);
  double last = result.best->time.total;
  for (const Candidate &next : runnersUp) {
    EXPECT_GE(next.time.total, last);
    last = next.time.total;
    const search::Setup &a = next.setup, &b = result.best->setup;
    EXPECT_FALSE(a.tp == b.tp && a.pp == b.pp && a.dp == b.dp);
  }
}

TEST(SearchTest, TheSmallestCutNeedsNoMoreThanAnyOther) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomProblem random(seed);
    random.problem.pins = Pins();
    random.problem.memory = std::numeric_limits<int64_t>::max();
    for (const search::Setup &setup : enumerateSetups(random.problem)) {
      auto smallest = solveSmallest(random.problem, setup);
      ASSERT_TRUE(smallest);
      int64_t most = 0;
      for (const StageCost &cost : smallest->costs)
        most = std::max(most, cost.memory.total());
      // With one byte less nothing is found, with as many something is.
      auto fits = [&](int64_t memory) {
        return solve(random.problem, setup, memory,
                     std::numeric_limits<double>::infinity())
            .has_value();
      };
      EXPECT_TRUE(fits(most)) << "seed " << seed;
      EXPECT_FALSE(fits(most - 1)) << "seed " << seed;
    }
  }
}

// What the formulas say is what the schedules do.
TEST(SearchTest, SlotsAreThoseOfTheSchedules) {
  mlir::MLIRContext context;
  context.loadDialect<tfm::TfmDialect>();
  int compared = 0;
  for (int kind = 0; kind < kSchedules; ++kind)
    for (int64_t pp : {2, 3, 5})
      for (int64_t chunks : {1, 2, 3})
        for (int64_t microbatches : {1, 2, 3, 5, 6, 10, 15}) {
          search::Setup setup;
          setup.schedule = ScheduleKind(kind);
          setup.pp = pp;
          setup.chunks = chunks;
          setup.microbatches = microbatches;
          const bool isInterleaved =
              setup.schedule == ScheduleKind::kInterleaved;
          if ((chunks > 1) != isInterleaved)
            continue;
          const std::vector<int64_t> slots = getSlots(setup);
          EXPECT_EQ(slots.empty(), isInterleaved && microbatches % pp != 0);
          if (slots.empty())
            continue;
          StrategyOverrides given;
          given.pp = pp;
          given.chunks = chunks;
          given.microbatches = microbatches;
          given.schedule = getName(setup.schedule);
          auto schedule = makeSchedule(makeStrategy(&context, given),
                                       mlir::UnknownLoc::get(&context));
          ASSERT_TRUE(succeeded(schedule));
          for (int64_t stage = 0; stage < pp; ++stage)
            EXPECT_EQ(slots[stage], schedule->getSlotCount(stage))
                << *given.schedule << " pp=" << pp << " chunks=" << chunks
                << " m=" << microbatches << " stage " << stage;
          ++compared;
        }
  EXPECT_GT(compared, 60);
}

} // namespace
} // namespace mpc::search
