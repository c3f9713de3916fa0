//===- ExecEnums.td - kinds of things in a plan ------------*- tablegen -*-===//
//
// The cases are those of plan.proto, where each is described.
//
//===----------------------------------------------------------------------===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECENUMS_TD
#define MPC_DIALECTS_EXEC_IR_EXECENUMS_TD

include "mlir/IR/EnumAttr.td"

class Exec_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mpc::exec";
  let genSpecializedAttr = 0;
}

def Exec_Region : Exec_Enum<"Region", "a part of a rank's memory", [
      I32EnumAttrCase<"Persistent", 0, "persistent">,
      I32EnumAttrCase<"Slot", 1, "slot">,
      I32EnumAttrCase<"Transient", 2, "transient">]>;

def Exec_StateKind : Exec_Enum<"StateKind", "what a piece of state is for", [
      I32EnumAttrCase<"Master", 0, "master">,
      I32EnumAttrCase<"Moment1", 1, "moment1">,
      I32EnumAttrCase<"Moment2", 2, "moment2">,
      I32EnumAttrCase<"Accumulator", 3, "accumulator">,
      I32EnumAttrCase<"Compute", 4, "compute">,
      I32EnumAttrCase<"Batch", 5, "batch">,
      I32EnumAttrCase<"InputScalar", 6, "input_scalar">,
      I32EnumAttrCase<"Counter", 7, "counter">,
      I32EnumAttrCase<"Metric", 8, "metric">,
      I32EnumAttrCase<"Carry", 9, "carry">,
      I32EnumAttrCase<"Constant", 10, "constant">,
      I32EnumAttrCase<"Stash", 11, "stash">,
      I32EnumAttrCase<"Incoming", 12, "incoming">,
      I32EnumAttrCase<"Outgoing", 13, "outgoing">,
      I32EnumAttrCase<"Gradient", 14, "gradient">]>;

def Exec_InitialKind : Exec_Enum<"InitialKind", "how a piece of state begins", [
      I32EnumAttrCase<"Normal", 0, "normal">,
      I32EnumAttrCase<"Constant", 1, "constant">,
      I32EnumAttrCase<"Iota", 2, "iota">]>;

def Exec_BatchInput : Exec_Enum<"BatchInput", "what the loader writes", [
      I32EnumAttrCase<"Ids", 0, "ids">,
      I32EnumAttrCase<"Labels", 1, "labels">,
      I32EnumAttrCase<"Positions", 2, "positions">,
      I32EnumAttrCase<"Samples", 3, "samples">,
      I32EnumAttrCase<"TokenTypes", 4, "token_types">]>;

def Exec_CollectiveKind : Exec_Enum<"CollectiveKind", "a kind of collective", [
      I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
      I32EnumAttrCase<"AllGather", 1, "all_gather">,
      I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
      I32EnumAttrCase<"AllToAll", 3, "all_to_all">]>;

def Exec_ListPhase : Exec_Enum<"ListPhase", "the part of a step of a list", [
      I32EnumAttrCase<"Prologue", 0, "prologue">,
      I32EnumAttrCase<"Forward", 1, "forward">,
      I32EnumAttrCase<"Backward", 2, "backward">,
      I32EnumAttrCase<"ForwardBackward", 3, "forward_backward">,
      I32EnumAttrCase<"Weight", 4, "weight">,
      I32EnumAttrCase<"Update", 5, "update">,
      I32EnumAttrCase<"Transfer", 6, "transfer">]>;

def Exec_Variant : Exec_Enum<"Variant", "the microbatches a list is for", [
      I32EnumAttrCase<"Only", 0, "only">,
      I32EnumAttrCase<"First", 1, "first">,
      I32EnumAttrCase<"Middle", 2, "middle">,
      I32EnumAttrCase<"Last", 3, "last">]>;

def Exec_DeviceKind : Exec_Enum<"DeviceKind", "a kind of device", [
      I32EnumAttrCase<"Cpu", 0, "cpu">]>;

#endif // MPC_DIALECTS_EXEC_IR_EXECENUMS_TD
