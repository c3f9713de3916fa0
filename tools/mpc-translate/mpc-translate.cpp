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
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>

using namespace mlir;

namespace {

struct NamedTranslation {
  /// The option, and what --help says of it.
  StringRef name, description;
  mpc::Translation run;
  /// Whether --training says anything to it.
  bool takesTraining;
  /// Of the input.
  size_t mostBytes;
};

/// Lines longer than this are not shown below a message.
constexpr size_t kLongLine = 300;

/// Says where an error in a long line is, without the line: a config.json in
/// one line would hide the message.
void showLongLines(llvm::SourceMgr &sources, MLIRContext *context) {
  context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    for (unsigned id = 1; place && id <= sources.getNumBuffers(); ++id) {
      const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
      if (place.getFilename() != buffer->getBufferIdentifier())
        continue;
      const char *line =
          sources.FindLocForLineAndColumn(id, place.getLine(), 1).getPointer();
      if (!line || StringRef(line, buffer->getBufferEnd() - line)
                           .take_until([](char c) { return c == '\n'; })
                           .size() <= kLongLine)
        return failure();
      llvm::errs() << place.getFilename().getValue() << ":" << place.getLine()
                   << ":" << place.getColumn() << ": "
                   << mpc::spell(diagnostic.getSeverity()) << ": "
                   << diagnostic.str() << "\n";
      return success();
    }
    return failure();
  });
}

constexpr NamedTranslation kTranslations[] = {
    {"import-huggingface",
     "a Hugging Face config.json (gpt2, bert, roberta) to MLIR",
     mpc::importHuggingFace, true, mpc::kMostBytes},
    {"import-spec", "a job spec (text protocol buffer) to MLIR",
     mpc::importSpec, true, mpc::kMostBytes},
    {"export-plan", "a compiled module to the plan that mpc-run executes",
     mpc::writePlan, false, size_t(4) << 30},
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
  showLongLines(sources, &context);
  if (mpc::openFile(sources, input, translation.mostBytes) == 0)
    return failure();
  std::string content;
  llvm::raw_string_ostream stream(content);
  if (failed(translation.run({sources, &context, training.str()}, stream)))
    return failure();
  return mpc::writeFile(output, content);
}

} // namespace

/// Reads at most a little over `mostBytes`: a device never ends.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readFile(StringRef path, size_t mostBytes) {
  namespace fs = llvm::sys::fs;
  fs::file_t file = fs::getStdinHandle();
  if (path != "-") {
    llvm::Expected<fs::file_t> opened = fs::openNativeFileForRead(path);
    if (!opened)
      return llvm::errorToErrorCode(opened.takeError());
    file = *opened;
  }
  llvm::scope_exit close([&] {
    if (path != "-")
      fs::closeFile(file);
  });
  constexpr size_t kPiece = 1 << 16;
  std::string bytes;
  for (size_t count = kPiece; count != 0 && bytes.size() <= mostBytes;) {
    size_t old = bytes.size();
    bytes.resize(old + kPiece);
    llvm::Expected<size_t> read = fs::readNativeFile(
        file, llvm::MutableArrayRef(bytes.data() + old, kPiece));
    if (!read)
      return llvm::errorToErrorCode(read.takeError());
    count = *read;
    bytes.resize(old + count);
  }
  return llvm::MemoryBuffer::getMemBufferCopy(bytes,
                                              path == "-" ? "<stdin>" : path);
}

unsigned mpc::openFile(llvm::SourceMgr &sources, StringRef path,
                       size_t mostBytes) {
  StringRef name = path == "-" ? "standard input" : path;
  auto file = readFile(path, mostBytes);
  if (!file) {
    llvm::errs() << "mpc-translate: error: " << name
                 << " cannot be read: " << file.getError().message() << "\n";
    return 0;
  }
  if ((*file)->getBufferSize() > mostBytes) {
    llvm::errs() << "mpc-translate: error: " << name << " has more than "
                 << (mostBytes >> 20) << " MiB, expected less\n";
    return 0;
  }
  return sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
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
                              cl::ZeroOrMore, cl::cat(category));
  cl::opt<std::string> training(
      "training", cl::desc("training settings, message Training of spec.proto"),
      cl::value_desc("file"), cl::ZeroOrMore, cl::cat(category));
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
  if (output.getNumOccurrences() > 1)
    return refuse("-o is given twice");
  if (training.getNumOccurrences() > 1)
    return refuse("--training is given twice");
  if (!training.empty() && !chosen->takesTraining)
    return refuse("--" + chosen->name + " takes no --training");
  if (input == "-" && training == "-")
    return refuse("the input and --training cannot both be standard input");
  return failed(run(*chosen, input, output, training)) ? 1 : 0;
}
