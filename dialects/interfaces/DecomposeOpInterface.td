//===- DecomposeOpInterface.td -----------------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_INTERFACES_DECOMPOSEOPINTERFACE_TD
#define MPC_DIALECTS_INTERFACES_DECOMPOSEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The meaning of an op in upstream dialects: linalg on tensors, arith and math.
    Kernels are generated from it, and the reference plan runs it as it is. Applies
    to the local form, whose types have no sharding.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the results from `operands` (of the op's operand types) and returns
        them, in the op's order and of the op's result types.
      }],
      "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

#endif // MPC_DIALECTS_INTERFACES_DECOMPOSEOPINTERFACE_TD
