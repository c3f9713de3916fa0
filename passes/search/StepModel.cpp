//===- StepModel.cpp - time and memory of a training step -------*- C++ -*-===//

#include "passes/search/StepModel.h"
#include <algorithm>

namespace mpc::search {
namespace {

/// Gaps between buffers take less than one part in so many.
constexpr int64_t kGapShare = 4;

/// What a list of one microbatch alone keeps until it is reduced, at most, of the
/// gradients of a layer.
int64_t gradientsInFlight(const Part &part) {
  int64_t bytes = 0;
  for (const Command &command : part.reductions)
    if (command.kind == Command::Kind::kStart)
      bytes += command.transfer.bytes;
  return bytes / 2;
}

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What is left of `transfers` of several layers beside what these compute. The first
/// layer's computing hides none, nor does any the last one's transfer.
double exposedOf(double transfers, double computing, double transfersOfOne,
                 double computingOfOne, bool overlaps) {
  if (!overlaps)
    return transfers;
  return std::max({0.0, transfersOfOne,
                   transfers - std::max(0.0, computing - computingOfOne)});
}

PartTime priceOf(const Part &part, const cluster::Pricing &pricing,
                 const cluster::Group &tensor, const cluster::Group &data) {
  auto list = [&](Phase phase) {
    return timeOf(part.lists[int(phase)], pricing, tensor);
  };
  const ListTime forward = list(Phase::kForward);
  const ListTime backward = list(Phase::kBackward);
  const ListTime weight = list(Phase::kWeight);
  PartTime time;
  time.forward = forward.total;
  time.backward = backward.total;
  time.weight = weight.total;
  time.exposed = forward.exposed + backward.exposed + weight.exposed;
  time.prologue = list(Phase::kPrologue).total;
  time.update = list(Phase::kUpdate).total;
  if (data.size > 1) {
    time.reductions = dataSecondsOf(part.reductions, pricing, data);
    time.gathers = dataSecondsOf(part.gathers, pricing, data);
    time.updateTransfers =
        dataSecondsOf(part.lists[int(Phase::kUpdate)], pricing, data);
  }
  return time;
}

/// Adds a microbatch's work, and what comes once a step.
void addWork(const PartTime &time, int64_t count, PartTime &sum) {
  for (auto field : {&PartTime::forward, &PartTime::backward,
                     &PartTime::weight, &PartTime::exposed})
    sum.*field += count * (time.*field);
}
void addOnce(const PartTime &time, int64_t count, PartTime &sum) {
  for (auto field :
       {&PartTime::prologue, &PartTime::update, &PartTime::reductions,
        &PartTime::gathers, &PartTime::updateTransfers})
    sum.*field += count * (time.*field);
}

} // namespace

std::vector<int64_t> getSlots(const Setup &setup) {
  const int64_t p = setup.pp, v = setup.chunks, m = setup.microbatches;
  std::vector<int64_t> slots;
  for (int64_t stage = 0; stage < p; ++stage)
    switch (setup.schedule) {
    case ScheduleKind::kGpipe:
      slots.push_back(m);
      break;
    case ScheduleKind::k1f1b:
      slots.push_back(std::min(p - stage, m));
      break;
    case ScheduleKind::kInterleaved:
      if (m % p != 0)
        return {};
      slots.push_back(
          std::min(2 * (p - stage - 1) + (v - 1) * p + 1, m * v));
      break;
    case ScheduleKind::kZeroBubble:
      slots.push_back(std::min(p, m));
      break;
    }
  return slots;
}

PricedParts priceParts(Parts parts, const cluster::Pricing &pricing, int64_t tp,
                       int64_t dp) {
  const cluster::Group tensor = {tp, 1, tp};
  const cluster::Group data = {dp, tp, (dp - 1) * tp + 1};
  PricedParts priced;
  priced.first = priceOf(parts.first, pricing, tensor, data);
  priced.last = priceOf(parts.last, pricing, tensor, data);
  for (int mode = 0; mode < kRecomputes; ++mode)
    priced.layer[mode] = priceOf(parts.layer[mode], pricing, tensor, data);
  priced.parts = std::move(parts);
  return priced;
}

StepModel::StepModel(const cluster::Pricing &pricing, const Setup &setup,
                     const PricedParts &parts, const PricedParts &states,
                     std::vector<int64_t> slots)
    : pricing_(&pricing), setup_(setup), parts_(&parts), states_(&states),
      slots_(std::move(slots)) {
  for (int kind : {1, 3})
    addEnd(parts.first, parts.parts.first, states.parts.first, ends_[kind]);
  for (int kind : {2, 3})
    addEnd(parts.last, parts.parts.last, states.parts.last, ends_[kind]);
  ends_[3].memory.states -= states.parts.last.memory.tied;
  for (int mode = 0; mode < kRecomputes; ++mode)
    inFlight_[mode] = gradientsInFlight(states.parts.layer[mode]);
  const double p = setup.pp, v = setup.chunks, m = setup.microbatches;
  switch (setup.schedule) {
  case ScheduleKind::kGpipe:
  case ScheduleKind::k1f1b:
    periodWeight_ = m - 1;
    fillingWeight_ = 1;
    break;
  case ScheduleKind::kInterleaved:
    periodWeight_ = m - 1 / v;
    fillingWeight_ = 1 / v;
    break;
  case ScheduleKind::kZeroBubble:
    periodWeight_ = m;
    fillingWeight_ = 1 - 1 / p;
    break;
  }
  if (setup.pp == 1)
    return;
  const int64_t stride = setup.tp * setup.dp;
  message_ = pricing.MessageSeconds(parts.parts.first.activationBytes, 0, stride);
  constant_ = 2 * (p - 1) * message_;
  // In the steady state of 1f1b a stage waits for each message: as many
  // microbatches are under way as there are stages to come, and no more.
  if (setup.schedule == ScheduleKind::k1f1b)
    constant_ += (m - 1) * 2 * message_ * (p - 1) / p;
  // The ends of a tied model.
  constant_ +=
      2 * pricing.MessageSeconds(parts.parts.tiedBytes, 0, stride * (setup.pp - 1));
}

void StepModel::addEnd(const PartTime &time, const Part &part,
                       const Part &states, Ends &ends) const {
  ends.period += time.period();
  Memory &memory = ends.memory;
  memory.states += states.memory.states;
  memory.batch = std::max(memory.batch, part.memory.batch);
  memory.channels = std::max(memory.channels, part.memory.channels);
  memory.transient = std::max(
      {memory.transient, part.memory.transient, states.memory.transient});
  // Chunks lie over each other.
  memory.slot = setup_.chunks == 1
                    ? memory.slot + part.memory.slot
                    : std::max(memory.slot, part.memory.slot);
}

double StepModel::periodOf(int64_t stage, const Mix &mix) const {
  double period = endsOf(stage).period;
  for (int mode = 0; mode < kRecomputes; ++mode)
    period += mix.layers[mode] * parts_->layer[mode].period();
  if (setup_.pp > 1 && !pricing_->overlaps_transfers())
    period += 2 * setup_.chunks * message_;
  return period;
}

StageMemory StepModel::memoryOf(int64_t stage, const Mix &mix) const {
  const Memory &ends = endsOf(stage).memory;
  StageMemory memory;
  memory.states = ends.states;
  memory.transient = ends.transient;
  int64_t slot = ends.slot, batch = ends.batch, channels = ends.channels;
  int64_t inFlight = 0, ofLayers = 0;
  for (int mode = 0; mode < kRecomputes; ++mode) {
    const int64_t count = mix.layers[mode];
    if (count == 0)
      continue;
    const Memory &layer = parts_->parts.layer[mode].memory;
    memory.states += count * states_->parts.layer[mode].memory.states;
    ofLayers = std::max({ofLayers, layer.transient,
                         states_->parts.layer[mode].memory.transient});
    slot += divideUp(count, setup_.chunks) * layer.slot;
    if (setup_.microbatches == 1 && setup_.dp > 1)
      inFlight += count * inFlight_[mode];
    batch = std::max(batch, layer.batch);
    channels = std::max(channels, layer.channels);
  }
  // What passes from layer to layer.
  if (mix.count() > 1)
    memory.transient += 2 * parts_->parts.first.activationBytes;
  // The memory plan may leave gaps, more of them where unlike things follow each other.
  memory.transient = std::max(memory.transient, ofLayers) +
                     std::min(memory.transient, ofLayers) / 2;
  memory.transient += memory.transient / kGapShare + inFlight;
  memory.stash = slot * (setup_.pp > 1 ? slots_[stage] : 1);
  // Without neighbours what would be messages is passed on all the same.
  memory.other = divideUp(batch, setup_.dp) + setup_.chunks * channels;
  return memory;
}

StageCost StepModel::costOf(int64_t stage, const Mix &mix) const {
  const int64_t layers = mix.count();
  // `plain` recomputes nothing.
  PartTime sum, plain;
  auto add = [&](const PartTime &time, const PartTime &plainTime,
                 const PartTime &once, int64_t count) {
    addWork(time, count, sum);
    addWork(plainTime, count, plain);
    addOnce(once, count, sum);
  };
  for (int mode = 0; mode < kRecomputes; ++mode)
    add(parts_->layer[mode], parts_->layer[0], states_->layer[mode],
        mix.layers[mode]);
  if (stage == 0)
    add(parts_->first, parts_->first, states_->first, 1);
  if (stage == setup_.pp - 1)
    add(parts_->last, parts_->last, states_->last, 1);

  StageCost cost;
  cost.period = periodOf(stage, mix);
  cost.filling = setup_.schedule == ScheduleKind::kZeroBubble
                     ? std::max(0.0, sum.forward + sum.backward - sum.weight)
                     : cost.period;
  cost.forward = sum.forward;
  cost.exposed = sum.exposed;
  // What hides them is what every mode computes, so that which mode is best does not
  // depend on them.
  PartTime one;
  if (layers > 0) {
    addWork(parts_->layer[0], 1, one);
    addOnce(states_->layer[0], 1, one);
  }
  const bool overlaps = pricing_->overlaps_transfers();
  cost.inTurn =
      exposedOf(sum.reductions, plain.backward + plain.weight, one.reductions,
                one.backward + one.weight, overlaps) +
      exposedOf(sum.gathers, plain.forward, one.gathers, one.forward,
                overlaps);
  // A stage ends its list before it hands on: what it waits for, all wait for.
  cost.filling += cost.inTurn / fillingWeight_;
  cost.updateTransfers = sum.updateTransfers;
  cost.once = sum.updateTransfers + sum.prologue + sum.update;
  cost.memory = memoryOf(stage, mix);
  return cost;
}

StepTime StepModel::timeOf(const std::vector<StageCost> &stages) const {
  const StageCost *slowest = &stages.front(), *latest = &stages.front();
  double filling = 0, inTurn = 0;
  for (const StageCost &stage : stages) {
    if (stage.period > slowest->period)
      slowest = &stage;
    if (stage.once > latest->once)
      latest = &stage;
    filling += stage.filling;
    inTurn += stage.inTurn;
  }
  const double m = setup_.microbatches;
  StepTime time;
  time.total = periodWeight_ * slowest->period + fillingWeight_ * filling +
               constant_ + latest->once;
  time.tensor = m * slowest->exposed;
  time.compute = m * slowest->period - time.tensor;
  time.bubble = periodWeight_ * slowest->period + fillingWeight_ * filling -
                inTurn - m * slowest->period;
  time.messages = constant_;
  time.data = inTurn + latest->updateTransfers;
  time.update = latest->once - latest->updateTransfers;
  return time;
}

/// The work of all stages with the fastest mode everywhere.
PartTime StepModel::leastWork(int64_t layers) const {
  PartTime sum;
  addWork(parts_->first, 1, sum);
  addWork(parts_->last, 1, sum);
  const PartTime *least = &parts_->layer[0];
  for (const PartTime &layer : parts_->layer)
    if (layer.period() < least->period())
      least = &layer;
  addWork(*least, layers, sum);
  return sum;
}

double StepModel::leastFilling(int64_t layers) const {
  const PartTime sum = leastWork(layers);
  if (setup_.schedule != ScheduleKind::kZeroBubble)
    return sum.period();
  // Of parts whose weights are not split nothing is known.
  return sum.weight > 0
             ? std::max(0.0, sum.forward + sum.backward - sum.weight)
             : 0;
}

double StepModel::lowerBound(int64_t layers) const {
  // Spread evenly.
  return periodWeight_ * leastWork(layers).period() / setup_.pp +
         fillingWeight_ * leastFilling(layers) + constant_;
}

} // namespace mpc::search
