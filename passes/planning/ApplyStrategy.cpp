//===- ApplyStrategy.cpp - Megatron's layout as pins ------------*- C++ -*-===//
//
// Says where tensor, data and sequence parallelism and ZeRO-1 want state to lie
// (Shoeybi et al. 2019; Korthikanti et al. 2022; Rajbhandari et al. 2020). All
// communication follows from these pins by the rules.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/planning/Passes.h"
#include "passes/planning/UndividedSizes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_APPLYSTRATEGYPASS
#include "passes/planning/Passes.h.inc"

namespace {

using dist::AxesAttr;
using dist::ShardingAttr;
using tfm::DimensionKind;
using tfm::StateKind;

struct ApplyStrategyPass : impl::ApplyStrategyPassBase<ApplyStrategyPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    strategy = tfm::getStrategy(module);
    if (!strategy) {
      module.emitError("has no strategy; expected `mpc-set-strategy` to have "
                       "written tfm.strategy");
      return signalPassFailure();
    }
    if (failed(verifyStrategy(strategy, module.getLoc())))
      return signalPassFailure();
    mesh = getMesh(strategy);
    tp = StringAttr::get(&getContext(), "tp");
    dp = StringAttr::get(&getContext(), "dp");
    for (auto function : module.getOps<func::FuncOp>()) {
      collectParameters(function);
      whole.insert_range(findUndividedSizes(function, strategy));
    }
    for (auto function : module.getOps<func::FuncOp>())
      pinArguments(function);
    module.walk([&](tfm::ResidualOp op) { replaceResidual(op); });
    if (failed(report()))
      return signalPassFailure();
  }

