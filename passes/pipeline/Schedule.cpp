//===- Schedule.cpp - the known schedules, and what is legal ----*- C++ -*-===//

#include "passes/pipeline/Schedule.h"
#include "passes/planning/Passes.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace mpc {

int64_t Schedule::getSlotCount(int64_t stage) const {
  int64_t count = 0;
  for (const ScheduleEntry &entry : stages[stage])
    count = std::max(count, entry.slot + 1);
  return count;
}

// ----------------------------------------------------------- known schedules

namespace {

/// (piece, microbatch) in the order in which a stage runs them.
using Order = SmallVector<std::pair<int64_t, int64_t>>;

/// Runs `warmUp` forward passes, then a backward pass behind each of the others,
/// then the backward passes that are left. Weight passes run `delay` backward
/// passes later, those that are left at the end.
StageSchedule alternate(const Order &forward, const Order &backward,
                        int64_t warmUp, std::optional<int64_t> delay) {
  StageSchedule stage;
  int64_t begun = 0, weighted = 0;
  int64_t total = forward.size();
  auto weight = [&] {
    auto [piece, microbatch] = backward[weighted++];
    stage.push_back({PassKind::Weight, piece, microbatch});
  };
  for (int64_t done = 0; done != total; ++done) {
    for (; begun != total && begun <= done + warmUp; ++begun)
      stage.push_back({PassKind::Forward, forward[begun].first,
                       forward[begun].second});
    stage.push_back(
        {PassKind::Backward, backward[done].first, backward[done].second});
    if (delay && done >= *delay)
      weight();
  }
  while (delay && weighted != total)
    weight();
  return stage;
}

/// Microbatches pass through a stage's pieces in groups of as many as there are
/// stages (Narayanan et al. 2021, section 2.2); the last group may be smaller.
Order makeOrder(int64_t stage, const Schedule &schedule, bool isForward) {
  Order order;
  int64_t p = schedule.stageCount, v = schedule.chunks;
  for (int64_t first = 0; first < schedule.microbatches; first += p)
    for (int64_t chunk = 0; chunk != v; ++chunk)
      for (int64_t i = first; i < std::min(first + p, schedule.microbatches); ++i)
        order.push_back({stage + p * (isForward ? chunk : v - 1 - chunk), i});
  return order;
}

/// Forward passes before the first backward pass, less one.
int64_t getWarmUp(StringRef kind, int64_t stage, const Schedule &schedule) {
  int64_t p = schedule.stageCount, v = schedule.chunks;
  if (kind == "gpipe") // Huang et al. 2019
    return schedule.microbatches * v;
  if (v > 1) // Narayanan et al. 2021, figure 4
    return 2 * (p - stage - 1) + (v - 1) * p;
  return p - stage - 1; // Narayanan et al. 2019, "1F1B"
}

/// The pass after which a microbatch keeps nothing.
PassKind getLastPass(const Schedule &schedule) {
  return schedule.splitsWeights ? PassKind::Weight : PassKind::Backward;
}

void assignSlots(StageSchedule &stage, PassKind last) {
  SmallVector<bool> taken;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> slots;
  for (ScheduleEntry &entry : stage) {
    std::pair key(entry.piece, entry.microbatch);
    if (entry.pass == PassKind::Forward) {
      auto *free = llvm::find(taken, false);
      int64_t slot = free - taken.begin();
      if (free == taken.end())
        taken.push_back(false);
      taken[slot] = true;
      slots[key] = slot;
    }
    entry.slot = slots.lookup(key);
    if (entry.pass == last)
      taken[entry.slot] = false;
  }
}

} // namespace

static void fillKnown(Schedule &schedule, StringRef kind, int64_t extraWarmUp) {
  // Qi et al. 2023, ZB-H1: stage s runs the weight passes s microbatches late, so no
  // stage keeps more than the first one of 1F1B.
  schedule.splitsWeights = kind == "zero-bubble";
  schedule.stages.clear();
  for (int64_t stage = 0; stage != schedule.stageCount; ++stage)
    schedule.stages.push_back(alternate(
        makeOrder(stage, schedule, /*isForward=*/true),
        makeOrder(stage, schedule, /*isForward=*/false),
        getWarmUp(kind, stage, schedule) + extraWarmUp,
        schedule.splitsWeights ? std::optional(stage) : std::nullopt));
}

