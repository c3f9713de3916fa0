// From scf, arith and math to the LLVM dialect. Functions of math become
// polynomials: a call in a loop would cost more than the rest of it.
#include "passes/lowering/kernels/LowerLoops.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/lowering/kernels/Lanes.h"

using namespace mlir;

namespace mpc::kernels {

static LogicalResult expandMath(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  RewritePatternSet patterns(module.getContext());
  populateMathPolynomialApproximationPatterns(patterns);
  math::populateExpansionPatterns(patterns, {"rsqrt"});
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
    return failure();
  // What is left of constants in the patterns.
  module.walk([](vector::BroadcastOp op) {
    OpBuilder builder(op);
    int64_t width = op.getResultVectorType().getNumElements();
    Value value =
        LaneBuilder(builder, op.getLoc()).broadcast(op.getSource(), width);
    op.replaceAllUsesWith(value);
    op.erase();
  });
  WalkResult result = module.walk([](Operation *op) {
    if (!isa<math::MathDialect>(op->getDialect()) ||
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
            math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
            math::TruncOp>(op))
      return WalkResult::advance();
    op->emitOpError("on ") << op->getResult(0).getType()
                           << " has no form without a call, expected f32 and a "
                              "function that has one";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// CPUs without instructions for bf16 would call a function for every element.
static LogicalResult expandBFloat16(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      ops.push_back(op);
  });
  RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

LogicalResult lowerLoops(ModuleOp module) {
  if (failed(expandMath(module)) || failed(expandBFloat16(module)))
    return failure();
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<LLVM::LLVMDialect>();
  return applyPartialConversion(module, target, std::move(patterns));
}

} // namespace mpc::kernels
