//===- mpc-translate.cpp - into and out of MLIR -----------------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "tools/diagnostics/NamedLocations.h"
#include "tools/mpc-translate/Translation.h"
#include "tools/version.h"
#include "llvm/Support/CommandLine.h"

#include <csignal>

using namespace mlir;

namespace {

struct NamedTranslation {
  /// The option, and what --help says of it.
  StringRef name, description;
  mpc::Translation run;
  /// Whether --training says anything to it.
  bool takesTraining;
};

constexpr NamedTranslation kTranslations[] = {
    {"import-huggingface", "a Hugging Face config.json (gpt2 family) to MLIR",
     mpc::importHuggingFace, true},
    {"import-spec", "a job spec (text protocol buffer) to MLIR",
     mpc::importSpec, true},
    {"export-plan", "a compiled module to the plan that mpc-run executes",
     mpc::writePlan, false},
};

std::string listTranslations() {
  std::string names;
  for (const NamedTranslation &translation : kTranslations)
    names += (names.empty() ? "--" : ", --") + translation.name.str();
  return names;
}

LogicalResult run(const NamedTranslation &translation, StringRef input,
                  StringRef output, StringRef training) {
  DialectRegistry registry;
  registry.insert<mpc::dist::DistDialect, mpc::exec::ExecDialect,
                  mpc::tfm::TfmDialect, arith::ArithDialect, func::FuncDialect,
                  tensor::TensorDialect>();
  MLIRContext context(registry);
  // A diagnostic about a whole function would otherwise print all of it.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  mpc::showNamedLocations(&context, input);
  if (mpc::openFile(sources, input, &context) == 0)
    return failure();
  std::string content;
  llvm::raw_string_ostream stream(content);
  if (failed(translation.run({sources, &context, training.str()}, stream)))
    return failure();
  return mpc::writeFile(output, content, &context);
}

} // namespace

unsigned mpc::openFile(llvm::SourceMgr &sources, StringRef path,
                       MLIRContext *context) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (file)
    return sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  emitError(UnknownLoc::get(context))
      << path << " cannot be read: " << file.getError().message();
  return 0;
}

namespace {

/// What is wrong with the command line; the caller exits with the result.
int refuse(const llvm::Twine &message) {
  llvm::errs() << "mpc-translate: error: " << message << "\n";
  return 1;
}

using Flags = std::vector<std::unique_ptr<llvm::cl::opt<bool>>>;

/// The translation whose option is given; null, with a message, unless it is
/// exactly one.
const NamedTranslation *choose(const Flags &flags) {
  const NamedTranslation *chosen = nullptr;
  for (auto [translation, flag] : llvm::zip_equal(kTranslations, flags)) {
    if (!*flag)
      continue;
    if (chosen) {
      refuse("--" + chosen->name + " and --" + translation.name +
             " exclude each other");
      return nullptr;
    }
    chosen = &translation;
  }
  if (!chosen)
    refuse("no translation chosen, expected one of " + listTranslations() +
           "; mpc-translate --help explains them");
  return chosen;
}

} // namespace

int main(int argc, char **argv) {
  // Writing to a closed pipe is an error like a full disk, with a message.
  std::signal(SIGPIPE, SIG_IGN);
  namespace cl = llvm::cl;
  cl::OptionCategory category("Options of mpc-translate");
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("the output; - is standard output"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category));
  cl::opt<std::string> training(
      "training", cl::desc("training settings, message Training of spec.proto"),
      cl::value_desc("file"), cl::cat(category));
  Flags flags;
  for (const NamedTranslation &translation : kTranslations)
    flags.push_back(std::make_unique<cl::opt<bool>>(
        translation.name, cl::desc(translation.description),
        cl::cat(category)));
  cl::HideUnrelatedOptions(category);
  const std::string help = mpc::getHelpText();
  cl::extrahelp more(help);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << "mpc-translate " MPC_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Turns descriptions of models into MLIR. An option chooses what to do;\n"
      "the input is a file, or standard input.\n");

  const NamedTranslation *chosen = choose(flags);
  if (!chosen)
    return 1;
  if (!training.empty() && !chosen->takesTraining)
    return refuse("--" + chosen->name + " takes no --training");
  if (input == "-" && training == "-")
    return refuse("the input and --training cannot both be standard input");
  return failed(run(*chosen, input, output, training)) ? 1 : 0;
}
