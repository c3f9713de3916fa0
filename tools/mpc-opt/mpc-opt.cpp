//===- mpc-opt.cpp - the optimizer driver -----------------------*- C++ -*-===//
//
// Registration of dialects and passes, and what a pass library may not do:
// reading files that options name.
//
//===----------------------------------------------------------------------===//

#include "dialects/dist/IR/Dist.h"
#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "frontends/spec/ReadSpec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/kernels/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipelines/Compile.h"
#include "passes/planning/Passes.h"
#include "passes/search/Passes.h"
#include "passes/sharding/Passes.h"
#include "passes/training/Passes.h"
#include "tools/diagnostics/NamedLocations.h"
#include "tools/mpc-opt/CompileSettings.h"
#include "tools/version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Null, with a message on standard error, if it cannot be read.
static std::unique_ptr<llvm::MemoryBuffer> openFile(llvm::StringRef path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    llvm::errs() << "mpc-opt: error: " << message << "\n";
  return file;
}

static FailureOr<mpc::StrategyOverrides> readStrategy(llvm::StringRef path) {
  std::unique_ptr<llvm::MemoryBuffer> file = openFile(path);
  if (!file)
    return failure();
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  unsigned id = sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return mpc::parseStrategy(*sources.getMemoryBuffer(id), &context);
}

static FailureOr<std::string> readText(llvm::StringRef path) {
  std::unique_ptr<llvm::MemoryBuffer> file = openFile(path);
  if (!file)
    return failure();
  return file->getBuffer().str();
}

/// What a pass named mpc-print-… prints stands on standard output in place of
/// the IR.
static bool asksForReport(llvm::ArrayRef<char *> arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.starts_with("-mpc-print-") ||
           argument.starts_with("--mpc-print-");
  });
}

/// Whether the file after `-o` is also read: opening it would empty it first.
static bool writesItsInput(llvm::ArrayRef<char *> arguments) {
  const auto *option = llvm::find_if(
      arguments, [](llvm::StringRef text) { return text == "-o"; });
  if (arguments.end() - option < 2)
    return false;
  const auto *output = option + 1;
  for (const auto *input = arguments.begin() + 1; input != arguments.end();
       ++input) {
    bool same = false;
    if (input != output && !llvm::sys::fs::equivalent(*input, *output, same) &&
        same) {
      llvm::errs() << "mpc-opt: error: " << *output
                   << " is both read and written; expected another file "
                      "after -o\n";
      return true;
    }
  }
  return false;
}

/// The text of each --mpc-compile="…".
static llvm::SmallVector<llvm::StringRef>
compileSettings(llvm::ArrayRef<char *> arguments) {
  llvm::SmallVector<llvm::StringRef> settings;
  for (llvm::StringRef argument : arguments)
    if (argument.consume_front("-")) {
      argument.consume_front("-");
      if (argument.consume_front("mpc-compile="))
        settings.push_back(argument);
    }
  return settings;
}

static bool hasMistakes(llvm::ArrayRef<char *> arguments) {
  for (llvm::StringRef settings : compileSettings(arguments))
    if (std::string mistake = mpc::findMistake(settings); !mistake.empty()) {
      llvm::errs() << "mpc-opt: error: --mpc-compile: " << mistake << "\n";
      return true;
    }
  return false;
}

/// Whether several things are read from standard input: all but the first
/// would find it empty.
static bool sharesStandardInput(llvm::ArrayRef<char *> arguments,
                                llvm::StringRef input) {
  unsigned readers = input == "-";
  for (llvm::StringRef settings : compileSettings(arguments))
    readers += mpc::countStandardInputs(settings);
  if (readers > 1)
    llvm::errs() << "mpc-opt: error: standard input is read twice; expected a "
                    "file for all but one of the input, strategy-file and "
                    "schedule-file\n";
  return readers > 1;
}

/// LLVM's back ends register hundreds of options before `main`; --help-hidden
/// still shows them.
static void hideOptionsOfLLVM() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!llvm::is_contained({"help", "help-hidden", "version"}, name))
      option->setHiddenFlag(llvm::cl::Hidden);
}

