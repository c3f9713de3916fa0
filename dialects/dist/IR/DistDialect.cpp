//===- DistDialect.cpp - registration and type helpers ----------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"

using namespace mlir;
using namespace mpc::dist;

#include "dialects/dist/IR/DistDialect.cpp.inc"
#include "dialects/dist/IR/DistEnums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/dist/IR/DistOps.cpp.inc"

namespace {

/// Names shardings after what they say, so that types stay short to read:
/// `#s_dp_r_sum_tp` for `[{"dp"}, {}], sum = {"tp"}`.
struct ShardingAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<MeshAttr>(attr)) {
      os << "mesh";
      return AliasResult::FinalAlias;
    }
    auto sharding = dyn_cast<ShardingAttr>(attr);
    if (!sharding)
      return AliasResult::NoAlias;
    os << "s";
    for (AxesAttr axes : sharding.getDims()) {
      os << "_";
      if (axes.empty())
        os << "r";
      for (StringAttr axis : axes)
        os << axis.getValue();
    }
    if (sharding.isPartial()) {
      os << "_" << stringifyReductionKind(sharding.getReduction());
      for (StringAttr axis : sharding.getPartial())
        os << "_" << axis.getValue();
    }
    return AliasResult::FinalAlias;
  }
};

} // namespace

void DistDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/dist/IR/DistOps.cpp.inc"
      >();
  addInterfaces<ShardingAliases>();
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned region,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kPinAttrName)
    return op->emitOpError("has argument attribute ")
           << attribute.getName() << ", expected " << kPinAttrName;
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  if (!sharding)
    return op->emitOpError("has ")
           << kPinAttrName << " = " << attribute.getValue()
           << ", expected a #dist.sharding";
  if (op->getRegion(region).empty())
    return success();
  auto type = dyn_cast<RankedTensorType>(
      op->getRegion(region).getArgument(index).getType());
  if (!type)
    return op->emitOpError("pins argument #")
           << index << ", which is not a ranked tensor";
  return sharding.verifyEncoding(
      type.getShape(), type.getElementType(), [&] {
        return op->emitOpError("argument #") << index << ": ";
      });
}

namespace mpc::dist {

ShardingAttr getSharding(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked ? dyn_cast_or_null<ShardingAttr>(ranked.getEncoding())
                : ShardingAttr();
}

ShardingAttr getSharding(Value value) { return getSharding(value.getType()); }

RankedTensorType withSharding(RankedTensorType type, ShardingAttr sharding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               sharding);
}

Type getLocalType(Type type) {
  ShardingAttr sharding = getSharding(type);
  if (!sharding)
    return type;
  auto ranked = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(ranked.getShape());
  for (auto [size, axes] : llvm::zip_equal(shape, sharding.getDims()))
    size /= sharding.getMesh().getGroupSize(axes);
  return RankedTensorType::get(shape, ranked.getElementType());
}

ShardingAttr getPin(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function ? function.getArgAttrOfType<ShardingAttr>(
                        argument.getArgNumber(), DistDialect::kPinAttrName)
                  : ShardingAttr();
}

} // namespace mpc::dist
