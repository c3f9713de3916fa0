//===- LfsPointer.h - files that were never downloaded ----------*- C++ -*-===//

#ifndef MPC_FRONTENDS_MODEL_LFSPOINTER_H
#define MPC_FRONTENDS_MODEL_LFSPOINTER_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc {

/// Fails, with an error, if `file` is what Git LFS leaves in the place of a
/// file whose content was not fetched.
mlir::LogicalResult checkContentIsHere(llvm::MemoryBufferRef file,
                                       mlir::MLIRContext *context);

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_LFSPOINTER_H
