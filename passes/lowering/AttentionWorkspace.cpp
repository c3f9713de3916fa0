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

static void describeOperand(RankedTensorType type, plan::Slice &slice) {
  for (int64_t size : type.getShape())
    slice.add_sizes(size);
  slice.set_type(type.getElementType().isBF16()  ? plan::DATA_TYPE_BF16
                 : type.getElementType().isF16() ? plan::DATA_TYPE_F16
                                                 : plan::DATA_TYPE_F32);
}

int64_t getAttentionWorkspaceBytes(Operation *op) {
  plan::AttentionCommand command;
  auto describe = [&](auto attention) {
    describeOperand(attention.getQ().getType(), *command.mutable_query());
    describeOperand(attention.getK().getType(), *command.mutable_key());
  };
  if (auto attention = dyn_cast<tfm::AttentionOp>(op))
    describe(attention);
  else if (auto grad = dyn_cast<tfm::AttentionGradOp>(op))
    describe(grad);
  else
    return 0;
  return runtime::AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU);
}

} // namespace mpc
