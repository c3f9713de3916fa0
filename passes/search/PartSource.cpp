//===- PartSource.cpp - prices of a model's parts, made once ----*- C++ -*-===//

#include "passes/search/PartSource.h"
#include "passes/pipeline/Schedule.h"
#include "passes/planning/Passes.h"
#include "passes/search/StrategyText.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace mpc::search {
namespace {

/// The smallest divisor of `number` above 1; 1 of 1.
int64_t smallestFactor(int64_t number) {
  for (int64_t i = 2; i * i <= number; ++i)
    if (number % i == 0)
      return i;
  return number;
}

/// The largest microbatch of which there are three: one that is neither the first nor
/// the last.
int64_t largestRepeated(int64_t batch) {
  for (int64_t count = 3; count < batch; ++count)
    if (batch % count == 0)
      return batch / count;
  return 1;
}

} // namespace

const Parts *PartSource::expand(const Seed &seed) {
  auto [place, isNew] = expanded.try_emplace(seed);
  if (!isNew)
    return place->second.get();
  ++expansions;
  std::string why;
  FailureOr<Parts> parts = model.expand(seed, why);
  if (failed(parts)) {
    reason = why;
    return nullptr;
  }
  place->second = std::make_unique<Parts>(std::move(*parts));
  return place->second.get();
}

const PricedParts *PartSource::getParts(const Setup &setup) {
  Seed seed;
  seed.tp = setup.tp;
  seed.sequenceParallel = setup.sequenceParallel;
  seed.splitsWeights = setup.schedule == ScheduleKind::kZeroBubble;
  seed.attention = attention;
  seed.strict = strict;
  seed.microbatchSize = setup.microbatchSize;
  auto [place, isNew] = priced.try_emplace(seed);
  if (!isNew)
    return place->second.get();
  const Parts *parts = nullptr;
  Parts between;
  const int64_t most = largestRepeated(model.getGlobalBatch());
  if (setup.microbatchSize == 1 || setup.microbatchSize >= most) {
    parts = expand(seed);
  } else {
    // Working memory is the largest of many needs, all linear: between two sizes it
    // is no more than the line says, beyond them it may be.
    seed.microbatchSize = 1;
    const Parts *low = expand(seed);
    seed.microbatchSize = most;
    const Parts *high = expand(seed);
    if (low && high) {
      between = interpolate(*low, 1, *high, most, setup.microbatchSize);
      parts = &between;
    }
  }
  if (!parts)
    return nullptr;
  place->second = std::make_unique<PricedParts>(
      priceParts(*parts, pricing, setup.tp, /*dp=*/1));
  return place->second.get();
}

/// What is stored, sent over data and updated depends neither on the microbatch nor on
/// where the sequence is split, and without ZeRO not on how many replicas there are.
/// A microbatch that is both first and last keeps gradients until they are reduced.
Seed PartSource::getStateSeed(const Setup &setup) const {
  Seed seed;
  seed.tp = setup.tp;
  seed.attention = attention;
  seed.strict = strict;
  seed.zero = setup.dp > 1 ? setup.zero : 0;
  seed.dp = setup.dp == 1 || seed.zero > 0
                ? setup.dp
                : smallestFactor(model.getGlobalBatch());
  if (setup.microbatches == 1 && setup.dp > 1)
    seed.microbatchSize = model.getGlobalBatch() / seed.dp;
  return seed;
}

const PricedParts *
PartSource::getOptimisticStates(const Setup &setup) const {
  return expanded.count(getStateSeed(setup)) ? nullptr : &nothing;
}

const PricedParts *PartSource::getStates(const Setup &setup) {
  const Seed seed = getStateSeed(setup);
  Seed key = seed;
  key.dp = setup.dp;
  auto [place, isNew] = states.try_emplace(key);
  if (!isNew)
    return place->second.get();
  const Parts *parts = expand(seed);
  if (!parts)
    return nullptr;
  place->second = std::make_unique<PricedParts>(
      priceParts(*parts, pricing, setup.tp, setup.dp));
  return place->second.get();
}

std::vector<int64_t> PartSource::getSlots(const Setup &setup,
                                          MLIRContext *context) {
  if (std::vector<int64_t> known = search::getSlots(setup); !known.empty())
    return known;
  // What is kept does not grow once every stage has had its turn.
  const int64_t turn = setup.pp * setup.chunks;
  int64_t microbatches = setup.microbatches;
  if (microbatches > 4 * turn)
    microbatches = 4 * turn + microbatches % setup.pp;
  auto [place, isNew] = slots.try_emplace(
      {setup.pp, setup.chunks, int64_t(setup.schedule), microbatches});
  if (!isNew)
    return place->second;
  StrategyOverrides given;
  given.pp = setup.pp;
  given.chunks = setup.chunks;
  given.schedule = getName(setup.schedule);
  given.microbatches = microbatches;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    reason = diagnostic.str();
    return success();
  });
  FailureOr<Schedule> schedule =
      makeSchedule(makeStrategy(context, given), UnknownLoc::get(context));
  if (succeeded(schedule))
    for (int64_t stage = 0; stage < setup.pp; ++stage)
      place->second.push_back(schedule->getSlotCount(stage));
  return place->second;
}

} // namespace mpc::search