/// As MLIR's own function of this name, and says which file a message is about.
static LogicalResult optimize(llvm::MutableArrayRef<char *> arguments,
                              llvm::StringRef input, llvm::StringRef output,
                              DialectRegistry &registry) {
  const MlirOptMainConfig given = MlirOptMainConfig::createFromCLOptions();
  if (given.shouldShowDialects() || given.shouldListPasses()) // No input.
    return MlirOptMain(arguments.size(), arguments.data(), input, output,
                       registry);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> source = openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> result =
      source ? openOutputFile(output, &message) : nullptr;
  if (!result) {
    llvm::errs() << "mpc-opt: error: " << message << "\n";
    return failure();
  }
  if (source->getBuffer().trim().empty()) {
    llvm::errs() << "mpc-opt: error: " << (input == "-" ? "<stdin>" : input)
                 << " is empty, expected a module\n";
    return failure();
  }
  MlirOptMainConfig config = given;
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    if (!given.shouldVerifyDiagnostics())
      mpc::showNamedLocations(pm.getContext(), input);
    return given.setupPassPipeline(pm);
  });
  LogicalResult done =
      MlirOptMain(result->os(), std::move(source), registry, config);
  result->os().flush();
  if (std::error_code error = result->os().error()) {
    result->os().clear_error();
    llvm::errs() << "mpc-opt: error: "
                 << (output == "-" ? "standard output" : output)
                 << " cannot be written: " << error.message() << "\n";
    return failure();
  }
  if (failed(done))
    return failure();
  result->keep();
  return success();
}

int main(int argc, char **argv) {
  if (hasMistakes(llvm::ArrayRef(argv, argc)) ||
      writesItsInput(llvm::ArrayRef(argv, argc)))
    return EXIT_FAILURE;
  llvm::InitLLVM crashesPrintTheirStack(argc, argv);
  hideOptionsOfLLVM();
  DialectRegistry registry;
  registry.insert<mpc::dist::DistDialect, mpc::exec::ExecDialect,
                  mpc::tfm::TfmDialect, arith::ArithDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  registerCanonicalizerPass();
  registerCSEPass();
  mpc::registerTraining();
  mpc::registerPlanning();
  mpc::registerSearch();
  mpc::registerSharding();
  mpc::registerPipeline();
  mpc::registerPartition();
  mpc::kernels::registerKernelsPasses();
  mpc::registerLowering();

  static mpc::CompileEnvironment environment;
  environment.readStrategy = readStrategy;
  environment.readText = readText;
  environment.complain = [](llvm::StringRef message) {
    llvm::errs() << "mpc-opt: error: " << message << "\n";
  };
  static llvm::cl::opt<std::string, /*ExternalStorage=*/true> dumpFolder(
      "dump-ir-after-phase", llvm::cl::value_desc("folder"),
      llvm::cl::desc("write the module to this folder after each phase of "
                     "mpc-compile"),
      llvm::cl::location(environment.dumpFolder));
  mpc::registerCompile(environment);

  // A diagnostic about a whole model would otherwise print all of it.
  std::vector<char *> arguments(argv, argv + argc);
  std::string quiet = "--mlir-print-op-on-diagnostic=false";
  arguments.insert(arguments.begin() + 1, quiet.data());
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "mpc-opt " MPC_VERSION "\n"; });
  auto [input, output] = registerAndParseCLIOptions(
      arguments.size(), arguments.data(),
      "MPC optimizer: compiles transformer models into plans for many ranks\n\n"
      "  mpc-opt --mpc-compile=\"tp=2 dp=2 microbatches=4\" model.mlir "
      "-o plan.mlir\n"
      "  mpc-opt --mpc-compile=\"reference=true\" model.mlir -o "
      "reference.mlir\n"
      "  mpc-opt --mpc-print-parameter-count model.mlir\n",
      registry);
  if (dumpFolder.getNumOccurrences() != 0 && environment.dumpFolder.empty()) {
    llvm::errs() << "mpc-opt: error: --dump-ir-after-phase is empty, expected "
                    "a folder\n";
    return EXIT_FAILURE;
  }
  if (sharesStandardInput(arguments, input))
    return EXIT_FAILURE;
  if (output == "-" && asksForReport(arguments))
    output = "/dev/null";
  return asMainReturnCode(optimize(arguments, input, output, registry));
}