FailureOr<Schedule> makeSchedule(tfm::StrategyAttr strategy,
                                 Location location) {
  if (failed(verifyStrategy(strategy, location)))
    return failure();
  StringRef kind =
      strategy.getSchedule() ? strategy.getSchedule().getValue() : "1f1b";
  Schedule schedule{strategy.getPp(), strategy.getChunks(),
                    strategy.getMicrobatches(), {}};
  if (kind == "file") {
    FailureOr<Schedule> table =
        parseSchedule(strategy.getTable().getValue(), strategy, location);
    if (failed(table))
      return failure();
    schedule = *table;
  } else {
    fillKnown(schedule, kind, /*extraWarmUp=*/0);
    // Where the last group of microbatches is smaller than the others, interleaving
    // may need to begin more of them before the first backward pass.
    int64_t most = schedule.microbatches * schedule.chunks;
    for (int64_t extra = 1; extra <= most && !findFault(schedule).empty();
         ++extra)
      fillKnown(schedule, kind, extra);
  }
  if (std::string fault = findFault(schedule); !fault.empty())
    return emitError(location) << fault;
  for (StageSchedule &stage : schedule.stages)
    assignSlots(stage, getLastPass(schedule));
  return schedule;
}

// -------------------------------------------------------------------- legal

namespace {

std::string describe(const ScheduleEntry &entry, const Schedule &schedule) {
  std::string text(1, "FBW"[(int)entry.pass]);
  text += std::to_string(entry.microbatch);
  if (schedule.chunks > 1)
    text += "." + std::to_string(entry.piece / schedule.stageCount);
  return text;
}

/// Walks all stages at once, as far as each can go.
class Walk {
public:
  explicit Walk(const Schedule &schedule)
      : schedule(schedule), next(schedule.stageCount, 0) {}

  std::string findFault() {
    if (std::string fault = checkEntries(); !fault.empty())
      return fault;
    if (std::string fault = checkOrders(); !fault.empty())
      return fault;
    bool moved = true;
    while (moved) {
      moved = false;
      for (int64_t stage = 0; stage != schedule.stageCount; ++stage)
        moved |= advance(stage);
    }
    for (int64_t stage = 0; stage != schedule.stageCount; ++stage)
      if (next[stage] != (int64_t)schedule.stages[stage].size())
        return ("the schedule deadlocks: stage " + Twine(stage) + " waits at " +
                describe(schedule.stages[stage][next[stage]], schedule) +
                " for ever (entry " + Twine(next[stage]) + " of its line)")
            .str();
    return "";
  }

private:
  using Key = std::tuple<int, int64_t, int64_t>;
  static Key keyOf(PassKind pass, int64_t piece, int64_t microbatch) {
    return {(int)pass, piece, microbatch};
  }

