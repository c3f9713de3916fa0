//===- DistDialect.cpp - registration and type helpers ----------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// `dist.global` holds a sharded type whose local part is `type`.
static LogicalResult verifyGlobal(Operation *op, NamedAttribute attribute,
                                  Type type) {
  auto global = dyn_cast<TypeAttr>(attribute.getValue());
  if (!global || !getSharding(global.getValue()))
    return op->emitOpError("has ")
           << attribute.getName() << " = " << attribute.getValue()
           << ", expected a sharded type";
  if (getLocalType(global.getValue()) != type)
    return op->emitOpError("has an argument or result of type ")
           << type << ", expected the local part of " << global;
  return success();
}

static LogicalResult verifyPin(Operation *op, NamedAttribute attribute,
                               unsigned index, Type type) {
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!sharding || !ranked)
    return op->emitOpError("has ")
           << attribute.getName() << " = " << attribute.getValue()
           << " on argument #" << index << " of type " << type
           << ", expected a #dist.sharding on a ranked tensor";
  return sharding.verifyEncoding(
      ranked.getShape(), ranked.getElementType(),
      [&] { return op->emitOpError("argument #") << index << ": "; });
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  Type type = cast<FunctionOpInterface>(op).getArgumentTypes()[index];
  if (attribute.getName() == kPinAttrName)
    return verifyPin(op, attribute, index, type);
  if (attribute.getName() == kGlobalAttrName)
    return verifyGlobal(op, attribute, type);
  return op->emitOpError("has argument attribute ")
         << attribute.getName() << ", expected " << kPinAttrName << " or "
         << kGlobalAttrName;
}

LogicalResult DistDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  if (attribute.getName() != kGlobalAttrName)
    return op->emitOpError("has result attribute ")
           << attribute.getName() << ", expected " << kGlobalAttrName;
  return verifyGlobal(op, attribute,
                      cast<FunctionOpInterface>(op).getResultTypes()[index]);
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

Type getGlobalArgType(FunctionOpInterface function, unsigned arg) {
  auto type = function.getArgAttrOfType<TypeAttr>(
      arg, DistDialect::kGlobalAttrName);
  return type ? type.getValue() : Type();
}

Type getGlobalResultType(FunctionOpInterface function, unsigned result) {
  auto type = function.getResultAttrOfType<TypeAttr>(
      result, DistDialect::kGlobalAttrName);
  return type ? type.getValue() : Type();
}

void setGlobalArgType(FunctionOpInterface function, unsigned arg, Type type) {
  function.setArgAttr(arg, DistDialect::kGlobalAttrName, TypeAttr::get(type));
}

void setGlobalResultType(FunctionOpInterface function, unsigned result,
                         Type type) {
  function.setResultAttr(result, DistDialect::kGlobalAttrName,
                         TypeAttr::get(type));
}

ShardingAttr getPin(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function ? function.getArgAttrOfType<ShardingAttr>(
                        argument.getArgNumber(), DistDialect::kPinAttrName)
                  : ShardingAttr();
}

} // namespace mpc::dist
