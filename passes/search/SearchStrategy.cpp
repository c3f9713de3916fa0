//===- SearchStrategy.cpp - the search as a pass ----------------*- C++ -*-===//

#include "passes/search/Passes.h"
#include "cluster/pricing.h"
#include "cluster/read_cluster.h"
#include "dialects/exec/IR/Exec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/search/Explain.h"
#include "passes/search/PartSource.h"
#include "passes/search/StrategyText.h"
#include "passes/training/RecomputeModes.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SEARCHSTRATEGYPASS
#include "passes/search/Passes.h.inc"

namespace {

using namespace search;

/// As many ranks as a plan may have.
constexpr int64_t kMaxDevices = 1 << 20;
/// Beyond it for a product or a kernel numbers are typing errors.
constexpr double kMaxSeconds = 1e6;
/// Tensor parallelism beyond it is not searched for, however many devices are joined.
constexpr int64_t kMaxTp = 1024;

struct SearchStrategyPass : impl::SearchStrategyPassBase<SearchStrategyPass> {
  using Base::Base;
  SearchStrategyPass(const StrategyOverrides &pins,
                     const cluster::Cluster &cluster,
                     std::optional<int64_t> devices)
      : given(pins), cluster(cluster) {
    if (devices)
      this->devices = *devices;
  }

  void runOnOperation() override {
    if (failed(chooseCluster()) || failed(searchModel()))
      signalPassFailure();
  }

private:
  LogicalResult chooseCluster() {
    if (!cluster) {
      absl::StatusOr<cluster::Cluster> found =
          cluster::Machine(machine.getValue());
      if (!found.ok())
        return complain(found.status());
      cluster = *found;
    }
    // A machine is as many of its kind as are asked for.
    if (devices.hasValue())
      cluster->set_devices(devices);
    if (cluster->devices() < 1 || cluster->devices() > kMaxDevices)
      return getOperation().emitError("devices=")
             << cluster->devices() << " is out of range; expected 1 to "
             << kMaxDevices;
    if (absl::Status status = cluster::CheckCluster(*cluster); !status.ok())
      return complain(status);
    return success();
  }

  LogicalResult complain(const absl::Status &status) {
    return getOperation().emitError()
           << "cluster: " << std::string(status.message());
  }

  LogicalResult searchModel() {
    ModuleOp module = getOperation();
    FailureOr<Representative> model = Representative::create(module);
    if (failed(model))
      return failure();
    const cluster::Pricing pricing(*cluster);
    for (const cluster::Work &work :
         {cluster::Work(cluster::Product{4096, 4096, 4096}),
          cluster::Work(cluster::Traffic{1 << 30})})
      if (double seconds = pricing.Seconds(work); seconds > kMaxSeconds)
        return module.emitError("cluster ")
               << cluster->name() << " takes " << seconds
               << " s for a product of 4096 or to move 1 GiB; expected at most "
               << kMaxSeconds;
    Problem problem;
    problem.layers = model->getLayers();
    problem.globalBatch = model->getGlobalBatch();
    problem.devices = cluster->devices();
    problem.memory = pricing.usable_bytes();
    problem.pricing = &pricing;
    // Tensor-parallel collectives are in every layer: they take the fastest links.
    const int64_t joined =
        cluster->links_size() ? cluster->links(0).devices() : 0;
    problem.largestTp = std::min(joined > 0 ? joined : problem.devices, kMaxTp);
    if (failed(readPins(problem)))
      return failure();
    PartSource source(*model, pricing, given.attention.value_or("fused"),
                      given.strict.value_or(false));
    problem.parts = [&](const Setup &setup) { return source.getParts(setup); };
    problem.states = [&](const Setup &setup) {
      return source.getStates(setup);
    };
    problem.optimisticStates = [&](const Setup &setup) {
      return source.getOptimisticStates(setup);
    };
    problem.slots = [&](const Setup &setup) {
      return source.getSlots(setup, module.getContext());
    };
    return decide(problem, source);
  }

