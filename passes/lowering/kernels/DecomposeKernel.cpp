// Ops of the transformer dialect, in a kernel, become what they mean.
#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/kernels/CompileKernels.h"
#include "passes/lowering/kernels/CustomKernels.h"

using namespace mlir;

namespace mpc::kernels {

LogicalResult decomposeKernel(func::FuncOp kernel) {
  if (CustomKernel::match(kernel))
    return success(); // Emits itself.
  SmallVector<DecomposeOpInterface> ops;
  kernel.walk([&](DecomposeOpInterface op) { ops.push_back(op); });
  for (DecomposeOpInterface op : ops) {
    OpBuilder builder(op);
    SmallVector<Value> results = op.decompose(builder, op->getOperands());
    if (results.size() != op->getNumResults())
      return op->emitOpError("has no decomposition for its operands");
    op->replaceAllUsesWith(results);
    op->erase();
  }
  return success();
}

} // namespace mpc::kernels
