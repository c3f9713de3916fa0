//===- Transformer.h - the tfm dialect --------------------------*- C++ -*-===//
//
// Transformers and their training, in the global view.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMER_H
#define MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMER_H

#include "dialects/dist/IR/Dist.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "dialects/interfaces/DecomposeOpInterface.h.inc"
#include "dialects/interfaces/GradientOpInterface.h.inc"

#include "dialects/transformer/IR/TransformerDialect.h.inc"
#include "dialects/transformer/IR/TransformerEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/transformer/IR/TransformerAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/transformer/IR/TransformerOps.h.inc"

namespace mpc::tfm {

/// The functions of a model and of a training step.
inline constexpr llvm::StringLiteral kForward = "forward";
inline constexpr llvm::StringLiteral kPrologue = "prologue";
inline constexpr llvm::StringLiteral kForwardBackward = "forward_backward";
inline constexpr llvm::StringLiteral kUpdate = "update";

/// The parameter that an argument is (`tfm.parameter`); null if none.
ParameterAttr getParameter(mlir::FunctionOpInterface function, unsigned arg);
void setParameter(mlir::FunctionOpInterface function, unsigned arg,
                  ParameterAttr parameter);

/// The state that an argument reads or a result writes; null if none.
BindingAttr getArgBinding(mlir::FunctionOpInterface function, unsigned arg);
BindingAttr getResultBinding(mlir::FunctionOpInterface function,
                             unsigned result);
void setArgBinding(mlir::FunctionOpInterface function, unsigned arg,
                   BindingAttr binding);
void setResultBinding(mlir::FunctionOpInterface function, unsigned result,
                      BindingAttr binding);

/// The attributes of a model's module; null where it has none.
TrainingAttr getTraining(mlir::ModuleOp module);
/// Null: the model predicts the next token.
MaskingAttr getMasking(mlir::ModuleOp module);
StrategyAttr getStrategy(mlir::ModuleOp module);
mlir::StringAttr getModelName(mlir::ModuleOp module);
mlir::StringAttr getModelHash(mlir::ModuleOp module);
void setTraining(mlir::ModuleOp module, TrainingAttr training);
void setMasking(mlir::ModuleOp module, MaskingAttr masking);
void setStrategy(mlir::ModuleOp module, StrategyAttr strategy);
void setModelName(mlir::ModuleOp module, llvm::StringRef name);
void setModelHash(mlir::ModuleOp module, llvm::StringRef hash);

/// Choices of the compiler that a user may want to know (`tfm.remarks`): they
/// travel into the plan.
llvm::SmallVector<llvm::StringRef> getRemarks(mlir::ModuleOp module);
void addRemark(mlir::ModuleOp module, llvm::StringRef text);

/// The phase of an op of this dialect or of `dist`; forward for others.
dist::Phase getPhase(mlir::Operation *op);
/// Sets the phase of such an op.
void setPhase(mlir::Operation *op, dist::Phase phase);

/// The piece of the pipeline, in depth order, that an op of this dialect or of
/// `dist` is in; nothing if it is not in one of several.
std::optional<int64_t> getPiece(mlir::Operation *op);
void setPiece(mlir::Operation *op, int64_t piece);

/// Builds an op of this dialect or of `dist` in the given phase; `args` are the
/// result types, the operands and the op's own attributes.
template <typename OpTy, typename... Args>
OpTy build(mlir::OpBuilder &builder, mlir::Location location, dist::Phase phase,
           Args &&...args) {
  return OpTy::create(builder, location, std::forward<Args>(args)...,
                      dist::PhaseAttr::get(builder.getContext(), phase),
                      /*piece=*/mlir::IntegerAttr());
}

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMER_H
