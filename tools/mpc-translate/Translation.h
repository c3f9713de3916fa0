//===- Translation.h - what mpc-translate can do ----------------*- C++ -*-===//
//
// A translation turns one input file into one output file. To add one, write
// its function and add a row to the table in mpc-translate.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TOOLS_MPC_TRANSLATE_TRANSLATION_H
#define MPC_TOOLS_MPC_TRANSLATE_TRANSLATION_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace mpc {

struct TranslationRequest {
  /// The input is its main file. Errors are diagnostics of `context`; those in
  /// files of `sources` are shown with the line they are about.
  llvm::SourceMgr &sources;
  mlir::MLIRContext *context;
  /// The value of --training; empty if not given.
  std::string trainingFile;

  llvm::MemoryBufferRef getInput() const {
    return *sources.getMemoryBuffer(sources.getMainFileID());
  }
};

/// Writes to `output` what goes to the output file. On failure, which it has
/// reported, nothing is written there.
using Translation = mlir::LogicalResult (*)(const TranslationRequest &request,
                                            llvm::raw_ostream &output);

mlir::LogicalResult importHuggingFace(const TranslationRequest &request,
                                      llvm::raw_ostream &output);
mlir::LogicalResult importSpec(const TranslationRequest &request,
                               llvm::raw_ostream &output);

mlir::LogicalResult writePlan(const TranslationRequest &request,
                              llvm::raw_ostream &output);

/// What describes a model or its training is not longer.
constexpr size_t kMostBytes = 64 << 20;

/// Opens a file, `-` for standard input, as a buffer of `sources`; reports what
/// is wrong and returns 0 if it cannot be read or has more than `mostBytes`.
unsigned openFile(llvm::SourceMgr &sources, llvm::StringRef path,
                  size_t mostBytes);

/// What --help says beyond the options: defaults, legal values, examples.
std::string getHelpText();

/// Writes a whole file, or `-` for standard output: under a name of its own
/// beside `path`, then renamed, so that `path` is never there in part.
mlir::LogicalResult writeFile(llvm::StringRef path, llvm::StringRef content);

} // namespace mpc

#endif // MPC_TOOLS_MPC_TRANSLATE_TRANSLATION_H
