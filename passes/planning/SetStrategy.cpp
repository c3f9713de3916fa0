//===- SetStrategy.cpp - options become an attribute ------------*- C++ -*-===//
//
// The first pass of mpc-compile: what was asked for is written down once, with the
// hash by which plans of one model are known to be comparable.
//
//===----------------------------------------------------------------------===//

#include "passes/planning/Passes.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SETSTRATEGYPASS
#include "passes/planning/Passes.h.inc"

namespace {

struct SetStrategyPass : impl::SetStrategyPassBase<SetStrategyPass> {
  SetStrategyPass() = default;
  explicit SetStrategyPass(const StrategyOverrides &overrides)
      : overrides(overrides) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StrategyOverrides given;
    if (tfm::StrategyAttr carried = tfm::getStrategy(module))
      given = readStrategy(carried);
    if (overrides.reference.value_or(false)) { // Of one rank.
      StrategyOverrides kept;
      kept.microbatches = given.microbatches;
      given = kept;
    }
    // Another schedule than the table that the module carries.
    if (overrides.schedule && *overrides.schedule != "file")
      given.table.reset();
    given = overrides.over(given);
    tfm::StrategyAttr strategy = makeStrategy(&getContext(), given);
    if (failed(verifyStrategy(strategy, module.getLoc())))
      return signalPassFailure();

    module->removeAttr(tfm::TfmDialect::kStrategyAttrName);
    hashModel(module);
    tfm::setStrategy(module, strategy);
  }

private:
  static StrategyOverrides readStrategy(tfm::StrategyAttr carried) {
    StrategyOverrides given;
    given.tp = carried.getTp();
    given.dp = carried.getDp();
    given.pp = carried.getPp();
    given.microbatches = carried.getMicrobatches();
    given.zero = carried.getZero();
    given.chunks = carried.getChunks();
    given.sequenceParallel = carried.getSequenceParallel();
    given.strict = carried.getStrict();
    given.reference = carried.getReference();
    if (DenseI64ArrayAttr stages = carried.getStages())
      given.stages = std::vector<int64_t>(stages.asArrayRef());
    if (StringAttr schedule = carried.getSchedule())
      given.schedule = schedule.str();
    if (StringAttr table = carried.getTable())
      given.table = table.str();
    if (StringAttr recompute = carried.getRecompute())
      given.recompute = recompute.str();
    if (StringAttr attention = carried.getAttention())
      given.attention = attention.str();
    return given;
  }

  StrategyOverrides overrides;
};

} // namespace

void hashModel(ModuleOp module) {
  if (tfm::getModelHash(module))
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  std::array<uint8_t, 32> digest =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  tfm::setModelHash(module, llvm::toHex(ArrayRef(digest).take_front(16),
                                        /*LowerCase=*/true));
}

StrategyOverrides
StrategyOverrides::over(const StrategyOverrides &other) const {
  auto choose = [](const auto &mine, const auto &theirs) {
    return mine ? mine : theirs;
  };
  return {choose(tp, other.tp),
          choose(dp, other.dp),
          choose(pp, other.pp),
          choose(microbatches, other.microbatches),
          choose(zero, other.zero),
          choose(chunks, other.chunks),
          choose(sequenceParallel, other.sequenceParallel),
          choose(strict, other.strict),
          choose(reference, other.reference),
          choose(stages, other.stages),
          choose(schedule, other.schedule),
          choose(table, other.table),
          choose(recompute, other.recompute),
          choose(attention, other.attention)};
}

tfm::StrategyAttr makeStrategy(MLIRContext *context,
                               const StrategyOverrides &given) {
  Builder builder(context);
  auto text = [&](const std::optional<std::string> &value) {
    return value ? builder.getStringAttr(*value) : StringAttr();
  };
  return tfm::StrategyAttr::get(
      context, given.tp.value_or(1), given.dp.value_or(1),
      given.microbatches.value_or(1), given.sequenceParallel.value_or(false),
      given.zero.value_or(0), given.strict.value_or(false),
      given.reference.value_or(false), given.pp.value_or(1),
      given.chunks.value_or(1),
      given.stages ? builder.getDenseI64ArrayAttr(*given.stages)
                   : DenseI64ArrayAttr(),
      text(given.schedule), text(given.table), text(given.recompute),
      text(given.attention));
}

std::unique_ptr<Pass>
createSetStrategyPass(const StrategyOverrides &overrides) {
  return std::make_unique<SetStrategyPass>(overrides);
}

} // namespace mpc
