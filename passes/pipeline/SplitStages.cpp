//===- SplitStages.cpp - the functions of each stage ------------*- C++ -*-===//
//
// The only program split: what follows handles each stage's functions by
// themselves.
//
//===----------------------------------------------------------------------===//

#include "passes/pipeline/Passes.h"
#include "passes/pipeline/Schedule.h"
#include "passes/pipeline/SplitMicrobatch.h"
#include "passes/pipeline/SplitScalars.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SPLITSTAGESPASS
#include "passes/pipeline/Passes.h.inc"

namespace {

using exec::ListPhase;
using tfm::StateKind;

struct SplitStagesPass : impl::SplitStagesPassBase<SplitStagesPass> {
  void runOnOperation() override {
    module = getOperation();
    tfm::StrategyAttr strategy = tfm::getStrategy(module);
    if (!strategy || strategy.getPp() == 1)
      return;
    auto lookup = [&](StringRef name) {
      return module.lookupSymbol<func::FuncOp>(name);
    };
    prologue = lookup(tfm::kPrologue);
    update = lookup(tfm::kUpdate);
    auto microbatch = lookup(tfm::kForwardBackward);
    FailureOr<Schedule> schedule = makeSchedule(strategy, module.getLoc());
    if (failed(schedule))
      return signalPassFailure();
    if (!prologue || !update || !microbatch) {
      module.emitError("lacks a function of the step, expected @")
          << tfm::kPrologue << ", @" << tfm::kForwardBackward << " and @"
          << tfm::kUpdate;
      return signalPassFailure();
    }
    stageCount = schedule->stageCount;
    MicrobatchSplitter splitter(
        microbatch,
        {stageCount, schedule->getPieceCount(), schedule->splitsWeights});
    if (failed(splitter.run()))
      return signalPassFailure();
    pieces = &splitter;
    for (int64_t stage = 0; stage != stageCount; ++stage)
      writePrologue(stage);
    for (int64_t stage = 0; stage != stageCount; ++stage)
      writeGradientsSent(stage);
    if (failed(writeUpdates()))
      return signalPassFailure();
    for (func::FuncOp function : {prologue, microbatch, update})
      function.erase();
  }

private:
  tfm::BindingAttr bind(StateKind kind, const Twine &name) {
    return tfm::BindingAttr::get(&getContext(), kind,
                                 StringAttr::get(&getContext(), name));
  }

  StepFunction begin(ListPhase phase, StringRef name, int64_t stage,
                     Location location) {
    StepFunction function(module, location, (name + "_" + Twine(stage)).str());
    exec::setPart(function.getFunction(),
                  exec::PartAttr::get(&getContext(), phase, /*piece=*/0, stage));
    return function;
  }

  /// The message in which a parameter goes from its home to another reader, or its
  /// gradient back. Numbered by its place among the parameters.
  std::string nameMessage(StringRef what, int64_t from, int64_t to,
                          StringAttr parameter) {
    unsigned number = numbers.insert({parameter, numbers.size()}).first->second;
    return (what + "_" + Twine(from) + "_" + Twine(to) + "#" + Twine(number))
        .str();
  }

  // ------------------------------------------------------------------ prologue

  /// A stage's prologue: what is computed once a step of its own parameters, and of
  /// all that is no parameter.
  void writePrologue(int64_t stage) {
    StepFunction function =
        begin(ListPhase::Prologue, tfm::kPrologue, stage, prologue.getLoc());
    IRMapping mapping;
    Operation *end = prologue.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      tfm::BindingAttr binding = tfm::getResultBinding(prologue, index);
      if (binding.getKind() != StateKind::Compute) {
        function.addResult(cloneInto(function, value, mapping), binding);
        continue;
      }
      StringAttr name = binding.getName();
      SmallVector<int64_t> stages = pieces->getStagesOf(name);
      if (!llvm::is_contained(stages, stage))
        continue;
      if (stage != stages.front()) {
        Value copy = function.addArgument(
            value.getType(),
            bind(StateKind::Incoming,
                 nameMessage("parameters", stages.front(), stage, name)),
            value.getLoc());
        function.addResult(copy, binding);
        continue;
      }
      Value compute = cloneInto(function, value, mapping);
      function.addResult(compute, binding);
      for (int64_t other : ArrayRef(stages).drop_front())
        function.addResult(compute,
                           bind(StateKind::Outgoing,
                                nameMessage("parameters", stage, other, name)));
    }
    function.finish();
  }

