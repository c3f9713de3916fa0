//===- AssignMemory.cpp -----------------------------------------*- C++ -*-===//
//
// The last step down: where every value lies, hence what every command reads and
// writes. All that follows is a matter of format.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ChannelLists.h"
#include "passes/lowering/EmitCommands.h"
#include "passes/lowering/LocationName.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/StepParts.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_ASSIGNMEMORYPASS
#include "passes/lowering/Passes.h.inc"

namespace {

/// Writes the role of one stage.
class RoleWriter {
public:
  RoleWriter(ModuleOp module, OpBuilder &builder, const Schedule *schedule,
             int64_t stage, ArrayRef<func::FuncOp> functions)
      : module(module), builder(builder), schedule(schedule), stage(stage),
        functions(functions), channels(functions) {}

  LogicalResult write() {
    FailureOr<SmallVector<StepRun>> runs =
        listRuns(module, schedule, stage, functions);
    if (failed(runs))
      return failure();
    FailureOr<StateTable> states = StateTable::create(functions);
    if (failed(states))
      return failure();
    OpBuilder::InsertionGuard guard(builder);
    int64_t slots = 0;
    if (states->getSlotBytes() > 0)
      slots = schedule ? schedule->getSlotCount(stage) : 1;
    auto role = exec::RoleOp::create(
        builder, module.getLoc(), stage, states->getMesh(),
        states->getPersistentBytes(), states->getSlotBytes(), slots,
        /*transient_bytes=*/0);
    builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
    states->emit(builder);
    int64_t transientBytes = 0;
    for (func::FuncOp function : functions) {
      ListMemory memory(function, *states);
      transientBytes = std::max(transientBytes, memory.getTransientBytes());
      if (failed(writeList(function, memory)))
        return failure();
    }
    role.setTransientBytes(transientBytes);
    channels.emit(*states, builder);
    if (slots == 0) // The stage keeps nothing.
      for (StepRun &run : *runs)
        run.slot = 0;
    writeSchedule(*runs, states->hasSlotBatch());
    writeObservables();
    return success();
  }

private:
  LogicalResult writeList(func::FuncOp function, const ListMemory &memory) {
    exec::PartAttr part = getStepPart(function);
    auto list = exec::ListOp::create(
        builder, function.getLoc(), function.getSymName(), part.getPhase(),
        exec::getVariant(function).getValue(), part.getPiece());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&list.getBody().emplaceBlock());
    return emitCommands(memory, builder);
  }

  // ------------------------------------------------------------------ schedule

  void run(StringRef list, const StepRun &at, bool loadBatch = false) {
    exec::RunOp::create(builder, module.getLoc(), list, at.microbatch,
                        at.slot, loadBatch);
    ++entries;
  }

  void transfer(ChannelLists::Kind kind, StringRef channel, const StepRun &at) {
    run(ChannelLists::getListName(kind, channel), at);
  }

  /// What arrives is asked for one run ahead where its memory is free by then, so
  /// that it travels while the stage computes; what leaves is waited for when its
  /// memory is needed again.
  void writeSchedule(ArrayRef<StepRun> runs, bool loadsSlots) {
    llvm::SetVector<StringRef> leaving;
    auto post = [&](const StepRun &at) {
      for (StringRef channel : channels.getReceived(at.function))
        transfer(ChannelLists::Kind::Post, channel, at);
    };
    bool isPosted = false;
    for (const auto &[index, at] : llvm::enumerate(runs)) {
      func::FuncOp function = at.function;
      exec::PartAttr part = getStepPart(function);
      if (!isPosted)
        post(at);
      for (StringRef channel : channels.getReceived(function))
        transfer(ChannelLists::Kind::Take, channel, at);
      for (StringRef channel : llvm::to_vector(leaving))
        if (part.getPhase() == exec::ListPhase::Update ||
            llvm::is_contained(channels.getSent(function), channel)) {
          leaving.remove(channel);
          transfer(ChannelLists::Kind::Sent, channel, at);
        }
      isPosted = index + 1 != runs.size() && canPostDuring(at, runs[index + 1]);
      if (isPosted)
        post(runs[index + 1]);
      // Batch inputs of the whole step are loaded at its start in any case.
      run(function.getSymName(), at,
          loadsSlots && (part.getPhase() == exec::ListPhase::Forward ||
                         part.getPhase() == exec::ListPhase::ForwardBackward));
      lastEntry[function] = entries - 1;
      for (StringRef channel : channels.getSent(function)) {
        leaving.insert(channel);
        transfer(ChannelLists::Kind::Send, channel, at);
      }
    }
  }

  /// Whether what `next` is to receive has its memory while `at` runs.
  bool canPostDuring(const StepRun &at, const StepRun &next) const {
    return isOfMicrobatch(getStepPart(at.function)) &&
           isOfMicrobatch(getStepPart(next.function)) && at.slot != next.slot &&
           getStepPart(at.function) != getStepPart(next.function);
  }

  // --------------------------------------------------------------- observables

  void observe(const Twine &name, exec::StateKind kind, StringAttr state,
               int64_t entry, StringAttr location) {
    exec::ObserveOp::create(builder, module.getLoc(),
                            builder.getStringAttr(name),
                            exec::StateKindAttr::get(module.getContext(), kind),
                            state, builder.getI64IntegerAttr(entry), location);
  }

