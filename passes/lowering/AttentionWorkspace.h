//===- AttentionWorkspace.h - working memory of attention -------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_ATTENTIONWORKSPACE_H
#define MPC_PASSES_LOWERING_ATTENTIONWORKSPACE_H

#include "mlir/IR/Operation.h"

namespace mpc {

/// The bytes of working memory that the device needs for `op`, tfm.attention or its
/// gradient; 0 for other ops.
int64_t getAttentionWorkspaceBytes(mlir::Operation *op);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_ATTENTIONWORKSPACE_H