private:
  void collectParameters(func::FuncOp function) {
    for (unsigned arg = 0; arg < function.getNumArguments(); ++arg)
      if (tfm::ParameterAttr parameter = tfm::getParameter(function, arg))
        parameters[parameter.getName()] = parameter;
  }

  /// Pins what the user has not pinned. Sets all attributes at once: one by one
  /// would be quadratic.
  void pinArguments(func::FuncOp function) {
    SmallVector<DictionaryAttr> dictionaries;
    for (unsigned arg = 0; arg < function.getNumArguments(); ++arg) {
      NamedAttrList attributes(
          mlir::function_interface_impl::getArgAttrDict(function, arg));
      if (!attributes.get(dist::DistDialect::kPinAttrName))
        if (ShardingAttr sharding = getSharding(function, arg))
          attributes.set(dist::DistDialect::kPinAttrName, sharding);
      dictionaries.push_back(attributes.getDictionary(&getContext()));
    }
    function.setAllArgAttrs(dictionaries);
  }

  bool has(StringAttr axis) { return mesh.getAxisSize(axis) != 0; }

  /// Whether tensor parallelism splits a dimension of this kind and size.
  bool splits(DimensionKind kind, int64_t size) {
    return has(tp) && isTensorParallel(kind) && size % strategy.getTp() == 0;
  }

  ShardingAttr shard(ArrayRef<SmallVector<StringAttr>> dims) {
    SmallVector<AxesAttr> axes;
    for (ArrayRef<StringAttr> dim : dims)
      axes.push_back(AxesAttr::get(&getContext(), dim));
    return ShardingAttr::get(&getContext(), mesh, axes,
                             AxesAttr::get(&getContext(), {}),
                             dist::ReductionKind::Sum);
  }

  /// The pin of a piece of state; null for state that follows from its use.
  ShardingAttr getSharding(func::FuncOp function, unsigned arg) {
    tfm::BindingAttr binding = tfm::getArgBinding(function, arg);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[arg]);
    if (!binding || !type)
      return {};
    SmallVector<SmallVector<StringAttr>> dims(type.getRank());
    switch (binding.getKind()) {
    case StateKind::Accumulator:
    case StateKind::Carry:
    case StateKind::Stash:
    case StateKind::Incoming:
    case StateKind::Outgoing:
    case StateKind::Gradient:
      return {};
    case StateKind::InputScalar:
    case StateKind::Counter:
    case StateKind::Metric:
      return shard(dims);
    case StateKind::Batch: {
      // [b, s], or [microbatch, b, s] of a whole step; samples are [b].
      bool isStep = binding.getName().getValue().starts_with("step.");
      if (has(dp))
        dims[isStep ? 1 : 0].push_back(dp);
      return shard(dims);
    }
    case StateKind::Compute:
    case StateKind::Master:
    case StateKind::Moment1:
    case StateKind::Moment2:
      break;
    }
    tfm::ParameterAttr parameter = parameters.lookup(binding.getName());
    if (!parameter)
      return {};
    for (auto [dim, kind, size] :
         llvm::zip_equal(dims, parameter.getDims(), type.getShape()))
      if (splits(kind.getValue(), size))
        dim.push_back(tp);
    if (strategy.getZero() >= 1 && has(dp) &&
        binding.getKind() != StateKind::Compute)
      splitStorage(parameter, dims, type.getShape());
    return shard(dims);
  }

  /// ZeRO-1: storage is split over dp too, in the first dimension that divides.
  void splitStorage(tfm::ParameterAttr parameter,
                    SmallVectorImpl<SmallVector<StringAttr>> &dims,
                    ArrayRef<int64_t> shape) {
    for (auto [dim, size] : llvm::zip_equal(dims, shape)) {
      int64_t pieces = strategy.getDp() * (dim.empty() ? 1 : strategy.getTp());
      if (size % pieces != 0)
        continue;
      dim.push_back(dp);
      return;
    }
    unsharded.insert(parameter.getName());
  }

  void replaceResidual(tfm::ResidualOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<SmallVector<StringAttr>> dims(type.getRank());
    if (has(dp))
      dims[0].push_back(dp);
    if (strategy.getSequenceParallel() &&
        type.getDimSize(1) % strategy.getTp() == 0)
      dims[1].push_back(tp);
    OpBuilder builder(op);
    Value pin = tfm::build<dist::PinOp>(builder, op.getLoc(), tfm::getPhase(op),
                                        type, op.getX(), shard(dims));
    op.replaceAllUsesWith(pin);
    op.erase();
  }

  /// What stays whole: remarks, or with `strict` one error.
  LogicalResult report() {
    ModuleOp module = getOperation();
    std::string failing;
    for (NamedSize size : whole) {
      std::string text = describeUndivided(size, strategy.getTp());
      if (strategy.getStrict()) {
        failing += (failing.empty() ? "" : "\n") + text;
        continue;
      }
      std::string remark = text + "; what it counts is kept whole on every "
                                  "tp rank";
      tfm::addRemark(module, remark);
      emitRemark(module.getLoc()) << remark;
    }
    if (!failing.empty())
      return module.emitError() << failing;
    for (StringAttr name : unsharded) {
      std::string remark = "no dimension of parameter " + name.getValue().str() +
                           " divides by dp=" +
                           std::to_string(strategy.getDp()) +
                           "; its master and moments are kept on every dp rank";
      tfm::addRemark(module, remark);
    }
    return success();
  }

  tfm::StrategyAttr strategy;
  dist::MeshAttr mesh;
  StringAttr tp, dp;
  DenseMap<StringAttr, tfm::ParameterAttr> parameters;
  /// Sizes that tp does not divide; parameters that dp does not.
  llvm::SetVector<NamedSize> whole;
  llvm::SetVector<StringAttr> unsharded;
};

} // namespace

dist::MeshAttr getMesh(tfm::StrategyAttr strategy) {
  MLIRContext *context = strategy.getContext();
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  for (auto [name, size] :
       {std::pair("pp", strategy.getPp()),
        {"dp", strategy.getDp()},
        {"tp", strategy.getTp()}})
    if (size > 1) {
      names.push_back(StringAttr::get(context, name));
      sizes.push_back(size);
    }
  return dist::MeshAttr::get(context, AxesAttr::get(context, names), sizes);
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/planning/Passes.h.inc"
} // namespace

void registerPlanning() { registerPasses(); }

} // namespace mpc
