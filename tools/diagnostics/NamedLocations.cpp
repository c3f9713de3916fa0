//===- NamedLocations.cpp - messages about parts of a model -----*- C++ -*-===//

#include "tools/diagnostics/NamedLocations.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace mpc {

StringRef spell(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("severity of another version");
}

static void print(StringRef file, Diagnostic &diagnostic) {
  llvm::errs() << file << ": " << spell(diagnostic.getSeverity()) << ": ";
  if (auto name = diagnostic.getLocation()->findInstanceOf<NameLoc>())
    llvm::errs() << "at " << name.getName().getValue() << ": ";
  llvm::errs() << diagnostic.str() << "\n";
}

void showNamedLocations(MLIRContext *context, StringRef path) {
  std::string file = path == "-" ? "<stdin>" : path.str();
  context->getDiagEngine().registerHandler(
      [file = std::move(file)](Diagnostic &diagnostic) {
        if (diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
          return failure();
        print(file, diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          print(file, note);
        return success();
      });
}

} // namespace mpc
