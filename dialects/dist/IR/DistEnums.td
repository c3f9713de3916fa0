//===- DistEnums.td - kinds of reduction, phases -----------*- tablegen -*-===//
#ifndef MPC_DIALECTS_DIST_IR_DISTENUMS_TD
#define MPC_DIALECTS_DIST_IR_DISTENUMS_TD

include "mlir/IR/EnumAttr.td"

def Dist_ReductionKind : I32EnumAttr<"ReductionKind",
    "how the addends of a partial value combine", [
      I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::mpc::dist";
  let genSpecializedAttr = 0;
}

def Dist_Phase : I32EnumAttr<"Phase", "the part of a training step", [
      I32EnumAttrCase<"Forward", 0, "forward">,
      I32EnumAttrCase<"Prologue", 1, "prologue">,
      I32EnumAttrCase<"Recompute", 2, "recompute">,
      I32EnumAttrCase<"Backward", 3, "backward">,
      I32EnumAttrCase<"Weight", 4, "weight">,
      I32EnumAttrCase<"Update", 5, "update">]> {
  let cppNamespace = "::mpc::dist";
  let genSpecializedAttr = 0;
}

#endif // MPC_DIALECTS_DIST_IR_DISTENUMS_TD
