//===- Schedule.h - the order in which stages run microbatches --*- C++ -*-===//
//
// A schedule is a table: a line a stage, an entry for each forward, backward and
// weight pass of a microbatch through a piece of the model. The lowering takes any
// table that is legal.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_PIPELINE_SCHEDULE_H
#define MPC_PASSES_PIPELINE_SCHEDULE_H

#include "dialects/transformer/IR/Transformer.h"

namespace mpc {

enum class PassKind { Forward, Backward, Weight };

struct ScheduleEntry {
  PassKind pass;
  /// In depth order over all stages; its stage is this modulo the stages.
  int64_t piece;
  int64_t microbatch;
  /// The copy of the slot region that holds what the microbatch keeps.
  int64_t slot = 0;
};

using StageSchedule = llvm::SmallVector<ScheduleEntry>;

struct Schedule {
  int64_t stageCount, chunks, microbatches;
  llvm::SmallVector<StageSchedule> stages;
  /// Weight gradients have entries of their own; else they are part of backward.
  bool splitsWeights = false;

  int64_t getPieceCount() const { return stageCount * chunks; }
  /// Slots that a stage needs.
  int64_t getSlotCount(int64_t stage) const;
};

/// The schedule that a strategy asks for, legal and with slots. What is wrong with
/// a table is an error at `location`.
mlir::FailureOr<Schedule> makeSchedule(tfm::StrategyAttr strategy,
                                       mlir::Location location);

/// Reads a table: a line a stage, entries `F3 B3 W3`, of chunk c `F3.c`, `#` begins a
/// comment. Whether it is legal is not checked.
mlir::FailureOr<Schedule> parseSchedule(llvm::StringRef text,
                                        tfm::StrategyAttr strategy,
                                        mlir::Location location);

/// What is wrong with a schedule, or nothing: every pass is there once, each stage's
/// own, after what it needs, and no stage waits for ever. A message may be under way
/// until the next pass that sends on its channel; a receive is asked for when its
/// pass begins.
std::string findFault(const Schedule &schedule);

} // namespace mpc

#endif // MPC_PASSES_PIPELINE_SCHEDULE_H
