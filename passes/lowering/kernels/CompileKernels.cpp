// From kernel functions to one shared object.
#include "passes/lowering/kernels/CompileKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/lowering/kernels/KernelBodyInterface.h"
#include "passes/lowering/kernels/KernelEmitter.h"
#include "passes/lowering/kernels/LowerLoops.h"
#include "passes/lowering/kernels/Schedule.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace mpc::kernels {

void registerKernelDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
              scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// The op that says itself how it is computed, where `kernel` is such a one.
static KernelBodyOpInterface customBody(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()) ||
      kernel.front().getOperations().size() != 2)
    return nullptr;
  auto body = dyn_cast<KernelBodyOpInterface>(kernel.front().front());
  // It is called with the buffers in the order of its operands and results.
  if (!body || body->getOperands() != kernel.getArguments() ||
      kernel.front().getTerminator()->getOperands() != body->getResults())
    return nullptr;
  return body;
}

FailureOr<KernelInfo> analyzeKernel(func::FuncOp kernel) {
  KernelInfo info;
  if (KernelBodyOpInterface body = customBody(kernel)) {
    info.extent = body.getKernelExtent();
    return info;
  }
  FailureOr<Schedule> schedule = Schedule::create(kernel);
  if (failed(schedule))
    return failure();
  info.extent = schedule->extent();
  for (unsigned input = 0; input != kernel.getNumArguments(); ++input)
    for (unsigned output = 0; output != kernel.getNumResults(); ++output)
      if (schedule->canAlias(input, output))
        info.inPlace.emplace_back(input, output);
  return info;
}

static LogicalResult generateKernel(func::FuncOp kernel, OpBuilder &builder) {
  if (KernelBodyOpInterface body = customBody(kernel)) {
    OpBuilder::InsertionGuard guard(builder);
    KernelArguments arguments;
    createKernelFunction(builder, kernel, arguments);
    body.emitKernelBody(builder, arguments.inputs, arguments.outputs,
                        arguments.begin, arguments.end);
    return success();
  }
  FailureOr<Schedule> schedule = Schedule::create(kernel);
  if (failed(schedule))
    return failure();
  return emitKernel(*schedule, builder);
}

LogicalResult generateKernels(ArrayRef<func::FuncOp> kernels, ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (func::FuncOp kernel : kernels)
    if (failed(generateKernel(kernel, builder)))
      return failure();
  return success();
}

/// Names of the features of `machine` that its kernels may use.
static SmallVector<std::string> featuresOf(llvm::TargetMachine &machine) {
  SmallVector<std::string> features;
  for (const llvm::SubtargetFeatureKV &feature :
       machine.getMCSubtargetInfo()->getEnabledProcessorFeatures())
    features.push_back(feature.Key);
  llvm::sort(features);
  return features;
}

FailureOr<KernelObject> compileKernels(ArrayRef<func::FuncOp> kernels,
                                       Cpu cpu) {
  if (kernels.empty())
    return KernelObject();
  Location loc = func::FuncOp(kernels.front()).getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (failed(generateKernels(kernels, *module)) || failed(lowerLoops(*module)))
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(*module, llvmContext);
  if (!llvmModule)
    return failure();
  KernelObject result;
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(cpu, error);
  if (!machine)
    return emitError(loc, "cannot compile kernels: ") << error, failure();
  SmallVector<char> object;
  compileModule(*llvmModule, *machine, object);
  if (!linkSharedObject({object.data(), object.size()}, result.object, error))
    return emitError(loc, "cannot link kernels: ") << error, failure();
  result.triple = machine->getTargetTriple().str();
  result.cpuFeatures = featuresOf(*machine);
  return result;
}

} // namespace mpc::kernels
