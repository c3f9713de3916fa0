//===- ScheduleTable.cpp - schedules as text --------------------*- C++ -*-===//

#include "passes/pipeline/Schedule.h"

using namespace mlir;

namespace mpc {

namespace {

/// Reads `F3` or, with several chunks, `F3.1`.
std::optional<ScheduleEntry> parseEntry(StringRef word, int64_t stage,
                                        tfm::StrategyAttr strategy) {
  size_t pass = StringRef("FBW").find(word.take_front());
  auto [microbatch, chunk] = word.drop_front().split('.');
  bool hasChunk = word.contains('.');
  int64_t number, chunkNumber = 0;
  if (pass == StringRef::npos || microbatch.getAsInteger(10, number) ||
      number < 0 ||
      (hasChunk && (chunk.getAsInteger(10, chunkNumber) || chunkNumber < 0 ||
                    chunkNumber >= strategy.getChunks())) ||
      hasChunk != (strategy.getChunks() > 1))
    return std::nullopt;
  return ScheduleEntry{PassKind(pass), stage + strategy.getPp() * chunkNumber,
                       number};
}

} // namespace

FailureOr<Schedule> parseSchedule(StringRef text, tfm::StrategyAttr strategy,
                                  Location location) {
  Schedule schedule{strategy.getPp(), strategy.getChunks(),
                    strategy.getMicrobatches(), {}};
  int64_t lineNumber = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++lineNumber;
    StringRef content = line.split('#').first.trim();
    if (content.empty())
      continue;
    int64_t stage = schedule.stages.size();
    StageSchedule &entries = schedule.stages.emplace_back();
    while (!content.empty()) {
      auto [word, others] = content.split(' ');
      content = others.ltrim();
      std::optional<ScheduleEntry> entry =
          parseEntry(word.rtrim(), stage, strategy);
      if (!entry)
        return emitError(location)
               << "line " << lineNumber << " of the schedule has \"" << word
               << "\"; expected F, B or W and a microbatch"
               << (strategy.getChunks() > 1
                       ? ", a point and a chunk below " +
                             std::to_string(strategy.getChunks()) +
                             ", e.g. F3.1"
                       : std::string(", e.g. F3"));
      schedule.splitsWeights |= entry->pass == PassKind::Weight;
      entries.push_back(*entry);
    }
  }
  if ((int64_t)schedule.stages.size() != strategy.getPp())
    return emitError(location)
           << "the schedule has " << schedule.stages.size()
           << " lines with entries; expected one a stage, pp="
           << strategy.getPp();
  return schedule;
}

} // namespace mpc
