//===- Explain.cpp - why this strategy --------------------------*- C++ -*-===//

#include "passes/search/Explain.h"
#include "passes/search/StrategyText.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <limits>

using llvm::formatv;

namespace mpc::search {
namespace {

/// Where the time of a step goes, in words.
struct Share {
  const char *name;
  double StepTime::*seconds;
};
constexpr Share kShares[] = {
    {"computing", &StepTime::compute},
    {"tensor-parallel collectives", &StepTime::tensor},
    {"the bubble of the pipeline", &StepTime::bubble},
    {"messages between stages", &StepTime::messages},
    {"collectives over data", &StepTime::data},
    {"the update", &StepTime::update},
};

std::string describeMemory(const StageMemory &memory) {
  return formatv("{0} (states {1}, kept activations {2}, working memory {3}, "
                 "messages and batch {4})",
                 formatBytes(memory.total()), formatBytes(memory.states),
                 formatBytes(memory.stash), formatBytes(memory.transient),
                 formatBytes(memory.other));
}

/// The stage that needs most.
size_t largestStage(const Candidate &candidate) {
  return std::max_element(candidate.costs.begin(), candidate.costs.end(),
                          [](const StageCost &a, const StageCost &b) {
                            return a.memory.total() < b.memory.total();
                          }) -
         candidate.costs.begin();
}

/// What makes `other` slower, most of all.
std::string mainReason(const StepTime &best, const StepTime &other) {
  const Share *main = nullptr;
  double most = 0;
  for (const Share &share : kShares) {
    const double more = other.*share.seconds - best.*share.seconds;
    if (more > most) {
      most = more;
      main = &share;
    }
  }
  if (!main)
    return "the same in every part";
  return formatv("{0} more for {1}", formatSeconds(most), main->name);
}

std::string compare(const Candidate &best, const Candidate &other) {
  const double slower = other.time.total / best.time.total - 1;
  return formatv("{0:P1} slower, {1}", slower,
                 mainReason(best.time, other.time));
}

/// A problem with one more thing decided.
struct Neighbour {
  std::string name;
  Pins pins;
};

std::vector<Neighbour> neighboursOf(const Problem &problem,
                                    const Candidate &best) {
  const Pins &given = problem.pins;
  const Setup &setup = best.setup;
  std::vector<Neighbour> neighbours;
  auto add = [&](std::string name, auto change) {
    Neighbour next = {std::move(name), given};
    change(next.pins);
    neighbours.push_back(std::move(next));
  };
  auto addSizes = [&](const char *name, std::optional<int64_t> Pins::*pin,
                      int64_t value) {
    if (given.*pin)
      return;
    for (int64_t other : {value / 2, value * 2})
      if (other >= 1)
        add(formatv("{0}={1}", name, other),
            [&](Pins &pins) { pins.*pin = other; });
  };
  addSizes("tp", &Pins::tp, setup.tp);
  addSizes("pp", &Pins::pp, setup.pp);
  addSizes("microbatches", &Pins::microbatches, setup.microbatches);
  if (!given.sequenceParallel && setup.tp > 1)
    add(formatv("sequence_parallel={0}", !setup.sequenceParallel),
        [&](Pins &pins) { pins.sequenceParallel = !setup.sequenceParallel; });
  if (!given.zero && setup.dp > 1)
    add(formatv("zero={0}", 1 - setup.zero),
        [&](Pins &pins) { pins.zero = 1 - setup.zero; });
  if (!given.schedule && setup.pp > 1)
    for (int kind = 0; kind < kSchedules; ++kind)
      if (ScheduleKind(kind) != setup.schedule)
        add(formatv("schedule={0}", getName(ScheduleKind(kind))),
            [&](Pins &pins) { pins.schedule = ScheduleKind(kind); });
  if (given.recompute.empty())
    for (int mode = 0; mode < kRecomputes; ++mode)
      add(formatv("recompute={0}", getName(Recompute(mode))),
          [&](Pins &pins) { pins.recompute = {Recompute(mode)}; });
  return neighbours;
}

/// The setup that comes nearest to fitting, with the least that it needs.
std::optional<Candidate> findNearest(const Problem &problem) {
  std::optional<Candidate> nearest;
  auto need = [](const Candidate &candidate) {
    return candidate.costs[largestStage(candidate)].memory.total();
  };
  std::vector<Setup> setups = enumerateSetups(problem);
  int64_t smallest = std::numeric_limits<int64_t>::max();
  for (const Setup &setup : setups)
    smallest = std::min(smallest, setup.microbatchSize);
  for (const Setup &setup : setups) {
    // Larger microbatches and other schedules of one chunk keep no less.
    if (setup.microbatchSize != smallest && !problem.pins.microbatches)
      continue;
    auto candidate = solveSmallest(problem, setup);
    if (candidate && (!nearest || need(*candidate) < need(*nearest)))
      nearest = std::move(candidate);
  }
  return nearest;
}

std::string describeWhole(const Problem &problem, const Candidate &candidate) {
  return describe(candidate, problem.pins);
}

/// The changes that may help, the smallest first.
std::vector<std::pair<std::string, Problem>>
changesOf(const Problem &problem) {
  std::vector<std::pair<std::string, Problem>> changes;
  auto add = [&](std::string name, auto change) {
    Problem next = problem;
    change(next);
    changes.push_back({std::move(name), std::move(next)});
  };
  const Pins &pins = problem.pins;
  if (pins.microbatches)
    add("another number of microbatches than " +
            std::to_string(*pins.microbatches),
        [](Problem &next) { next.pins.microbatches.reset(); });
  if (!pins.recompute.empty())
    add("another recompute", [](Problem &next) { next.pins.recompute.clear(); });
  if (pins.zero && *pins.zero == 0)
    add("zero=1", [](Problem &next) { next.pins.zero = 1; });
  if (pins.sequenceParallel && !*pins.sequenceParallel)
    add("sequence_parallel=true",
        [](Problem &next) { next.pins.sequenceParallel.reset(); });
  if (pins.stages)
    add("other stages", [](Problem &next) { next.pins.stages.reset(); });
  if (pins.schedule || pins.chunks)
    add("another schedule", [](Problem &next) {
      next.pins.schedule.reset();
      next.pins.chunks.reset();
    });
  for (auto [name, pin] : {std::pair("tp", &Pins::tp), {"pp", &Pins::pp},
                           {"dp", &Pins::dp}})
    if (pins.*pin)
      add(formatv("another {0} than {1}", name, *(pins.*pin)),
          [pin = pin](Problem &next) { (next.pins.*pin).reset(); });
  for (int64_t factor : {2, 4, 8, 16, 32})
    add(formatv("{0} devices", factor * problem.devices), [&](Problem &next) {
      next.devices *= factor;
      // As many as there are more.
      next.pins.dp.reset();
    });
  return changes;
}

} // namespace

std::string formatBytes(int64_t bytes) {
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) + " B"
                   : formatv("{0:f2} {1}", value, units[unit]).str();
}

