//===- RecomputeModes.h - what each layer computes again --------*- C++ -*-===//

#ifndef MPC_PASSES_TRAINING_RECOMPUTEMODES_H
#define MPC_PASSES_TRAINING_RECOMPUTEMODES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

namespace mpc {

enum class RecomputeMode { None, Selective, Full };

/// Reads `full`, or `full:0-11,none:12-23`, for a model of so many layers; a layer that
/// is not named keeps everything. What is wrong is an error at `location`.
mlir::FailureOr<llvm::SmallVector<RecomputeMode>>
parseRecomputeModes(llvm::StringRef text, int64_t layers,
                    mlir::Location location);

} // namespace mpc

#endif // MPC_PASSES_TRAINING_RECOMPUTEMODES_H
