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
      given = readStrategy(carried);
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
    tfm::setStrategy(module, makeStrategy(&getContext(), given));
  }

private:
  LogicalResult verify(const StrategyOverrides &given) {
    ModuleOp module = getOperation();
    for (auto [name, value] : {std::pair("tp", given.tp),
                               {"dp", given.dp},
                               {"pp", given.pp},
                               {"chunks", given.chunks},
                               {"microbatches", given.microbatches}})
      if (value && (*value < 1 || *value > kMaxRanks))
        return module.emitError()
               << name << "=" << *value << " is out of range; expected 1 to "
               << kMaxRanks;
    int64_t tp = given.tp.value_or(1), dp = given.dp.value_or(1),
            pp = given.pp.value_or(1);
    if (tp * dp > kMaxRanks || tp * dp * pp > kMaxRanks)
      return module.emitError()
             << "tp=" << tp << ", pp=" << pp << " and dp=" << dp << " make "
             << tp * dp * pp << " ranks; expected at most " << kMaxRanks;
    if (given.zero && (*given.zero < 0 || *given.zero > 1))
      return module.emitError() << "zero=" << *given.zero
                                << " is not supported; expected 0 or 1";
    if (given.sequenceParallel.value_or(false) && tp == 1)
      return module.emitError()
             << "sequence_parallel needs tensor parallelism: it splits the "
                "sequence over the tp ranks, and tp=1; expected tp of at least 2";
    if (given.reference.value_or(false) && tp * dp * pp != 1)
      return module.emitError()
             << "the reference plan is for one rank; found tp=" << tp
             << ", pp=" << pp << " and dp=" << dp
             << ", expected only microbatches beside it";
    return verifyPipeline(given, pp);
  }

  LogicalResult verifyPipeline(const StrategyOverrides &given, int64_t pp) {
    ModuleOp module = getOperation();
    static constexpr StringLiteral kLegal =
        "gpipe, 1f1b, interleaved, zero-bubble or file";
    std::string schedule = given.schedule.value_or("1f1b");
    int64_t chunks = given.chunks.value_or(1);
    if (!llvm::is_contained({StringRef("gpipe"), StringRef("1f1b"),
                             StringRef("interleaved"), StringRef("zero-bubble"),
                             StringRef("file")},
                            StringRef(schedule)))
      return module.emitError() << "schedule=" << schedule
                                << " is not known; expected " << kLegal;
    if (chunks > 1 && pp == 1)
      return module.emitError()
             << "chunks=" << chunks << " divides the layers of a stage, and pp=1 "
             << "has no stages; expected pp of at least 2";
    bool takesChunks = schedule == "interleaved" || schedule == "file";
    if (chunks > 1 && !takesChunks)
      return module.emitError()
             << "schedule=" << schedule << " runs one chunk a stage, found "
             << "chunks=" << chunks
             << "; expected chunks=1, or schedule=interleaved or file";
    if (schedule == "interleaved" && chunks == 1)
      return module.emitError() << "schedule=interleaved runs several chunks a "
                                   "stage; expected chunks of at least 2";
    if (schedule == "file" && !given.table)
      return module.emitError() << "schedule=file needs the table; expected "
                                   "schedule-file=PATH";
    if (schedule != "file" && given.table)
      return module.emitError() << "schedule-file is given and schedule="
                                << schedule << "; expected schedule=file";
    if (given.stages && (int64_t)given.stages->size() != pp * chunks)
      return module.emitError()
             << "stages gives layers for " << given.stages->size()
             << " pieces; expected pp · chunks = " << pp * chunks;
    return success();
  }

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
    return given;
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
          choose(recompute, other.recompute)};
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
      text(given.schedule), text(given.table), text(given.recompute));
}

std::unique_ptr<Pass>
createSetStrategyPass(const StrategyOverrides &overrides) {
  return std::make_unique<SetStrategyPass>(overrides);
}

} // namespace mpc
