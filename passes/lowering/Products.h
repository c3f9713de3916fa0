//===- Products.h - which ops are matrix products ---------------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_PRODUCTS_H
#define MPC_PASSES_LOWERING_PRODUCTS_H

#include "dialects/transformer/IR/Transformer.h"

namespace mpc {

/// tfm.linear and its gradients.
inline bool isProduct(mlir::Operation *op) {
  return llvm::isa_and_present<tfm::LinearOp, tfm::LinearInputGradOp,
                               tfm::LinearWeightGradOp>(op);
}

/// The products of attention that stores its scores: one for each head.
inline bool isBatchedProduct(mlir::Operation *op) {
  return llvm::isa_and_present<tfm::AttentionScoresOp,
                               tfm::AttentionContextOp,
                               tfm::AttentionKeyGradOp>(op);
}

/// The product that adds itself to the accumulator of `op`, so that neither is a
/// command of its own; null if `op` is no such accumulation.
inline mlir::Operation *getAccumulatedProduct(mlir::Operation *op) {
  auto accumulate = llvm::dyn_cast<tfm::AccumulateOp>(op);
  if (!accumulate)
    return nullptr;
  mlir::Operation *product = accumulate.getAddend().getDefiningOp();
  return isProduct(product) && product->hasOneUse() ? product : nullptr;
}

} // namespace mpc

#endif // MPC_PASSES_LOWERING_PRODUCTS_H
