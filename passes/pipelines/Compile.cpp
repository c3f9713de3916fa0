//===- Compile.cpp - the table of contents of the compiler ------*- C++ -*-===//

#include "passes/pipelines/Compile.h"
#include "cluster/read_cluster.h"
#include "passes/lowering/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipelines/Passes.h"
#include "passes/search/Passes.h"
#include "passes/sharding/Passes.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

std::vector<std::string> CompileOptions::getNames() const {
  std::vector<std::string> names;
  for (const auto &[name, option] : OptionsMap)
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}

StrategyOverrides CompileOptions::getOverrides() const {
  StrategyOverrides given;
  if (tp.hasValue())
    given.tp = tp;
  if (dp.hasValue())
    given.dp = dp;
  if (pp.hasValue())
    given.pp = pp;
  if (chunks.hasValue())
    given.chunks = chunks;
  if (stages.hasValue())
    given.stages = std::vector<int64_t>(stages.begin(), stages.end());
  if (recompute.hasValue())
    given.recompute = recompute;
  if (attention.hasValue())
    given.attention = attention;
  if (schedule.hasValue())
    given.schedule = schedule;
  if (microbatches.hasValue())
    given.microbatches = microbatches;
  if (zero.hasValue())
    given.zero = zero;
  if (sequenceParallel.hasValue())
    given.sequenceParallel = sequenceParallel;
  if (strict.hasValue())
    given.strict = strict;
  if (reference.hasValue())
    given.reference = reference;
  return given;
}

/// With auto=true, the pass that chooses what `overrides` leaves open.
static LogicalResult addSearch(OpPassManager &pm, const CompileOptions &options,
                               const CompileEnvironment &environment,
                               const StrategyOverrides &overrides) {
  if (!options.automatic) {
    for (auto [name, isGiven] :
         {std::pair("cluster", options.cluster.hasValue()),
          {"cluster-file", options.clusterFile.hasValue()},
          {"devices", options.devices.hasValue()}})
      if (isGiven) {
        environment.complain(std::string(name) +
                             " is of use with auto=true only");
        return failure();
      }
    return success();
  }
  if (options.cluster.hasValue() == options.clusterFile.hasValue()) {
    environment.complain("auto=true needs one of cluster=NAME and "
                         "cluster-file=PATH");
    return failure();
  }
  std::string name = options.cluster;
  absl::StatusOr<cluster::Cluster> cluster = cluster::Machine(name);
  if (options.clusterFile.hasValue()) {
    name = options.clusterFile;
    FailureOr<std::string> text = environment.readText(name);
    if (failed(text))
      return failure();
    cluster = cluster::ParseCluster(*text);
  }
  if (!cluster.ok()) {
    environment.complain(name + ": " + std::string(cluster.status().message()));
    return failure();
  }
  std::optional<int64_t> devices;
  if (options.devices.hasValue())
    devices = options.devices;
  pm.addPass(createSearchStrategyPass(overrides, *cluster, devices));
  return success();
}

LogicalResult buildCompilePipeline(OpPassManager &pm,
                                   const CompileOptions &options,
                                   const CompileEnvironment &environment) {
  StrategyOverrides overrides = options.getOverrides();
  if (options.strategyFile.hasValue()) {
    FailureOr<StrategyOverrides> file =
        environment.readStrategy(options.strategyFile);
    if (failed(file))
      return failure();
    overrides = overrides.over(*file);
  }
  if (options.scheduleFile.hasValue()) {
    FailureOr<std::string> table = environment.readText(options.scheduleFile);
    if (failed(table))
      return failure();
    overrides.table = *table;
    if (!options.schedule.hasValue())
      overrides.schedule = "file";
  }
  unsigned phases = 0;
  auto endPhase = [&](StringRef name) {
    ++phases;
    if (environment.dumpFolder.empty())
      return;
    std::string file = environment.dumpFolder + "/" + std::to_string(phases) +
                       "-" + name.str() + ".mlir";
    pm.addPass(createDumpIRPass({std::move(file)}));
  };

  if (failed(addSearch(pm, options, environment, overrides)))
    return failure();
  // What was asked for becomes an attribute; nothing later reads an option.
  pm.addPass(createSetStrategyPass(overrides));
  endPhase("strategy");
  // Gradients follow the stage of what they differentiate.
  pm.addPass(createAssignStagesPass());
  // Gradients are taken in the global view, so no cotangent is ever sharded here.
  buildTrainingPipeline(pm);
  endPhase("training");
  // Decides where state lies; everything that follows is derived from it.
  pm.addPass(createApplyStrategyPass());
  endPhase("planning");
  buildShardingPipeline(pm);
  endPhase("sharding");
  // Still typed: what crosses a stage is a value of the whole program.
  buildPipelinePipeline(pm);
  endPhase("pipeline");
  buildPartitionPipeline(pm);
  endPhase("partition");
  buildLoweringPipeline(pm, options.cpu);
  endPhase("lowering");
  return success();
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/pipelines/Passes.h.inc"
} // namespace

void registerCompile(const CompileEnvironment &environment) {
  registerPasses();
  // A pipeline builder cannot fail; a pass that does stands for it.
  static PassPipelineRegistration<CompileOptions> registration(
      "mpc-compile",
      "Compiles an imported model into a plan, e.g. "
      "--mpc-compile=\"tp=2 dp=2 microbatches=4\"",
      [&environment](OpPassManager &pm, const CompileOptions &options) {
        if (failed(buildCompilePipeline(pm, options, environment)))
          pm.addPass(createRefusePass());
      });
}

} // namespace mpc
