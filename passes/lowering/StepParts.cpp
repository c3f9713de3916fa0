//===- StepParts.cpp - the functions of a step, by stage --------*- C++ -*-===//

#include "passes/lowering/StepParts.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace mpc {

using exec::ListPhase;

exec::PartAttr getStepPart(func::FuncOp function) {
  if (exec::PartAttr part = exec::getPart(function))
    return part;
  auto phase = llvm::StringSwitch<ListPhase>(function.getSymName())
                   .Case(tfm::kPrologue, ListPhase::Prologue)
                   .Case(tfm::kUpdate, ListPhase::Update)
                   .Default(ListPhase::ForwardBackward);
  return exec::PartAttr::get(function.getContext(), phase, /*piece=*/0,
                             /*stage=*/0);
}

/// The place of a phase in a step.
static int getRank(ListPhase phase) {
  switch (phase) {
  case ListPhase::Prologue:
    return 0;
  case ListPhase::Forward:
  case ListPhase::ForwardBackward:
    return 1;
  case ListPhase::Backward:
    return 2;
  case ListPhase::Weight:
    return 3;
  case ListPhase::Transfer:
    return 4;
  case ListPhase::Update:
    return 5;
  }
  llvm_unreachable("phase of another version");
}

bool isOfMicrobatch(exec::PartAttr part) {
  int rank = getRank(part.getPhase());
  return rank >= 1 && rank <= 3;
}

bool isFirstReader(func::FuncOp function, tfm::BindingAttr binding,
                   ArrayRef<func::FuncOp> functions) {
  int rank = getRank(getStepPart(function).getPhase());
  return llvm::none_of(functions, [&](func::FuncOp other) {
    if (getRank(getStepPart(other).getPhase()) >= rank)
      return false;
    return findArgument(other, binding).has_value();
  });
}

static bool isSharded(Type type) { return type && dist::getSharding(type); }

static LogicalResult verifySpecialized(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("has ")
           << function.getBody().getBlocks().size() << " blocks, expected 1";
  if (!exec::getVariant(function))
    return function.emitOpError("has no exec.variant; expected "
                                "`mpc-specialize-microbatches` to have run");
  for (unsigned index = 0; index != function.getNumArguments(); ++index)
    if (!tfm::getArgBinding(function, index) ||
        !isSharded(dist::getGlobalArgType(function, index)))
      return function.emitOpError("argument #")
             << index << " lacks tfm.binding or the sharded type dist.global";
  for (unsigned index = 0; index != function.getNumResults(); ++index)
    if (!tfm::getResultBinding(function, index) ||
        !isSharded(dist::getGlobalResultType(function, index)))
      return function.emitOpError("result #")
             << index << " lacks tfm.binding or the sharded type dist.global";
  return success();
}

LogicalResult verifySpecialized(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifySpecialized(function)))
      return failure();
  return success();
}

int64_t getMicrobatches(ModuleOp module) {
  tfm::StrategyAttr strategy = tfm::getStrategy(module);
  return strategy ? strategy.getMicrobatches() : 1;
}

llvm::MapVector<int64_t, SmallVector<func::FuncOp>>
groupByStage(ModuleOp module) {
  llvm::MapVector<int64_t, SmallVector<func::FuncOp>> stages;
  for (auto function : module.getOps<func::FuncOp>())
    stages[getStepPart(function).getStage()].push_back(function);
  return stages;
}

std::optional<unsigned> findArgument(func::FuncOp function,
                                     tfm::BindingAttr binding) {
  for (unsigned index = 0; index != function.getNumArguments(); ++index)
    if (tfm::getArgBinding(function, index) == binding)
      return index;
  return std::nullopt;
}

std::optional<unsigned> findResult(func::FuncOp function,
                                   tfm::BindingAttr binding) {
  for (unsigned index = 0; index != function.getNumResults(); ++index)
    if (tfm::getResultBinding(function, index) == binding)
      return index;
  return std::nullopt;
}

void updateFunctionType(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setFunctionType(FunctionType::get(
      function.getContext(), body.getArgumentTypes(),
      body.getTerminator()->getOperandTypes()));
}

/// The function of a part for one of its runs: that of the variant, or of a more
/// general one.
static FailureOr<func::FuncOp> findPart(ModuleOp module,
                                        ArrayRef<func::FuncOp> functions,
                                        ListPhase phase, int64_t piece,
                                        exec::Variant wanted) {
  func::FuncOp found;
  auto fit = [&](exec::Variant variant) {
    if (variant == wanted)
      return 3;
    if (wanted == exec::Variant::Last && variant == exec::Variant::Middle)
      return 2;
    return variant == exec::Variant::Only ? 1 : 0;
  };
  int best = 0;
  for (func::FuncOp function : functions) {
    exec::PartAttr part = getStepPart(function);
    if (part.getPhase() != phase || part.getPiece() != piece)
      continue;
    if (int fits = fit(exec::getVariant(function).getValue()); fits > best) {
      best = fits;
      found = function;
    }
  }
  if (!found)
    return module.emitOpError("lacks a function of the step: ")
           << stringifyListPhase(phase) << " of piece " << piece << " for the "
           << stringifyVariant(wanted) << " microbatch";
  return found;
}

static ListPhase convert(PassKind pass) {
  switch (pass) {
  case PassKind::Forward:
    return ListPhase::Forward;
  case PassKind::Backward:
    return ListPhase::Backward;
  case PassKind::Weight:
    return ListPhase::Weight;
  }
  llvm_unreachable("pass of another version");
}

FailureOr<SmallVector<StepRun>> listRuns(ModuleOp module,
                                         const Schedule *schedule,
                                         int64_t stage,
                                         ArrayRef<func::FuncOp> functions) {
  SmallVector<StepRun> runs;
  int64_t microbatches = getMicrobatches(module);
  llvm::DenseMap<std::pair<int, int64_t>, int64_t> done;
  auto run = [&](ListPhase phase, int64_t piece, int64_t microbatch,
                 int64_t slot) {
    int64_t earlier = done[{int(phase), piece}]++;
    exec::Variant variant = earlier == 0 ? exec::Variant::First
                            : earlier + 1 == microbatches
                                ? exec::Variant::Last
                                : exec::Variant::Middle;
    FailureOr<func::FuncOp> function =
        findPart(module, functions, phase, piece, variant);
    if (succeeded(function))
      runs.push_back({*function, microbatch, slot});
    return LogicalResult(function);
  };
  if (failed(run(ListPhase::Prologue, 0, 0, 0)))
    return failure();
  if (schedule) {
    if (stage < 0 || stage >= schedule->stageCount)
      return module.emitOpError("has functions of stage ")
             << stage << ", the strategy has stages 0 to "
             << schedule->stageCount - 1;
    for (const ScheduleEntry &entry : schedule->stages[stage])
      if (failed(run(convert(entry.pass), entry.piece, entry.microbatch,
                     entry.slot)))
        return failure();
  } else {
    for (int64_t microbatch = 0; microbatch != microbatches; ++microbatch)
      if (failed(run(ListPhase::ForwardBackward, 0, microbatch, 0)))
        return failure();
  }
  for (func::FuncOp function : functions)
    if (getStepPart(function).getPhase() == ListPhase::Transfer)
      runs.push_back({function});
  if (failed(run(ListPhase::Update, 0, 0, 0)))
    return failure();
  return runs;
}

} // namespace mpc
