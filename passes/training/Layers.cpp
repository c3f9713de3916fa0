//===- Layers.cpp - the layer that each op belongs to -----------*- C++ -*-===//

#include "passes/training/Layers.h"

using namespace mlir;

namespace mpc {

static bool isParameter(func::FuncOp function, unsigned index) {
  tfm::BindingAttr binding = tfm::getArgBinding(function, index);
  return tfm::getParameter(function, index) ||
         (binding && binding.getKind() == tfm::StateKind::Compute);
}

LayerBlocks findLayers(func::FuncOp function) {
  LayerBlocks layers;
  llvm::DenseMap<Value, int64_t> blockOf;
  for (BlockArgument argument : function.getArguments())
    if (isParameter(function, argument.getArgNumber()))
      blockOf[argument] = 0;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (tfm::getPhase(&op) != dist::Phase::Forward)
      continue;
    std::optional<int64_t> block;
    for (Value operand : op.getOperands())
      if (auto it = blockOf.find(operand); it != blockOf.end())
        block = std::max(block.value_or(0), it->second);
    if (!block)
      continue;
    layers.ops.push_back({&op, *block});
    auto residual = dyn_cast<tfm::ResidualOp>(op);
    if (residual && residual.getLayer() && (int64_t)*residual.getLayer() >= 0) {
      int64_t layer = *residual.getLayer();
      block = layer + 1;
      layers.layerCount = std::max(layers.layerCount, layer);
    }
    for (Value result : op.getResults())
      blockOf[result] = *block;
  }
  return layers;
}

} // namespace mpc
