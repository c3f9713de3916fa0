//===- GradientOpInterface.td ------------------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_INTERFACES_GRADIENTOPINTERFACE_TD
#define MPC_DIALECTS_INTERFACES_GRADIENTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Implemented by every op of a forward pass. Reverse mode: given the cotangents
    of the results, builds the cotangents of the operands, each of the operand's
    type or of its shape in f32: so is what is summed over tokens. Input gradients and weight gradients are separate ops, the latter with
    `phase = weight`.
  }];
  let methods = [
    InterfaceMethod<[{
        `resultGrads` has an entry for each result, null where nothing depends on
        it (at least one is not null). Returns an entry for each operand: null
        where `wanted` is false, where the operand has no gradient (integers), and
        where its gradient is zero.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildGradients",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultGrads,
           "::llvm::ArrayRef<bool>":$wanted)>,
    InterfaceMethod<[{
        Whether a result keeps f32 whatever the precision of training: a number that
        sums up many elements.
      }],
      "bool", "isStatistic", (ins "unsigned":$result), "", "return false;">,
  ];
}

#endif // MPC_DIALECTS_INTERFACES_GRADIENTOPINTERFACE_TD
