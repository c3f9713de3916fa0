//===- RandomStrategy.cpp - shardings that nobody would choose --*- C++ -*-===//

#include "test/execution/RandomStrategy.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace mpc::execution {

using dist::AxesAttr;
using dist::MeshAttr;
using dist::ShardingAttr;
using tfm::StateKind;

MeshAttr makeRandomMesh(MLIRContext *context, Random &random) {
  static const std::vector<std::vector<int64_t>> kSizes = {
      {2},    {3},    {4},    {2, 2},    {2, 3},    {3, 2},    {2, 4},
      {4, 2}, {3, 3}, {3, 4}, {2, 2, 2}, {2, 2, 3}, {4, 3},    {2, 2, 4},
      {4, 4}, {6},    {2, 6}, {2, 4, 2}, {12},      {2, 2, 2, 2}};
  const std::vector<int64_t> &sizes =
      kSizes[random.integer(0, kSizes.size() - 1)];
  SmallVector<StringAttr> names;
  for (size_t i = 0; i < sizes.size(); ++i)
    names.push_back(StringAttr::get(context, Twine("abcd"[i])));
  return MeshAttr::get(context, AxesAttr::get(context, names), sizes);
}

ShardingAttr makeRandomSharding(RankedTensorType type, MeshAttr mesh,
                                bool mayBePartial, Random &random) {
  SmallVector<StringAttr> axes(mesh.getAxes().getNames());
  for (size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[random.integer(0, i - 1)]);
  SmallVector<SmallVector<StringAttr>> dims(type.getRank());
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<StringAttr> partial;
  for (StringAttr axis : axes) {
    if (mayBePartial && random.chance(0.3)) {
      partial.push_back(axis);
      continue;
    }
    // One more choice than there are dimensions: none.
    int64_t dim = random.integer(0, type.getRank());
    int64_t size = mesh.getAxisSize(axis);
    if (dim == type.getRank() || sizes[dim] % size != 0)
      continue;
    sizes[dim] /= size;
    dims[dim].push_back(axis);
  }
  MLIRContext *context = mesh.getContext();
  SmallVector<AxesAttr> split;
  for (ArrayRef<StringAttr> dim : dims)
    split.push_back(AxesAttr::get(context, dim));
  return ShardingAttr::get(context, mesh, split, AxesAttr::get(context, {}),
                           dist::ReductionKind::Sum)
      .withPartial(partial, dist::ReductionKind::Sum);
}

/// Sums that are carried from microbatch to microbatch may stay partial; what the
/// runtime reads or writes may not.
static bool isPinned(StateKind kind) {
  switch (kind) {
  case StateKind::Master:
  case StateKind::Moment1:
  case StateKind::Moment2:
  case StateKind::Compute:
  case StateKind::Batch:
  case StateKind::Accumulator:
  case StateKind::Carry:
    return true;
  case StateKind::InputScalar:
  case StateKind::Counter:
  case StateKind::Metric:
  // Of pipelines and of lowering, which come when shardings are chosen.
  case StateKind::Stash:
  case StateKind::Incoming:
  case StateKind::Outgoing:
  case StateKind::Gradient:
    return false;
  }
  llvm_unreachable("all kinds are listed");
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

void pinAtRandom(ModuleOp step, MeshAttr mesh, Random &random) {
  MLIRContext *context = step.getContext();
  double density = random.uniform(0, 0.4), states = random.uniform(0.2, 1);
  DenseMap<tfm::BindingAttr, ShardingAttr> pins;
  bool isFirst = true;
  for (auto function : step.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments()) {
      tfm::BindingAttr binding =
          tfm::getArgBinding(function, argument.getArgNumber());
      auto type = cast<RankedTensorType>(argument.getType());
      auto [pin, isNew] = pins.try_emplace(binding);
      // Something must name the mesh.
      bool chosen = isPinned(binding.getKind()) &&
                    (isFirst || random.chance(states));
      bool mayBePartial = binding.getKind() == StateKind::Accumulator ||
                          binding.getKind() == StateKind::Carry;
      if (isNew && chosen)
        pin->second = makeRandomSharding(type, mesh, mayBePartial, random);
      if (pin->second) {
        function.setArgAttr(argument.getArgNumber(),
                            dist::DistDialect::kPinAttrName, pin->second);
        isFirst = false;
      }
    }
    SmallVector<Value> values;
    function.walk([&](Operation *op) {
      if (!isa<tfm::ResidualOp>(op))
        llvm::append_range(values, op->getResults());
    });
    for (Value value : values) {
      if (!random.chance(density))
        continue;
      OpBuilder builder(context);
      builder.setInsertionPointAfterValue(value);
      auto type = cast<RankedTensorType>(value.getType());
      bool mayBePartial = isFloat(type) && random.chance(0.3);
      auto pin = tfm::build<dist::PinOp>(
          builder, value.getLoc(), tfm::getPhase(value.getDefiningOp()), type,
          value, makeRandomSharding(type, mesh, mayBePartial, random));
      value.replaceAllUsesExcept(pin, pin);
    }
  }
}

} // namespace mpc::execution