std::string formatSeconds(double seconds) {
  if (seconds >= 1)
    return formatv("{0:f2} s", seconds);
  if (seconds >= 1e-3)
    return formatv("{0:f2} ms", seconds * 1e3);
  return formatv("{0:f1} us", seconds * 1e6);
}

std::vector<std::string> explain(const Problem &problem,
                                 const Result &result) {
  const Candidate &best = *result.best;
  std::vector<std::string> lines;
  lines.push_back("strategy: " + describeWhole(problem, best));
  const cluster::Cluster &cluster = problem.pricing->cluster();
  lines.push_back(formatv(
      "predicted for {0} {1} ({2}): {3} a step", problem.devices,
      cluster.device().name(),
      cluster.measured() ? "measured constants"
                         : "nominal constants, not measured on the machine",
      formatSeconds(best.time.total)));
  std::string shares;
  for (const Share &share : kShares)
    if (best.time.*share.seconds > 0)
      shares += formatv("{0}{1} {2:P1}", shares.empty() ? "" : ", ", share.name,
                        best.time.*share.seconds / best.time.total)
                    .str();
  lines.push_back("time: " + shares);
  const size_t largest = largestStage(best);
  lines.push_back(formatv("memory of {0}: {1} of {2}",
                          best.costs.size() == 1
                              ? std::string("a rank")
                              : formatv("stage {0}, the largest", largest).str(),
                          describeMemory(best.costs[largest].memory),
                          formatBytes(problem.memory)));
  lines.push_back(formatv(
      "the best of {0:e2} candidates in {1} setups, {2} of them solved, the others "
      "excluded by their bound: no candidate takes less in this model",
      result.candidates, result.setups, result.solved));
  for (const Candidate &other : findRunnersUp(problem, best.setup))
    lines.push_back("next: " + describeWhole(problem, other) + ": " +
                    compare(best, other));
  for (const Neighbour &neighbour : neighboursOf(problem, best)) {
    Problem other = problem;
    other.pins = neighbour.pins;
    if (enumerateSetups(other).empty())
      continue; // No such mesh.
    const Result found = search(other);
    if (found.best) {
      if (found.best->time.total > best.time.total)
        lines.push_back("with " + neighbour.name + ": " +
                        compare(best, *found.best));
      continue;
    }
    if (auto nearest = findNearest(other)) {
      const size_t stage = largestStage(*nearest);
      lines.push_back(formatv(
          "with {0}: does not fit, stage {1} needs at least {2} of {3}",
          neighbour.name, stage,
          formatBytes(nearest->costs[stage].memory.total()),
          formatBytes(problem.memory)));
    }
  }
  return lines;
}

