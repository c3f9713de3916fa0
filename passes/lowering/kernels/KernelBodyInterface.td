// The interface of ops that say themselves how their kernel computes.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE
#define MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE

include "mlir/IR/OpBase.td"

def MPC_KernelBodyOpInterface : OpInterface<"KernelBodyOpInterface"> {
  let cppNamespace = "::mpc::kernels";
  let description = [{
    For what linalg cannot express, such as an addition at places that data
    decide. A kernel whose body is one such op, perhaps with an addition of its
    one result to an argument, is emitted by the op. An op of another dialect
    gets the interface by an external model.
  }];
  let methods = [
    InterfaceMethod<[{
      Number of iterations of the outermost loop. Any division of them among
      threads gives the same bits.
    }], "int64_t", "getKernelExtent">,
    InterfaceMethod<[{
      Emits the iterations [begin, end) in scf, arith, math and llvm. `inputs`
      are the addresses of the operands and `output` of the result, which
      overlaps none of them. If `initial` is not null, what is there is added to
      the result; it may be the same memory as `output`.
    }], "void", "emitKernelBody",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$inputs,
             "::mlir::Value":$initial, "::mlir::Value":$output,
             "::mlir::Value":$begin, "::mlir::Value":$end)>,
  ];
}

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE
