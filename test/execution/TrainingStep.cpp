//===- TrainingStep.cpp - a whole step on the host --------------*- C++ -*-===//

#include "test/execution/TrainingStep.h"
#include "frontends/model/ModelSpec.h"
#include "mlir/Pass/PassManager.h"
#include "passes/planning/Passes.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc::execution {

using dist::MeshAttr;
using dist::ShardingAttr;
using tfm::BindingAttr;
using tfm::StateKind;

static void describe(SmallModel kind, ModelSpec &model,
                     TrainingSpec &training) {
  model.hidden = 12;
  model.heads = 4;
  model.ffn = 24;
  model.vocabulary = 23; // Padded to 24.
  model.positions = 12;
  training.globalBatch = 8;
  training.vocabularyMultiple = 24;
  switch (kind) {
  case SmallModel::Gpt:
    model.layers = 2;
    model.kvHeads = 2;
    model.attentionDropout = 0.2;
    model.residualDropout = 0.2;
    model.embeddingDropout = 0.2;
    return;
  case SmallModel::Plain:
    model.layers = 1;
    model.activation = Activation::Gelu;
    model.tiedEmbedding = false;
    model.bias = false;
    training.optimizer = tfm::OptimizerKind::Sgd;
    training.clipNorm = 0;
    return;
  }
}

OwningOpRef<ModuleOp> buildSmallStep(MLIRContext *context, SmallModel kind) {
  ModelSpec model;
  TrainingSpec training;
  describe(kind, model, training);
  SettingOrigins origins(UnknownLoc::get(context));
  if (failed(resolve(model, training, origins)))
    return {};
  OwningOpRef<ModuleOp> module =
      buildModel(context, model, training, tfm::StrategyAttr());
  StrategyOverrides strategy;
  strategy.microbatches = kMicrobatches;
  PassManager pm(context);
  pm.addPass(createSetStrategyPass(strategy));
  buildTrainingPipeline(pm);
  if (failed(pm.run(*module)))
    return {};
  return module;
}

// -------------------------------------------------------------------- state

static Array makeArray(BindingAttr binding, ArrayRef<int64_t> shape,
                       Random &random) {
  Array array(shape);
  StringRef name = binding.getName();
  auto fill = [&](auto number) {
    for (auto [place, value] : llvm::enumerate(array.values))
      value = number(place);
  };
  switch (binding.getKind()) {
  case StateKind::Accumulator:
  case StateKind::Carry:
    break; // Zero before the first microbatch.
  case StateKind::Stash:
  case StateKind::Incoming:
  case StateKind::Outgoing:
  case StateKind::Gradient:
    llvm_unreachable("a step of one stage keeps and sends nothing before lowering");
  case StateKind::Moment2:
    fill([&](size_t) { return random.uniform(0.01, 1); });
    break;
  case StateKind::Counter:
    fill([&](size_t) { return 3; });
    break;
  case StateKind::InputScalar:
    fill([&](size_t) { return name == "seed" ? 12345 : 0.01; });
    break;
  case StateKind::Batch:
    if (name.contains("positions")) // As of sequences that begin anywhere.
      fill([&](size_t place) { return place % shape.back(); });
    else if (name.contains("samples"))
      fill([&](size_t place) { return 100 + place; });
    else // Tokens; a label of -1 is none.
      fill([&](size_t) {
        return random.integer(name.contains("labels") ? -1 : 0, 22);
      });
    break;
  case StateKind::Master:
  case StateKind::Moment1:
  case StateKind::Compute:
  case StateKind::Metric:
    fill([&](size_t) { return random.uniform(-0.5, 0.5); });
    break;
  }
  return array;
}

static BindingAttr withMicrobatch(BindingAttr binding, int64_t microbatch) {
  if (binding.getKind() != StateKind::Batch ||
      binding.getName().getValue().starts_with("step."))
    return binding;
  return BindingAttr::get(
      binding.getContext(), binding.getKind(),
      StringAttr::get(binding.getContext(), binding.getName().getValue() + "." +
                                                Twine(microbatch)));
}