  /// Clones what `value` of the prologue depends on.
  Value cloneInto(StepFunction &function, Value value, IRMapping &mapping) {
    if (Value done = mapping.lookupOrNull(value))
      return done;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned index = argument.getArgNumber();
      Value here = function.addArgument(
          value.getType(), tfm::getArgBinding(prologue, index), value.getLoc(),
          tfm::getParameter(prologue, index));
      mapping.map(value, here);
      return here;
    }
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloneInto(function, operand, mapping);
    function.getBuilder().clone(*op, mapping);
    return mapping.lookup(value);
  }

  // -------------------------------------------------------------------- update

  /// The gradients of parameters that are at home elsewhere leave from where they
  /// were accumulated.
  void writeGradientsSent(int64_t stage) {
    std::optional<StepFunction> function;
    for (BlockArgument argument : update.getArguments()) {
      tfm::BindingAttr binding =
          tfm::getArgBinding(update, argument.getArgNumber());
      SmallVector<int64_t> stages = pieces->getStagesOf(binding.getName());
      if (binding.getKind() != StateKind::Accumulator ||
          !llvm::is_contained(stages, stage) || stages.front() == stage)
        continue;
      if (!function)
        function.emplace(begin(ListPhase::Transfer, "gradients", stage,
                               update.getLoc()));
      Value gradient =
          function->addArgument(argument.getType(), binding, argument.getLoc());
      function->addResult(
          gradient, bind(StateKind::Outgoing,
                         nameMessage("gradients", stage, stages.front(),
                                     binding.getName())));
    }
    if (function)
      function->finish();
  }

  LogicalResult writeUpdates() {
    FailureOr<llvm::DenseMap<Value, Owner>> owners = findOwners(
        update, [&](tfm::BindingAttr binding) -> std::optional<int64_t> {
          if (binding.getKind() == StateKind::Carry)
            return pieces->getWriterOf(binding.getName());
          SmallVector<int64_t> stages = pieces->getStagesOf(binding.getName());
          return stages.empty() ? std::nullopt : std::optional(stages.front());
        });
    if (failed(owners))
      return failure();
    for (int64_t stage = 0; stage != stageCount; ++stage) {
      StepFunction function =
          begin(ListPhase::Update, tfm::kUpdate, stage, update.getLoc());
      UpdateWriter writer(update, *owners, function, stage);
      SmallVector<std::pair<Value, tfm::BindingAttr>> sums;
      for (BlockArgument argument : update.getArguments())
        addReceived(function, writer, argument, stage, sums);
      writer.write();
      for (auto [sum, binding] : sums)
        function.addResult(sum, binding);
      function.finish();
    }
    return success();
  }

  /// The gradient of a parameter that other stages read too: theirs are added.
  void addReceived(StepFunction &function, UpdateWriter &writer,
                   BlockArgument argument, int64_t stage,
                   SmallVectorImpl<std::pair<Value, tfm::BindingAttr>> &sums) {
    tfm::BindingAttr binding =
        tfm::getArgBinding(update, argument.getArgNumber());
    SmallVector<int64_t> stages = pieces->getStagesOf(binding.getName());
    if (binding.getKind() != StateKind::Accumulator || stages.size() < 2 ||
        stages.front() != stage)
      return;
    Value sum = writer.addArgument(argument.getArgNumber());
    for (int64_t other : ArrayRef(stages).drop_front()) {
      Value received = function.addArgument(
          argument.getType(),
          bind(StateKind::Incoming,
               nameMessage("gradients", other, stage, binding.getName())),
          argument.getLoc());
      sum = tfm::build<tfm::AccumulateOp>(
          function.getBuilder(), argument.getLoc(), dist::Phase::Update,
          argument.getType(), sum, received);
    }
    writer.setArgument(argument, sum);
    sums.push_back({sum, binding});
  }

  ModuleOp module;
  func::FuncOp prologue, update;
  MicrobatchSplitter *pieces;
  int64_t stageCount;
  llvm::DenseMap<StringAttr, unsigned> numbers;
};

} // namespace
} // namespace mpc
