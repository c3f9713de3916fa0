//===- Representative.cpp - the model at a depth that is cheap --*- C++ -*-===//

#include "passes/search/Representative.h"
#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lowering/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/planning/Passes.h"
#include "passes/search/ReadParts.h"
#include "passes/sharding/Passes.h"
#include "passes/training/Layers.h"
#include "passes/training/Passes.h"
#include <tuple>

using namespace mlir;

namespace mpc::search {
namespace {

/// One layer for each mode of recomputation.
constexpr int64_t kKeptLayers = kRecomputes;
/// Enough for a list of each variant.
constexpr int64_t kKeptMicrobatches = 3;

/// The ops of each layer: those between its mark and the next.
SmallVector<SmallVector<Operation *>> findLayerOps(func::FuncOp forward) {
  SmallVector<SmallVector<Operation *>> layers;
  for (auto [op, block] : findLayers(forward).ops) {
    if (block == 0)
      continue;
    layers.resize(std::max<size_t>(layers.size(), block));
    layers[block - 1].push_back(op);
  }
  return layers;
}

bool areEqual(ArrayRef<Operation *> a, ArrayRef<Operation *> b) {
  return llvm::equal(a, b, [](Operation *x, Operation *y) {
    return x->getName() == y->getName() &&
           llvm::equal(x->getOperandTypes(), y->getOperandTypes()) &&
           llvm::equal(x->getResultTypes(), y->getResultTypes());
  });
}

/// Makes what reads layer `kept` + 1 read the end of the model instead.
void cutDepth(func::FuncOp forward, int64_t kept) {
  tfm::ResidualOp end, last;
  for (auto residual : forward.getOps<tfm::ResidualOp>()) {
    if (!residual.getLayer())
      continue;
    last = residual;
    if ((int64_t)*residual.getLayer() == kept)
      end = residual;
  }
  if (end == last)
    return;
  last.getResult().replaceAllUsesWith(end.getResult());
  Block &body = forward.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
  llvm::BitVector unused(forward.getNumArguments());
  for (BlockArgument argument : forward.getArguments())
    if (argument.use_empty() &&
        tfm::getParameter(forward, argument.getArgNumber()))
      unused.set(argument.getArgNumber());
  (void)forward.eraseArguments(unused);
}

/// The passes of mpc-compile up to the kernels.
void buildPipeline(OpPassManager &pm) {
  pm.addPass(createAssignStagesPass());
  buildTrainingPipeline(pm);
  pm.addPass(createApplyStrategyPass());
  buildShardingPipeline(pm);
  buildPipelinePipeline(pm);
  buildPartitionPipeline(pm);
  buildKernelFormation(pm);
}

/// Whether a kernel writes over what it reads of the same type: updates and sums.
bool updatesState(func::FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return isa<tfm::AdamWOp, tfm::SgdOp, tfm::AccumulateOp>(op);
  });
}

/// What the memory plan needs to know of kernels, without compiling them. Others than
/// updates are taken to compute nothing in place, which is never too little memory.
void pretendCompiled(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel.isPrivate())
      continue;
    SmallVector<int64_t> inputs, outputs;
    if (updatesState(kernel))
      for (auto [input, from] : llvm::enumerate(kernel.getArgumentTypes()))
        for (auto [output, to] : llvm::enumerate(kernel.getResultTypes()))
          if (from == to) {
            inputs.push_back(input);
            outputs.push_back(output);
          }
    exec::setCompiled(kernel,
                      exec::CompiledAttr::get(module.getContext(), /*extent=*/1,
                                              inputs, outputs));
  }
}

LogicalResult run(ModuleOp module,
                  llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                 PassManager::Nesting::Explicit);
  pm.enableVerifier(false);
  build(pm);
  return pm.run(module);
}

} // namespace

bool Seed::operator<(const Seed &other) const {
  auto key = [](const Seed &seed) {
    return std::tie(seed.tp, seed.sequenceParallel, seed.microbatchSize,
                    seed.splitsWeights, seed.attention, seed.dp, seed.zero,
                    seed.strict);
  };
  return key(*this) < key(other);
}

FailureOr<Representative> Representative::create(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>(tfm::kForward);
  tfm::TrainingAttr training = tfm::getTraining(module);
  if (!forward || !training)
    return module.emitError("is no imported model: expected @forward and "
                            "tfm.training");
  SmallVector<SmallVector<Operation *>> layers = findLayerOps(forward);
  // The last block is the head.
  if (!layers.empty())
    layers.pop_back();
  if (layers.empty())
    return module.emitError("has no layers to search for; expected tfm.residual "
                            "ops with `layer`");
  for (auto [index, layer] : llvm::enumerate(layers))
    if (!areEqual(layers.front(), layer))
      return module.emitError("layer ")
             << index << " differs from layer 0; auto=true expects a model whose "
             << "layers are all equal";
  Representative result;
  result.layers = layers.size();
  result.kept = std::min(result.layers, kKeptLayers);
  result.globalBatch = training.getGlobalBatch();
  result.model = module.clone();
  cutDepth(result.model->lookupSymbol<func::FuncOp>(tfm::kForward),
           result.kept);
  return result;
}

LogicalResult Representative::expand(const Seed &seed, ArrayRef<Recompute> modes,
                                     Parts &parts) const {
  StrategyOverrides given;
  given.tp = seed.tp;
  given.dp = seed.dp;
  given.zero = seed.zero;
  given.strict = seed.strict;
  given.pp = kept + 2;
  given.microbatches = globalBatch / (seed.dp * seed.microbatchSize);
  given.sequenceParallel = seed.sequenceParallel;
  given.attention = seed.attention;
  given.schedule = seed.splitsWeights ? "zero-bubble" : "1f1b";
  given.stages = std::vector<int64_t>(kept + 2, 1);
  given.stages->front() = given.stages->back() = 0;
  const char *const names[] = {"none", "selective", "full"};
  std::string recompute;
  for (auto [layer, mode] : llvm::enumerate(modes))
    recompute += (layer ? "," : "") + std::string(names[int(mode)]) + ":" +
                 std::to_string(layer);
  given.recompute = recompute;

  OwningOpRef<ModuleOp> copy = cast<ModuleOp>((*model)->clone());
  tfm::setStrategy(*copy, makeStrategy(copy->getContext(), given));
  if (failed(run(*copy, buildPipeline)))
    return failure();
  pretendCompiled(*copy);
  // Slots do not depend on how many microbatches follow.
  given.microbatches = std::min(*given.microbatches, kKeptMicrobatches);
  tfm::setStrategy(*copy, makeStrategy(copy->getContext(), given));
  if (failed(run(*copy, [](OpPassManager &pm) {
        pm.addPass(createAssignMemoryPass());
      })))
    return failure();
  readParts(*copy, modes, parts);
  return success();
}

FailureOr<Parts> Representative::expand(const Seed &seed,
                                        std::string &reason) const {
  // A seed that is refused is no failure of the search.
  ScopedDiagnosticHandler handler(
      (*model)->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            reason.empty())
          reason = diagnostic.str();
        return success();
      });
  const Recompute all[] = {Recompute::kNone, Recompute::kSelective,
                           Recompute::kFull};
  Parts parts;
  for (size_t begin = 0; begin < kRecomputes; begin += kept)
    if (failed(expand(seed,
                      ArrayRef(all).drop_front(begin).take_front(kept), parts)))
      return failure();
  return parts;
}

} // namespace mpc::search
