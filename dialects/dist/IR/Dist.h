//===- Dist.h - shardings as types ------------------------------*- C++ -*-===//
//
// The dist dialect: meshes, the sharding encoding, reshards and collectives.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_DIST_IR_DIST_H
#define MPC_DIALECTS_DIST_IR_DIST_H

#include "dialects/dist/IR/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/dist/IR/DistDialect.h.inc"
#include "dialects/dist/IR/DistEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/dist/IR/DistAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/dist/IR/DistOps.h.inc"

namespace mpc::dist {

/// The sharding of a tensor type or value; null if it has none.
ShardingAttr getSharding(mlir::Type type);
ShardingAttr getSharding(mlir::Value value);

/// `type` with the given sharding as its encoding.
mlir::RankedTensorType withSharding(mlir::RankedTensorType type,
                                    ShardingAttr sharding);

/// What one rank holds of a value of `type`: sizes divided by the sharding, no
/// encoding. Types without sharding come back as they are.
mlir::Type getLocalType(mlir::Type type);

/// The sharded type that an argument or result of a partitioned function had
/// (`dist.global`); null if it has none.
mlir::Type getGlobalArgType(mlir::FunctionOpInterface function, unsigned arg);
mlir::Type getGlobalResultType(mlir::FunctionOpInterface function,
                               unsigned result);
void setGlobalArgType(mlir::FunctionOpInterface function, unsigned arg,
                      mlir::Type type);
void setGlobalResultType(mlir::FunctionOpInterface function, unsigned result,
                         mlir::Type type);

/// The pin of a function argument (`dist.pin`); null if it has none.
ShardingAttr getPin(mlir::BlockArgument argument);

} // namespace mpc::dist

#endif // MPC_DIALECTS_DIST_IR_DIST_H
