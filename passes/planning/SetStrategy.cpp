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

/// Ranks that a mesh may have; beyond it a size is a typing error.
constexpr int64_t kMaxRanks = 1 << 20;

struct SetStrategyPass : impl::SetStrategyPassBase<SetStrategyPass> {
  SetStrategyPass() = default;
  explicit SetStrategyPass(const StrategyOverrides &overrides)
      : overrides(overrides) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StrategyOverrides given;
    if (tfm::StrategyAttr carried = tfm::getStrategy(module))
      given = {carried.getTp(),
               carried.getDp(),
               carried.getMicrobatches(),
               carried.getZero(),
               carried.getSequenceParallel(),
               carried.getStrict(),
               carried.getReference()};
    if (overrides.reference.value_or(false)) { // Of one rank.
      StrategyOverrides kept;
      kept.microbatches = given.microbatches;
      given = kept;
    }
    given = overrides.over(given);
    if (failed(verify(given)))
      return signalPassFailure();

    module->removeAttr(tfm::TfmDialect::kStrategyAttrName);
    if (!tfm::getModelHash(module))
      tfm::setModelHash(module, hash(module));
    tfm::setStrategy(
        module, tfm::StrategyAttr::get(
                    &getContext(), given.tp.value_or(1), given.dp.value_or(1),
                    given.microbatches.value_or(1),
                    given.sequenceParallel.value_or(false),
                    given.zero.value_or(0), given.strict.value_or(false),
                    given.reference.value_or(false)));
  }

private:
  LogicalResult verify(const StrategyOverrides &given) {
    ModuleOp module = getOperation();
    for (auto [name, value] : {std::pair("tp", given.tp), {"dp", given.dp},
                               {"microbatches", given.microbatches}})
      if (value && (*value < 1 || *value > kMaxRanks))
        return module.emitError()
               << name << "=" << *value << " is out of range; expected 1 to "
               << kMaxRanks;
    int64_t tp = given.tp.value_or(1), dp = given.dp.value_or(1);
    if (tp * dp > kMaxRanks)
      return module.emitError() << "tp=" << tp << " and dp=" << dp << " make "
                                << tp * dp << " ranks; expected at most "
                                << kMaxRanks;
    if (given.zero && (*given.zero < 0 || *given.zero > 1))
      return module.emitError() << "zero=" << *given.zero
                                << " is not supported; expected 0 or 1";
    if (given.sequenceParallel.value_or(false) && tp == 1)
      return module.emitError()
             << "sequence_parallel needs tensor parallelism: it splits the "
                "sequence over the tp ranks, and tp=1; expected tp of at least 2";
    if (given.reference.value_or(false) && tp * dp != 1)
      return module.emitError()
             << "the reference plan is for one rank; found tp=" << tp
             << " and dp=" << dp << ", expected only microbatches beside it";
    return success();
  }

  static std::string hash(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().useLocalScope());
    std::array<uint8_t, 32> digest =
        llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
    return llvm::toHex(ArrayRef(digest).take_front(16), /*LowerCase=*/true);
  }

  StrategyOverrides overrides;
};

} // namespace

StrategyOverrides
StrategyOverrides::over(const StrategyOverrides &other) const {
  auto choose = [](const auto &mine, const auto &theirs) {
    return mine ? mine : theirs;
  };
  return {choose(tp, other.tp),
          choose(dp, other.dp),
          choose(microbatches, other.microbatches),
          choose(zero, other.zero),
          choose(sequenceParallel, other.sequenceParallel),
          choose(strict, other.strict),
          choose(reference, other.reference)};
}

std::unique_ptr<Pass>
createSetStrategyPass(const StrategyOverrides &overrides) {
  return std::make_unique<SetStrategyPass>(overrides);
}

} // namespace mpc