std::string explainEmpty(const Problem &problem) {
  const Pins &pins = problem.pins;
  auto divisorsOf = [](int64_t number) {
    std::string list;
    for (int64_t i = 1; i <= number; ++i)
      if (number % i == 0)
        list += (list.empty() ? "" : ",") + std::to_string(i);
    return list;
  };
  auto mistake = [&](const char *name, int64_t value, const char *whole,
                     int64_t number) -> std::string {
    return formatv("{0}={1} does not divide {2}={3}; legal: {4}", name, value,
                   whole, number, divisorsOf(number));
  };
  int64_t product = 1;
  for (auto [name, pin] : {std::pair("tp", pins.tp), {"pp", pins.pp},
                           {"dp", pins.dp}}) {
    if (!pin)
      continue;
    if (*pin < 1 || problem.devices % *pin != 0)
      return mistake(name, *pin, "devices", problem.devices);
    product *= *pin;
  }
  const bool isWhole = pins.tp && pins.pp && pins.dp;
  if (problem.devices % product != 0 ||
      (isWhole && product != problem.devices))
    return formatv("tp, pp and dp make {0} ranks of devices={1}; expected a "
                   "product that {2} it",
                   product, problem.devices, isWhole ? "is" : "divides");
  if (pins.dp && problem.globalBatch % *pins.dp != 0)
    return mistake("dp", *pins.dp, "global_batch", problem.globalBatch);
  if (pins.microbatches &&
      (*pins.microbatches < 1 || problem.globalBatch % *pins.microbatches != 0))
    return mistake("microbatches", *pins.microbatches, "global_batch",
                   problem.globalBatch);
  if (pins.sequenceParallel.value_or(false) && pins.tp == 1)
    return "sequence_parallel=true splits the sequence over the tp ranks, and "
           "tp=1; expected tp of at least 2";
  if (pins.zero && *pins.zero != 0 && *pins.zero != 1)
    return formatv("zero={0} is not supported; expected 0 or 1", *pins.zero);
  if (pins.chunks && *pins.chunks != 1) {
    if (*pins.chunks < 1 || *pins.chunks > problem.layers / 2)
      return formatv("chunks={0} is out of range; expected 1, or 2 to {1} for "
                     "{2} layers on at least 2 stages",
                     *pins.chunks, problem.layers / 2, problem.layers);
    if (pins.pp && *pins.chunks * *pins.pp > problem.layers)
      return formatv("chunks={0} and pp={1} make {2} pieces of {3} layers; "
                     "expected at most as many",
                     *pins.chunks, *pins.pp, *pins.chunks * *pins.pp,
                     problem.layers);
  }
  if (pins.stages && pins.pp && pins.stages->size() % *pins.pp != 0)
    return formatv("stages has {0} pieces, which pp={1} does not divide",
                   pins.stages->size(), *pins.pp);
  return formatv(
      "no strategy has {0} devices, {1} layers and global_batch={2} with the options "
      "given; expected tp · pp · dp = devices, dp · microbatches to divide "
      "global_batch, pp of at most the layers, and of at least 2 for a schedule other than 1f1b, and "
      "schedule=interleaved for chunks",
      problem.devices, problem.layers, problem.globalBatch);
}

std::vector<std::string> explainMisfit(const Problem &problem) {
  std::vector<std::string> lines;
  const std::optional<Candidate> nearest = findNearest(problem);
  if (!nearest)
    return {"the compiler takes none of the strategies"};
  lines.push_back("nearest is " + describeWhole(problem, *nearest));
  for (auto [stage, cost] : llvm::enumerate(nearest->costs))
    if (cost.memory.total() > problem.memory) {
      // Of many stages the first tells enough.
      if (lines.size() > 4) {
        lines.push_back("and further stages");
        break;
      }
      lines.push_back(formatv("stage {0} needs {1}, a device has {2}", stage,
                              describeMemory(cost.memory),
                              formatBytes(problem.memory)));
    }
  for (const auto &[name, changed] : changesOf(problem))
    if (auto found = search(changed).best) {
      lines.push_back("it fits with " + name + ": " +
                      describe(*found, changed.pins));
      return lines;
    }
  lines.push_back("no single change of an option, nor 32 times the devices, "
                  "makes it fit; a smaller sequence_length or model would");
  return lines;
}

} // namespace mpc::search
