//===- Exec.h - the exec dialect --------------------------------*- C++ -*-===//
//
// What a rank executes: commands on slices of its memory, as in plan.proto.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_EXEC_IR_EXEC_H
#define MPC_DIALECTS_EXEC_IR_EXEC_H

#include "cluster/work.h"
#include "dialects/dist/IR/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mpc::exec::detail {
/// Whether what a channel command names is a channel.
mlir::LogicalResult verifyChannel(mlir::Operation *op,
                                  mlir::FlatSymbolRefAttr channel,
                                  mlir::SymbolTableCollection &symbols);
} // namespace mpc::exec::detail

#include "dialects/exec/IR/ExecDialect.h.inc"
#include "dialects/exec/IR/ExecEnums.h.inc"
#include "dialects/interfaces/CostOpInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/exec/IR/ExecAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/exec/IR/ExecOps.h.inc"

namespace mpc::exec {

/// Offsets of dense slices are multiples of this many bytes.
inline constexpr int64_t kAlignment = 64;

/// The bytes of the elements of a tensor type; its elements are whole bytes.
int64_t getByteSize(mlir::RankedTensorType type);

/// What the compilation of a kernel found out; null where it is not compiled.
CompiledAttr getCompiled(mlir::FunctionOpInterface kernel);
void setCompiled(mlir::FunctionOpInterface kernel, CompiledAttr compiled);

/// The microbatches that a function of the step is for; null where the step has
/// not been specialised.
VariantAttr getVariant(mlir::FunctionOpInterface function);
void setVariant(mlir::FunctionOpInterface function, Variant variant);

/// The part of the step that a function is; null where the step has one stage
/// and the function's name says it.
PartAttr getPart(mlir::FunctionOpInterface function);
void setPart(mlir::FunctionOpInterface function, PartAttr part);

} // namespace mpc::exec

#endif // MPC_DIALECTS_EXEC_IR_EXEC_H
