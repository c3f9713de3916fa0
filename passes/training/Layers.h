//===- Layers.h - the layer that each op belongs to -------------*- C++ -*-===//
//
// Models mark where their layers begin (`layer` of tfm.residual).
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_TRAINING_LAYERS_H
#define MPC_PASSES_TRAINING_LAYERS_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc {

/// The ops of a forward pass that depend on a parameter, in order, by block: 0 is
/// what comes before the layers, i + 1 is layer i, the last is the head.
struct LayerBlocks {
  struct Entry {
    mlir::Operation *op;
    int64_t block;
  };
  llvm::SmallVector<Entry> ops;
  int64_t layerCount = 0;
};

/// An op is in the last block that any operand of it belongs to; a marked stream
/// belongs to its reader's. Reads the forward phase of `function`, whose arguments
/// are parameters (tfm.parameter) or bound to compute copies of them.
LayerBlocks findLayers(mlir::func::FuncOp function);

} // namespace mpc

#endif // MPC_PASSES_TRAINING_LAYERS_H