State makeState(ModuleOp step, Random &random) {
  State state;
  for (auto function : step.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      BindingAttr binding =
          tfm::getArgBinding(function, argument.getArgNumber());
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(argument.getType()).getShape();
      if (binding.getName() == "step.labels")
        continue;
      for (int64_t i = 0; i < kMicrobatches; ++i) {
        BindingAttr mine = withMicrobatch(binding, i);
        if (!state.count(mine))
          state.insert({mine, makeArray(mine, shape, random)});
      }
    }
  // The labels of all microbatches are those of each.
  MLIRContext *context = step.getContext();
  auto name = [&](const Twine &text) {
    return BindingAttr::get(context, StateKind::Batch,
                            StringAttr::get(context, text));
  };
  Array labels;
  for (int64_t i = 0; i < kMicrobatches; ++i) {
    const Array &mine = state[name("labels." + Twine(i))];
    labels.values.insert(labels.values.end(), mine.values.begin(),
                         mine.values.end());
    labels.shape = mine.shape;
  }
  labels.shape.insert(labels.shape.begin(), kMicrobatches);
  state[name("step.labels")] = labels;
  return state;
}

// --------------------------------------------------------------------- step

namespace {

/// Runs functions one after the other; what one leaves in a state is, rank by
/// rank, what the next one reads.
class StepRunner {
public:
  StepRunner(const State &initial, MeshAttr mesh, Random *random)
      : initial(initial), mesh(mesh), evaluator(mesh, random) {}

  LogicalResult run(func::FuncOp function, int64_t microbatch) {
    SmallVector<RankArrays> arguments;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      BindingAttr binding =
          withMicrobatch(tfm::getArgBinding(function, i), microbatch);
      auto [known, isNew] = ranks.try_emplace(binding);
      if (isNew)
        known->second = distribute(initial.lookup(binding),
                                   getSharding(dist::getGlobalArgType(function, i),
                                               function.getArgumentTypes()[i]),
                                   nullptr);
      arguments.push_back(known->second);
    }
    FailureOr<SmallVector<RankArrays>> found =
        evaluator.call(function, arguments);
    if (failed(found))
      return failure();
    for (auto [i, result] : llvm::enumerate(*found)) {
      BindingAttr binding = tfm::getResultBinding(function, i);
      std::string name = (function.getName() + " " +
                          tfm::stringifyStateKind(binding.getKind()) + " " +
                          binding.getName().getValue() + " " +
                          Twine(microbatch))
                             .str();
      std::string why;
      FailureOr<Array> value = assemble(
          result,
          getSharding(dist::getGlobalResultType(function, i),
                      function.getResultTypes()[i]),
          why);
      if (failed(value))
        return function.emitOpError() << name << ": " << why;
      results[name] = std::move(*value);
      ranks[binding] = std::move(result);
    }
    return success();
  }

  std::map<std::string, Array> results;

private:
  ShardingAttr getSharding(Type global, Type type) {
    if (global)
      return dist::getSharding(global);
    if (ShardingAttr sharding = dist::getSharding(type))
      return sharding;
    return ShardingAttr::getReplicated(
        mesh, cast<RankedTensorType>(type).getRank());
  }

  const State &initial;
  MeshAttr mesh;
  Evaluator evaluator;
  DenseMap<BindingAttr, RankArrays> ranks;
};

} // namespace

FailureOr<std::map<std::string, Array>>
runStep(ModuleOp step, const State &initial, MeshAttr mesh, Random *random) {
  if (!mesh)
    mesh = MeshAttr::get(step.getContext(),
                         dist::AxesAttr::get(step.getContext(), {}), {});
  StepRunner runner(initial, mesh, random);
  auto run = [&](StringRef name, int64_t microbatch) {
    return runner.run(step.lookupSymbol<func::FuncOp>(name), microbatch);
  };
  if (failed(run(tfm::kPrologue, 0)))
    return failure();
  for (int64_t i = 0; i < kMicrobatches; ++i)
    if (failed(run(tfm::kForwardBackward, i)))
      return failure();
  if (failed(run(tfm::kUpdate, 0)))
    return failure();
  return std::move(runner.results);
}

} // namespace mpc::execution