  /// Gradients, once nothing is added any more, on the stage that they are sent to if
  /// they are, and the metrics of the step.
  void writeObservables() {
    struct Gradient {
      int64_t entry = -1;
      exec::StateKind kind = exec::StateKind::Accumulator;
      StringAttr location;
    };
    llvm::MapVector<StringAttr, Gradient> gradients;
    llvm::MapVector<StringAttr, int64_t> metrics;
    llvm::DenseSet<StringAttr> sentAway;
    for (func::FuncOp function : functions) {
      if (getStepPart(function).getPhase() == exec::ListPhase::Transfer)
        for (unsigned index = 0; index != function.getNumArguments(); ++index)
          sentAway.insert(tfm::getArgBinding(function, index).getName());
      auto last = lastEntry.find(function);
      if (last == lastEntry.end())
        continue;
      Operation *end = function.getBody().front().getTerminator();
      for (auto [index, value] : llvm::enumerate(end->getOperands())) {
        tfm::BindingAttr binding = tfm::getResultBinding(function, index);
        if (binding.getKind() == tfm::StateKind::Metric)
          metrics[binding.getName()] = entries - 1;
        bool isReduced = binding.getKind() == tfm::StateKind::Gradient;
        if (!isReduced && binding.getKind() != tfm::StateKind::Accumulator)
          continue;
        Gradient &gradient = gradients[binding.getName()];
        if (last->second < gradient.entry)
          continue;
        gradient.entry = last->second;
        gradient.kind = isReduced ? exec::StateKind::Gradient
                                  : exec::StateKind::Accumulator;
        if (std::string name = getLocationName(value.getLoc()); !name.empty())
          gradient.location = builder.getStringAttr(name);
      }
    }
    for (const auto &[name, gradient] : gradients)
      if (!sentAway.contains(name))
        observe("grad:" + name.getValue(), gradient.kind, name, gradient.entry,
                gradient.location);
    for (const auto &[name, entry] : metrics)
      observe(name.getValue(), exec::StateKind::Metric, name, entry,
              StringAttr());
  }

  ModuleOp module;
  OpBuilder &builder;
  /// Null where the step has one stage.
  const Schedule *schedule;
  int64_t stage;
  ArrayRef<func::FuncOp> functions;
  ChannelLists channels;
  int64_t entries = 0;
  /// Of the schedule, by function.
  llvm::DenseMap<Operation *, int64_t> lastEntry;
};

/// Writes the roles, and the kernels that they use, at the end of a module.
class ModuleWriter {
public:
  explicit ModuleWriter(ModuleOp module)
      : module(module), builder(module.getBodyRegion()) {}

  LogicalResult write() {
    if (failed(collect()))
      return failure();
    builder.setInsertionPointToEnd(module.getBody());
    writeKernels();
    emitChannels(functions, builder);
    std::optional<Schedule> schedule;
    tfm::StrategyAttr strategy = tfm::getStrategy(module);
    if (strategy && strategy.getPp() > 1) {
      FailureOr<Schedule> made = makeSchedule(strategy, module.getLoc());
      if (failed(made))
        return failure();
      schedule = *made;
    }
    for (auto &[stage, own] : stages)
      if (failed(RoleWriter(module, builder, schedule ? &*schedule : nullptr,
                            stage, own)
                     .write()))
        return failure();
    for (func::FuncOp function : functions)
      function.erase();
    for (func::FuncOp kernel : kernels)
      kernel.erase();
    return success();
  }

private:
  /// Finds the functions of the step, by stage, and the kernels.
  LogicalResult collect() {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isPrivate()) {
        if (!exec::getCompiled(function))
          return function.emitOpError("is a kernel that has not been compiled");
        kernels.push_back(function);
      } else if (!exec::getVariant(function)) {
        return function.emitOpError("has no exec.variant");
      } else {
        functions.push_back(function);
        stages[getStepPart(function).getStage()].push_back(function);
      }
    }
    if (functions.empty())
      return module.emitOpError("lacks the functions of a step");
    return success();
  }

  /// The model's ops that a kernel computes, e.g. `bias_add gelu` or `add*3 sqrt`.
  static std::string describe(func::FuncOp kernel) {
    SmallVector<std::pair<StringRef, int>> names;
    for (Operation &op : kernel.getBody().front()) {
      if (!isa_and_present<tfm::TfmDialect>(op.getDialect()))
        continue;
      StringRef name = op.getName().stripDialect();
      if (names.empty() || names.back().first != name)
        names.push_back({name, 0});
      ++names.back().second;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        names, os,
        [&](auto entry) {
          os << entry.first;
          if (entry.second > 1)
            os << "*" << entry.second;
        },
        " ");
    return text;
  }

  void writeKernels() {
    for (func::FuncOp kernel : kernels)
      exec::KernelOp::create(builder, builder.getUnknownLoc(),
                             kernel.getSymName(), describe(kernel),
                             exec::getCompiled(kernel).getExtent());
  }

  ModuleOp module;
  OpBuilder builder;
  SmallVector<func::FuncOp> functions, kernels;
  /// The functions of each stage.
  std::map<int64_t, SmallVector<func::FuncOp>> stages;
};

struct AssignMemoryPass : impl::AssignMemoryPassBase<AssignMemoryPass> {
  void runOnOperation() override {
    if (failed(ModuleWriter(getOperation()).write()))
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
