//===- TransformerEnums.td - kinds of things ---------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERENUMS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERENUMS_TD

include "mlir/IR/EnumAttr.td"

class Tfm_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mpc::tfm";
  let genSpecializedAttr = 0;
}

def Tfm_DimensionKind : Tfm_Enum<"DimensionKind",
    "what a dimension of a parameter counts", [
      I32EnumAttrCase<"Vocabulary", 0, "vocabulary">,
      I32EnumAttrCase<"Position", 1, "position">,
      I32EnumAttrCase<"Hidden", 2, "hidden">,
      I32EnumAttrCase<"KvHeads", 3, "kv_heads">,
      I32EnumAttrCase<"HeadGroup", 4, "head_group">,
      I32EnumAttrCase<"HeadDim", 5, "head_dim">,
      I32EnumAttrCase<"Ffn", 6, "ffn">,
      I32EnumAttrCase<"TokenType", 7, "token_type">]>;

def Tfm_InitialKind : Tfm_Enum<"InitialKind", "how a parameter begins", [
      I32EnumAttrCase<"Normal", 0, "normal">,
      I32EnumAttrCase<"Constant", 1, "constant">]>;

def Tfm_StateKind : Tfm_Enum<"StateKind", "what a piece of state is for", [
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
      I32EnumAttrCase<"Stash", 10, "stash">,
      I32EnumAttrCase<"Incoming", 11, "incoming">,
      I32EnumAttrCase<"Outgoing", 12, "outgoing">,
      I32EnumAttrCase<"Gradient", 13, "gradient">]>;

def Tfm_OptimizerKind : Tfm_Enum<"OptimizerKind", "how parameters are updated", [
      I32EnumAttrCase<"Sgd", 0, "sgd">, I32EnumAttrCase<"AdamW", 1, "adamw">]>;

def Tfm_Precision : Tfm_Enum<"Precision",
    "what activations and the compute copies of parameters are", [
      I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"BF16", 1, "bf16">,
      I32EnumAttrCase<"F16", 2, "f16">]>;

def Tfm_GeluForm : Tfm_Enum<"GeluForm", "which formula of gelu", [
      I32EnumAttrCase<"Tanh", 0, "tanh">, I32EnumAttrCase<"Erf", 1, "erf">]>;

#endif // MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERENUMS_TD