  /// What a job's own strategy says other than the defaults is decided too.
  void readCarried() {
    tfm::StrategyAttr carried = tfm::getStrategy(getOperation());
    if (!carried)
      return;
    StrategyOverrides decided;
    auto decide = [](int64_t value, int64_t standard,
                     std::optional<int64_t> &place) {
      if (value != standard)
        place = value;
    };
    decide(carried.getTp(), 1, decided.tp);
    decide(carried.getDp(), 1, decided.dp);
    decide(carried.getPp(), 1, decided.pp);
    decide(carried.getMicrobatches(), 1, decided.microbatches);
    decide(carried.getZero(), 0, decided.zero);
    decide(carried.getChunks(), 1, decided.chunks);
    if (carried.getSequenceParallel())
      decided.sequenceParallel = true;
    if (carried.getStrict())
      decided.strict = true;
    if (DenseI64ArrayAttr stages = carried.getStages())
      decided.stages = std::vector<int64_t>(stages.asArrayRef());
    for (auto [text, place] :
         {std::pair(carried.getSchedule(), &decided.schedule),
          {carried.getRecompute(), &decided.recompute},
          {carried.getAttention(), &decided.attention}})
      if (text)
        *place = text.str();
    given = given.over(decided);
  }

  LogicalResult readPins(Problem &problem) {
    ModuleOp module = getOperation();
    readCarried();
    Pins &pins = problem.pins;
    pins.tp = given.tp;
    pins.dp = given.dp;
    pins.pp = given.pp;
    pins.microbatches = given.microbatches;
    pins.zero = given.zero;
    pins.chunks = given.chunks;
    pins.sequenceParallel = given.sequenceParallel;
    pins.stages = given.stages;
    if (given.reference.value_or(false))
      return module.emitError("reference=true is a plan of one rank; found "
                              "auto=true, expected one of them");
    if (given.schedule) {
      for (int kind = 0; kind < kSchedules; ++kind)
        if (*given.schedule == search::getName(ScheduleKind(kind)))
          pins.schedule = ScheduleKind(kind);
      if (!pins.schedule)
        return module.emitError("schedule=")
               << *given.schedule << " cannot be searched for; expected gpipe, "
               << "1f1b, interleaved or zero-bubble with auto=true";
    }
    if (pins.stages) {
      int64_t sum = 0;
      for (int64_t count : *pins.stages) {
        if (count < 0 || count > problem.layers)
          return module.emitError("stages has ")
                 << count << " layers in a piece; expected 0 to the model's "
                 << problem.layers;
        sum += count;
      }
      if (sum != problem.layers)
        return module.emitError("stages gives ")
               << sum << " layers; expected the model's " << problem.layers;
    }
    if (!given.recompute)
      return success();
    auto modes = parseRecomputeModes(*given.recompute, problem.layers,
                                     module.getLoc());
    if (failed(modes))
      return failure();
    for (RecomputeMode mode : *modes)
      pins.recompute.push_back(Recompute(int(mode)));
    if (llvm::all_equal(pins.recompute))
      pins.recompute.resize(1);
    return success();
  }

  LogicalResult decide(const Problem &problem, PartSource &source) {
    ModuleOp module = getOperation();
    if (enumerateSetups(problem).empty())
      return module.emitError() << explainEmpty(problem);
    const auto begin = std::chrono::steady_clock::now();
    const Result result = search::search(problem);
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    if (!result.best) {
      if (result.solved == 0 && !source.getReason().empty())
        return module.emitError() << source.getReason();
      InFlightDiagnostic error = module.emitError(
          "no strategy fits into the memory of a device");
      for (const std::string &line : explainMisfit(problem))
        error << "\n  " << line;
      return error;
    }
    // The hash is of the model alone.
    module->removeAttr(tfm::TfmDialect::kStrategyAttrName);
    hashModel(module);
    StrategyOverrides found = toStrategy(*result.best, problem.pins);
    found.attention = given.attention;
    found.strict = given.strict;
    // How long it took is no part of the plan.
    std::string text =
        llvm::formatv(" in {0:f2} s, from {1} representatives",
                      seconds.count(), source.getExpansions());
    for (const std::string &line : explain(problem, result)) {
      tfm::addRemark(module, "planner: " + line);
      text += "\n  " + line;
    }
    emitRemark(module.getLoc()) << "the planner has chosen" << text;
    tfm::setStrategy(module, makeStrategy(&getContext(), found));
    return success();
  }

  StrategyOverrides given;
  std::optional<cluster::Cluster> cluster;
};

} // namespace

std::unique_ptr<Pass>
createSearchStrategyPass(const StrategyOverrides &pins,
                         const cluster::Cluster &cluster,
                         std::optional<int64_t> devices) {
  return std::make_unique<SearchStrategyPass>(pins, cluster, devices);
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/search/Passes.h.inc"
} // namespace

void registerSearch() { registerPasses(); }

} // namespace mpc
