//===- NamedLocations.h - messages about parts of a model -------*- C++ -*-===//

#ifndef MPC_TOOLS_DIAGNOSTICS_NAMEDLOCATIONS_H
#define MPC_TOOLS_DIAGNOSTICS_NAMEDLOCATIONS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace mpc {

/// As messages have it: error, warning, note or remark.
llvm::StringRef spell(mlir::DiagnosticSeverity severity);

/// Prints diagnostics whose location is no line of a file, as those of an imported
/// model are, as `model.mlir: error: at h.0.attn: …`. Others are left to the
/// handlers registered before. `path` is `-` for standard input.
void showNamedLocations(mlir::MLIRContext *context, llvm::StringRef path);

} // namespace mpc

#endif // MPC_TOOLS_DIAGNOSTICS_NAMEDLOCATIONS_H
