//===- Passes.td - what pipelines need beside their phases -*- tablegen -*-===//
#ifndef MPC_PASSES_PIPELINES_PASSES_TD
#define MPC_PASSES_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def DumpIRPass : Pass<"mpc-dump-ir", "::mlir::ModuleOp"> {
  let summary = "Writes the module to a file";
  let description = [{
    Requires: nothing.
    Ensures: the file holds the module as it is here; a file that cannot be written
    is an error.
    Preserves: everything.
  }];
  let options = [Option<"file", "file", "std::string", /*default=*/"",
                        "where to write">];
}

def RefusePass : Pass<"mpc-refuse", "::mlir::ModuleOp"> {
  let summary = "Fails, where building a pipeline has already said why";
  let description = [{
    Requires: a diagnostic has been printed.
    Ensures: the tool exits with an error.
    Preserves: everything.
  }];
}

#endif // MPC_PASSES_PIPELINES_PASSES_TD