  /// Each stage's own passes, each once, in an order that one stage alone decides.
  std::string checkEntries() {
    for (int64_t stage = 0; stage != schedule.stageCount; ++stage) {
      ArrayRef<ScheduleEntry> entries = schedule.stages[stage];
      llvm::DenseSet<Key> seen;
      llvm::DenseMap<int64_t, int64_t> lastUpdated;
      for (const ScheduleEntry &entry : entries) {
        auto fault = [&](const Twine &what) {
          return ("the schedule's stage " + Twine(stage) + " has " +
                  describe(entry, schedule) + " " + what)
              .str();
        };
        if (entry.microbatch >= schedule.microbatches)
          return fault("of " + Twine(schedule.microbatches) + " microbatches");
        if (!seen.insert(keyOf(entry.pass, entry.piece, entry.microbatch))
                 .second)
          return fault("twice");
        if (entry.pass != PassKind::Forward &&
            !seen.contains(keyOf(PassKind(int(entry.pass) - 1), entry.piece,
                                 entry.microbatch)))
          return fault(entry.pass == PassKind::Backward ? "before its F"
                                                        : "before its B");
        // Weight gradients add up in ascending order, whatever the schedule.
        if (entry.pass == getLastPass(schedule)) {
          auto [last, isNew] = lastUpdated.insert({entry.piece, -1});
          if (entry.microbatch != last->second + 1)
            return fault("after microbatch " + Twine(last->second) +
                         "; expected ascending microbatches");
          last->second = entry.microbatch;
        }
      }
      int64_t kinds = schedule.splitsWeights ? 3 : 2;
      int64_t expected = kinds * schedule.chunks * schedule.microbatches;
      if ((int64_t)entries.size() != expected)
        return ("the schedule's stage " + Twine(stage) + " has " +
                Twine(entries.size()) + " entries; expected " +
                Twine(expected) + ", " + (kinds == 3 ? "F, B and W" : "F and B") +
                " of each of " + Twine(schedule.microbatches) + " microbatches" +
                (schedule.chunks > 1 ? " and each chunk" : ""))
            .str();
    }
    return "";
  }

  /// Messages arrive in the order in which they are sent: neighbours run the
  /// microbatches in one order.
  std::string checkOrders() {
    llvm::DenseMap<std::pair<int, int64_t>, SmallVector<int64_t>> orders;
    for (const StageSchedule &entries : schedule.stages)
      for (const ScheduleEntry &entry : entries)
        orders[{(int)entry.pass, entry.piece}].push_back(entry.microbatch);
    for (PassKind pass : {PassKind::Forward, PassKind::Backward})
      for (int64_t piece = 1; piece != schedule.getPieceCount(); ++piece) {
        SmallVector<int64_t> order = orders.lookup({(int)pass, piece});
        SmallVector<int64_t> before = orders.lookup({(int)pass, piece - 1});
        auto [mine, theirs] =
            std::mismatch(order.begin(), order.end(), before.begin());
        if (mine != order.end())
          return ("the schedule runs " +
                  describe({pass, piece, *mine}, schedule) + " on stage " +
                  Twine(piece % schedule.stageCount) + " where stage " +
                  Twine((piece - 1) % schedule.stageCount) + " runs " +
                  describe({pass, piece - 1, *theirs}, schedule) +
                  "; expected one order, in which messages arrive")
              .str();
      }
    return "";
  }

  bool isDone(PassKind pass, int64_t piece, int64_t microbatch) const {
    return begun.contains(keyOf(pass, piece, microbatch));
  }

  bool advance(int64_t stage) {
    ArrayRef<ScheduleEntry> entries = schedule.stages[stage];
    int64_t start = next[stage];
    for (; next[stage] != (int64_t)entries.size(); ++next[stage]) {
      const ScheduleEntry &entry = entries[next[stage]];
      if (!canBegin(entry))
        break;
      begun.insert(keyOf(entry.pass, entry.piece, entry.microbatch));
      sent[{(int)entry.pass, entry.piece}] = entry.microbatch;
    }
    return next[stage] != start;
  }

  bool canBegin(const ScheduleEntry &entry) const {
    int64_t last = schedule.getPieceCount() - 1;
    auto [pass, piece, microbatch, slot] = entry;
    if (pass == PassKind::Weight)
      return true;
    int64_t from = pass == PassKind::Forward ? piece - 1 : piece + 1;
    int64_t to = pass == PassKind::Forward ? piece + 1 : piece - 1;
    // What it reads has been sent.
    if (from >= 0 && from <= last && !isDone(pass, from, microbatch))
      return false;
    // What was last sent from here has been received.
    auto previous = sent.find({(int)pass, piece});
    return to < 0 || to > last || previous == sent.end() ||
           isDone(pass, to, previous->second);
  }

  const Schedule &schedule;
  SmallVector<int64_t> next;
  llvm::DenseSet<Key> begun;
  llvm::DenseMap<std::pair<int, int64_t>, int64_t> sent;
};

} // namespace

std::string findFault(const Schedule &schedule) {
  return Walk(schedule).findFault();
}

} // namespace mpc
