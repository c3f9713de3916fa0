// Recognises kernels that are one op which emits itself.
#include "passes/lowering/kernels/CustomKernels.h"

#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::kernels {

static std::optional<unsigned> argumentOf(Value value, Block &block) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &block)
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<CustomKernel> CustomKernel::match(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return std::nullopt;
  Block &block = kernel.front();
  auto op = dyn_cast<KernelBodyOpInterface>(block.front());
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  CustomKernel custom{op, {}, std::nullopt};
  for (Value operand : op->getOperands()) {
    std::optional<unsigned> argument = argumentOf(operand, block);
    if (!argument)
      return std::nullopt;
    custom.inputs.push_back(*argument);
  }
  Operation *last = op->getNextNode();
  Value result = op->getResult(0);
  if (isa<tfm::AddOp, tfm::AccumulateOp>(last)) {
    Value other = last->getOperand(last->getOperand(0) == result ? 1 : 0);
    custom.initial = argumentOf(other, block);
    if (!custom.initial || !llvm::is_contained(last->getOperands(), result) ||
        llvm::is_contained(custom.inputs, *custom.initial))
      return std::nullopt;
    result = last->getResult(0);
    last = last->getNextNode();
  }
  if (!isa<func::ReturnOp>(last) || last->getOperands() != ValueRange(result))
    return std::nullopt;
  return custom;
}

} // namespace mpc::kernels
