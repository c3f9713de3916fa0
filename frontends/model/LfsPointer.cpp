//===- LfsPointer.cpp - files that were never downloaded --------*- C++ -*-===//

#include "frontends/model/LfsPointer.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult mpc::checkContentIsHere(llvm::MemoryBufferRef file,
                                      MLIRContext *context) {
  if (!file.getBuffer().starts_with("version https://git-lfs.github.com/spec/"))
    return success();
  return emitError(
             FileLineColLoc::get(context, file.getBufferIdentifier(), 1, 1))
         << "is a Git LFS pointer, not the file itself; `git lfs pull` in its "
            "repository fetches it";
}
