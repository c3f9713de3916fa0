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
#include "passes/lowering/kernels/CustomKernels.h"
#include "passes/lowering/kernels/KernelEmitter.h"
#include "passes/lowering/kernels/LowerLoops.h"
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
  registerCustomKernels(registry);
}

FailureOr<KernelInfo> analyzeKernel(func::FuncOp kernel) {
  KernelInfo info;
  if (std::optional<CustomKernel> custom = CustomKernel::match(kernel)) {
    info.extent = custom->op.getKernelExtent();
    if (custom->initial)
      info.inPlace.emplace_back(*custom->initial, 0);
    return info;
  }
  FailureOr<KernelParts> parts = KernelParts::create(kernel);
  if (failed(parts))
    return failure();
  info.extent = parts->extent();
  for (unsigned input = 0; input != kernel.getNumArguments(); ++input)
    for (unsigned output = 0; output != kernel.getNumResults(); ++output)
      if (parts->canAlias(input, output))
        info.inPlace.emplace_back(input, output);
  return info;
}

static LogicalResult generateKernel(func::FuncOp kernel, OpBuilder &builder) {
  if (std::optional<CustomKernel> custom = CustomKernel::match(kernel)) {
    OpBuilder::InsertionGuard guard(builder);
    KernelArguments arguments;
    createKernelFunction(builder, kernel, arguments);
    SmallVector<Value> inputs;
    for (unsigned input : custom->inputs)
      inputs.push_back(arguments.inputs[input]);
    Value initial =
        custom->initial ? arguments.inputs[*custom->initial] : Value();
    custom->op.emitKernelBody(builder, inputs, initial, arguments.outputs[0],
                              arguments.begin, arguments.end);
    return success();
  }
  FailureOr<KernelParts> parts = KernelParts::create(kernel);
  if (failed(parts))
    return failure();
  return emitKernel(kernel, *parts, builder);
}

LogicalResult generateKernels(ArrayRef<func::FuncOp> kernels, ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (func::FuncOp kernel : kernels)
    if (failed(generateKernel(kernel, builder)))
      return failure();
  return success();
}

/// Whether a feature of LLVM's is one of the instruction set that code could
/// use; the others say what a processor does fast.
static bool isInstructionSet(StringRef feature) {
  return feature.starts_with("avx") || feature.starts_with("sse") ||
         llvm::is_contained({"bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe",
                             "popcnt", "ssse3"},
                            feature);
}

/// Names of the features of `machine` that its kernels may use.
static SmallVector<std::string> featuresOf(llvm::TargetMachine &machine) {
  SmallVector<std::string> features;
  for (const llvm::SubtargetFeatureKV &feature :
       machine.getMCSubtargetInfo()->getEnabledProcessorFeatures())
    if (isInstructionSet(feature.Key))
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
