// Passes of the kernel generator.
#ifndef MPC_PASSES_LOWERING_KERNELS_PASSES
#define MPC_PASSES_LOWERING_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def GenerateKernelsPass : Pass<"mpc-generate-kernels", "::mlir::ModuleOp"> {
  let summary = "replace kernels on tensors by functions of loops";
  let description = [{
    Requires: each private function with a body is a kernel: from tensors of
    static sizes to tensors, a body of linalg ops, `tensor.empty` and constants.
    Ensures: in its place stands `void name(ptr buffers, i64 begin, i64 end)` in
    the dialects scf, arith, math and llvm. With `print-facts`, a remark at each
    kernel states its extent and which results may be the same memory as which
    arguments.
    Preserves: all else.

    The compiler itself compiles kernels without this pass; it shows what comes
    of one.
  }];
  let options = [
    Option<"printFacts", "print-facts", "bool", "false",
           "Emit a remark with each kernel's extent and in-place pairs">,
  ];
}

#endif // MPC_PASSES_LOWERING_KERNELS_PASSES
