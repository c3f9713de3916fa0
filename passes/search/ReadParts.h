//===- ReadParts.h - parts of a model from their commands -------*- C++ -*-===//

#ifndef MPC_PASSES_SEARCH_READPARTS_H
#define MPC_PASSES_SEARCH_READPARTS_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/search/Parts.h"

namespace mpc::search {

/// Reads the roles of a module of commands whose stages are: what comes before the
/// layers, a layer for each of `modes`, and what comes after them. Layers of other
/// modes stay as they are.
void readParts(mlir::ModuleOp module, llvm::ArrayRef<Recompute> modes,
               Parts &parts);

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_READPARTS_H
