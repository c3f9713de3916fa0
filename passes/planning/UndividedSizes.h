//===- UndividedSizes.h - what tp does not divide ---------------*- C++ -*-===//
//
// Which dimensions tensor and sequence parallelism want to split and cannot. They
// are looked for twice: where they stay whole, and where `strict` lists all that
// fails before anything else is done.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_PLANNING_UNDIVIDEDSIZES_H
#define MPC_PASSES_PLANNING_UNDIVIDEDSIZES_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace mpc {

/// What users call the size of a dimension that tensor parallelism splits, and
/// the size.
using NamedSize = std::pair<llvm::StringRef, int64_t>;

/// The sizes of `function` that tp of `strategy` does not divide: of parameters,
/// and of the sequence if that is to be split.
llvm::SetVector<NamedSize> findUndividedSizes(mlir::func::FuncOp function,
                                              tfm::StrategyAttr strategy);

/// Whether tensor parallelism splits dimensions of this kind.
bool isTensorParallel(tfm::DimensionKind kind);

/// E.g. "num_attention_heads=25 not divisible by tp=4; legal: 1,5,25".
std::string describeUndivided(NamedSize size, int64_t tp);

} // namespace mpc

#endif // MPC_PASSES_PLANNING_UNDIVIDEDSIZES_H
