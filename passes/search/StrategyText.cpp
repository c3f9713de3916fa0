//===- StrategyText.cpp - what was found, as a strategy and words -*- C++ -*-===//

#include "passes/search/StrategyText.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mpc::search {
namespace {

/// Layers of each piece, in depth order: those of a stage as even as can be over its
/// chunks.
std::vector<int64_t> cutPieces(const Candidate &candidate) {
  const Setup &setup = candidate.setup;
  std::vector<int64_t> pieces(setup.pp * setup.chunks);
  for (int64_t stage = 0; stage < setup.pp; ++stage) {
    const int64_t layers = candidate.stages[stage].count();
    // What is over goes to the last chunks of every stage, which run at one time, but
    // to the head's own chunk last.
    const int64_t end = setup.chunks - 1;
    for (int64_t chunk = 0; chunk <= end; ++chunk) {
      int64_t order = end - chunk;
      if (stage == setup.pp - 1)
        order = chunk == end ? end : order - 1;
      pieces[chunk * setup.pp + stage] =
          layers / setup.chunks + (order < layers % setup.chunks);
    }
  }
  return pieces;
}

/// `full:0-11,none:12-23`, or one word where all layers are alike.
std::string writeModes(ArrayRef<Recompute> modes) {
  if (llvm::all_equal(modes))
    return modes.empty() ? "none" : getName(modes.front());
  std::string text;
  for (size_t begin = 0; begin < modes.size();) {
    size_t end = begin;
    while (end < modes.size() && modes[end] == modes[begin])
      ++end;
    text += (begin ? "," : "") + std::string(getName(modes[begin])) + ":" +
            std::to_string(begin);
    if (end - begin > 1)
      text += "-" + std::to_string(end - 1);
    begin = end;
  }
  return text;
}

std::string getRecompute(const Candidate &candidate, const Pins &pins,
                         ArrayRef<int64_t> pieces) {
  if (!pins.recompute.empty() && pins.recompute.size() > 1)
    return writeModes(pins.recompute);
  std::vector<Recompute> modes;
  std::vector<Mix> left = candidate.stages;
  for (auto [piece, count] : llvm::enumerate(pieces)) {
    Mix &mix = left[piece % candidate.setup.pp];
    for (int64_t layer = 0; layer < count; ++layer)
      for (int mode = kRecomputes; mode-- > 0;)
        if (mix.layers[mode] > 0) {
          --mix.layers[mode];
          modes.push_back(Recompute(mode));
          break;
        }
  }
  return writeModes(modes);
}

} // namespace

const char *getName(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::kGpipe:
    return "gpipe";
  case ScheduleKind::k1f1b:
    return "1f1b";
  case ScheduleKind::kInterleaved:
    return "interleaved";
  case ScheduleKind::kZeroBubble:
    break;
  }
  return "zero-bubble";
}

const char *getName(Recompute mode) {
  switch (mode) {
  case Recompute::kNone:
    return "none";
  case Recompute::kSelective:
    return "selective";
  case Recompute::kFull:
    break;
  }
  return "full";
}

StrategyOverrides toStrategy(const Candidate &candidate, const Pins &pins) {
  const Setup &setup = candidate.setup;
  StrategyOverrides found;
  found.tp = setup.tp;
  found.dp = setup.dp;
  found.pp = setup.pp;
  found.microbatches = setup.microbatches;
  found.sequenceParallel = setup.sequenceParallel;
  found.zero = setup.zero;
  found.chunks = setup.chunks;
  std::vector<int64_t> pieces =
      pins.stages ? *pins.stages : cutPieces(candidate);
  found.recompute = getRecompute(candidate, pins, pieces);
  if (setup.pp > 1) {
    found.schedule = getName(setup.schedule);
    found.stages = pieces;
  }
  return found;
}

std::string describe(const Setup &setup) {
  std::string text =
      llvm::formatv("tp={0} pp={1} dp={2} microbatches={3} (of {4})", setup.tp,
                    setup.pp, setup.dp, setup.microbatches,
                    setup.microbatchSize);
  if (setup.sequenceParallel)
    text += " sequence_parallel=true";
  if (setup.zero)
    text += " zero=" + std::to_string(setup.zero);
  if (setup.pp > 1)
    text += std::string(" schedule=") + getName(setup.schedule);
  if (setup.chunks > 1)
    text += " chunks=" + std::to_string(setup.chunks);
  return text;
}

std::string describe(const Candidate &candidate, const Pins &pins) {
  StrategyOverrides strategy = toStrategy(candidate, pins);
  std::string text = describe(candidate.setup);
  if (*strategy.recompute != "none")
    text += " recompute=" + *strategy.recompute;
  if (strategy.stages && !llvm::all_equal(*strategy.stages)) {
    text += " stages=";
    for (auto [index, count] : llvm::enumerate(*strategy.stages))
      text += (index ? "," : "") + std::to_string(count);
  }
  return text;
}

} // namespace mpc::search
