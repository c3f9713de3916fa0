//===- VerifyStrategy.cpp - what fits in a strategy -------------*- C++ -*-===//

#include "passes/planning/Passes.h"

using namespace mlir;

namespace mpc {
namespace {

/// Ranks that a mesh may have; beyond it a size is a typing error.
constexpr int64_t kMaxRanks = 1 << 20;

constexpr StringLiteral kSchedules[] = {"gpipe", "1f1b", "interleaved",
                                        "zero-bubble", "file"};

LogicalResult verifySizes(tfm::StrategyAttr strategy, Location location) {
  int64_t tp = strategy.getTp(), dp = strategy.getDp(), pp = strategy.getPp();
  for (auto [name, value] :
       {std::pair("tp", tp),
        {"dp", dp},
        {"pp", pp},
        {"chunks", strategy.getChunks()},
        {"microbatches", strategy.getMicrobatches()}})
    if (value < 1 || value > kMaxRanks)
      return emitError(location) << name << "=" << value
                                 << " is out of range; expected 1 to "
                                 << kMaxRanks;
  if (tp * dp > kMaxRanks || tp * dp * pp > kMaxRanks)
    return emitError(location)
           << "tp=" << tp << ", pp=" << pp << " and dp=" << dp << " make "
           << tp * dp * pp << " ranks; expected at most " << kMaxRanks;
  if (strategy.getReference() && tp * dp * pp != 1)
    return emitError(location)
           << "the reference plan is for one rank; found tp=" << tp
           << ", pp=" << pp << " and dp=" << dp
           << ", expected only microbatches beside it";
  return success();
}

LogicalResult verifySchedule(tfm::StrategyAttr strategy, Location location) {
  StringRef schedule =
      strategy.getSchedule() ? strategy.getSchedule().getValue() : "1f1b";
  int64_t pp = strategy.getPp(), chunks = strategy.getChunks();
  if (!llvm::is_contained(kSchedules, schedule))
    return emitError(location)
           << "schedule=" << schedule << " is not known; expected gpipe, 1f1b, "
           << "interleaved, zero-bubble or file";
  if (chunks > 1 && pp == 1)
    return emitError(location)
           << "chunks=" << chunks << " divides the layers of a stage, and pp=1 "
           << "has no stages; expected pp of at least 2";
  if (schedule != "1f1b" && pp == 1)
    return emitError(location)
           << "schedule=" << schedule << " orders the passes of stages, and pp=1 "
           << "has none; expected pp of at least 2";
  if (chunks > 1 && schedule != "interleaved" && schedule != "file")
    return emitError(location)
           << "schedule=" << schedule << " runs one chunk a stage, found "
           << "chunks=" << chunks
           << "; expected chunks=1, or schedule=interleaved or file";
  if (schedule == "interleaved" && chunks == 1)
    return emitError(location) << "schedule=interleaved runs several chunks a "
                                  "stage; expected chunks of at least 2";
  if (schedule == "file" && !strategy.getTable())
    return emitError(location) << "schedule=file needs the table; expected "
                                  "schedule-file=PATH";
  if (schedule != "file" && strategy.getTable())
    return emitError(location) << "schedule-file is given and schedule="
                               << schedule << "; expected schedule=file";
  DenseI64ArrayAttr stages = strategy.getStages();
  if (stages && stages.size() != pp * chunks)
    return emitError(location)
           << "stages gives layers for " << stages.size()
           << " pieces; expected pp · chunks = " << pp * chunks;
  return success();
}

LogicalResult verifyAttention(tfm::StrategyAttr strategy, Location location) {
  StringAttr attention = strategy.getAttention();
  if (!attention || attention == "fused")
    return success();
  if (attention != "unfused")
    return emitError(location) << "attention=" << attention.getValue()
                               << " is not known; expected fused or unfused";
  if (strategy.getReference())
    return emitError(location)
           << "the reference plan runs tfm.attention by its definition; found "
              "attention=unfused, expected only microbatches beside it";
  return success();
}

} // namespace

LogicalResult verifyStrategy(tfm::StrategyAttr strategy, Location location) {
  if (failed(verifySizes(strategy, location)))
    return failure();
  int64_t zero = strategy.getZero();
  if (zero < 0 || zero > 1)
    return emitError(location)
           << "zero=" << zero << " is not supported; expected 0 or 1";
  if (strategy.getSequenceParallel() && strategy.getTp() == 1)
    return emitError(location)
           << "sequence_parallel needs tensor parallelism: it splits the "
              "sequence over the tp ranks, and tp=1; expected tp of at least 2";
  if (failed(verifyAttention(strategy, location)))
    return failure();
  return verifySchedule(strategy, location);
}

} // namespace mpc
