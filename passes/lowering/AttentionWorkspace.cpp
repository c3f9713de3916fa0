//===- AttentionWorkspace.cpp - working memory of attention -----*- C++ -*-===//
//
// How much attention needs is the device's affair; compiler and runtime call the
// same function.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/AttentionWorkspace.h"

#include "dialects/transformer/IR/Transformer.h"
#include "runtime/device/attention_workspace.h"

using namespace mlir;

namespace mpc {

int64_t getAttentionWorkspaceBytes(Operation *op) {
  Value query;
  if (auto attention = dyn_cast<tfm::AttentionOp>(op))
    query = attention.getQ();
  else if (auto grad = dyn_cast<tfm::AttentionGradOp>(op))
    query = grad.getQ();
  else
    return 0;
  plan::AttentionCommand command;
  for (int64_t size : cast<RankedTensorType>(query.getType()).getShape())
    command.mutable_query()->add_sizes(size);
  return runtime::AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU);
}

} // namespace mpc
