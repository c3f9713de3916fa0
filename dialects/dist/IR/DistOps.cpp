//===- DistOps.cpp - verifiers of the dist ops ------------------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"

using namespace mlir;

namespace mpc::dist {

LogicalResult PinOp::verify() {
  RankedTensorType type = getInput().getType();
  return getSharding().verifyEncoding(type.getShape(), type.getElementType(),
                                      [&] { return emitOpError(); }); // C1
}

RankedTensorType ContributeOp::getContributionType(RankedTensorType type,
                                                   StringAttr axis) {
  ShardingAttr sharding = mpc::dist::getSharding(type);
  SmallVector<StringAttr> axes(sharding.getPartial().getNames());
  axes.push_back(axis);
  return type.cloneWithEncoding(
      sharding.withPartial(axes, sharding.getReduction()));
}

LogicalResult ContributeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  ShardingAttr sharding = mpc::dist::getSharding(from);
  if (!sharding || !sharding.getMesh().getAxes().contains(getAxisAttr()) ||
      sharding.getPartial().contains(getAxisAttr()) ||
      to != getContributionType(from, getAxisAttr())) // C1
    return emitOpError("contributes ")
           << from << " over " << getAxisAttr() << " as " << to
           << ", expected the same type, partial over that axis of its mesh too";
  return success();
}

LogicalResult ReshardOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType()) // C1
    return emitOpError("changes ")
           << from << " into " << to << ", expected only the sharding to change";
  ShardingAttr source = mpc::dist::getSharding(from);
  ShardingAttr target = mpc::dist::getSharding(to);
  if (!source || !target) // C2
    return emitOpError("has type ")
           << (source ? to : from) << ", expected a sharded type";
  if (source.getMesh() != target.getMesh()) // C2
    return emitOpError("goes from ")
           << source.getMesh() << " to " << target.getMesh()
           << ", expected one mesh";
  for (auto [type, sharding] : {std::pair(from, source), std::pair(to, target)})
    if (failed(sharding.verifyEncoding(type.getShape(), type.getElementType(),
                                       [&] { return emitOpError(); })))
      return failure();
  bool toMax = target.isPartial() &&
               target.getReduction() == ReductionKind::Max;
  bool fromMax = source.isPartial() &&
                 source.getReduction() == ReductionKind::Max;
  if (toMax && (!fromMax || !llvm::all_of(target.getPartial(), [&](auto axis) {
        return source.getPartial().contains(axis);
      }))) // C3
    return emitOpError("makes a partial maximum over ")
           << target.getPartial() << " out of " << from;
  if (fromMax && target.isPartial() && !toMax) // C3
    return emitOpError("makes a partial sum out of a partial maximum over ")
           << source.getPartial();
  return success();
}

std::string IotaOp::getShardingRuleText() {
  return getPointwiseRule({}, {"result"}, getType().getRank());
}

// ---------------------------------------------------------- collectives

/// `axes` are axes of `mesh`, at least one. [C1]
static LogicalResult verifyGroup(Operation *op, MeshAttr mesh, AxesAttr axes) {
  if (axes.empty())
    return op->emitOpError("names no axis, expected at least one of ") << mesh;
  for (StringAttr axis : axes)
    if (!mesh.getAxisSize(axis))
      return op->emitOpError("names axis ")
             << axis << ", which " << mesh << " does not have";
  return success();
}

/// The type of `op`'s operand with dimension `grow` multiplied and dimension
/// `shrink` divided by the group's size is the result's type. [C2]
template <typename OpTy>
static LogicalResult verifyResize(OpTy op, std::optional<int64_t> grow,
                                  std::optional<int64_t> shrink) {
  if (failed(verifyGroup(op, op.getMesh(), op.getAxes())))
    return failure();
  RankedTensorType from = op.getInput().getType();
  SmallVector<int64_t> shape(from.getShape());
  int64_t members = op.getMesh().getGroupSize(op.getAxes());
  for (std::optional<int64_t> dim : {grow, shrink})
    if (dim && (*dim < 0 || *dim >= from.getRank()))
      return op.emitOpError("names dimension ")
             << *dim << " of " << from << ", expected one below "
             << from.getRank();
  if (shrink) {
    if (shape[*shrink] % members != 0)
      return op.emitOpError("cuts dimension ")
             << *shrink << " of size " << shape[*shrink] << " into " << members
             << " pieces, which does not divide";
    shape[*shrink] /= members;
  }
  if (grow)
    shape[*grow] *= members;
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (op.getType() != expected)
    return op.emitOpError("has result type ")
           << op.getType() << ", expected " << expected;
  return success();
}

LogicalResult AllReduceOp::verify() {
  return verifyResize(*this, std::nullopt, std::nullopt);
}
LogicalResult KeepOnFirstOp::verify() {
  return verifyResize(*this, std::nullopt, std::nullopt);
}
LogicalResult AllGatherOp::verify() {
  return verifyResize(*this, getDimension(), std::nullopt);
}
LogicalResult ReduceScatterOp::verify() {
  return verifyResize(*this, std::nullopt, getDimension());
}
LogicalResult ShardOp::verify() {
  return verifyResize(*this, std::nullopt, getDimension());
}
LogicalResult AllToAllOp::verify() {
  return verifyResize(*this, getJoinDimension(), getSplitDimension());
}

} // namespace mpc::dist
