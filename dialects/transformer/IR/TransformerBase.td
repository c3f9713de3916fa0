//===- TransformerBase.td - the tfm dialect ----------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERBASE_TD
#define MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERBASE_TD

include "dialects/dist/IR/DistAttrs.td"
include "dialects/interfaces/DecomposeOpInterface.td"
include "dialects/interfaces/GradientOpInterface.td"
include "dialects/interfaces/ShardingRuleOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tfm_Dialect : Dialect {
  let name = "tfm";
  let cppNamespace = "::mpc::tfm";
  let summary = "Transformers and their training, in the global view";
  let description = [{
    Every op states its dimensions as a rule (see ShardingRule.h), its gradient and
    its meaning in linalg. Sizes are in types only; heads are dimensions of their
    own; no op reads an implicit index: where an element is comes as an operand.

    A model is a function `@forward` whose arguments are its parameters
    (`tfm.parameter`) and batch inputs (`tfm.binding`), and whose result is the sum
    of the loss over all valid tokens. Training turns it into the three functions
    of a step, `@prologue`, `@forward_backward` and `@update`, whose arguments and
    results are bound to named pieces of state.
  }];
  let dependentDialects = ["::mpc::dist::DistDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr llvm::StringLiteral kParameterAttrName = "tfm.parameter";
    static constexpr llvm::StringLiteral kBindingAttrName = "tfm.binding";
    static constexpr llvm::StringLiteral kTrainingAttrName = "tfm.training";
    static constexpr llvm::StringLiteral kMaskingAttrName = "tfm.masking";
    static constexpr llvm::StringLiteral kStrategyAttrName = "tfm.strategy";
    static constexpr llvm::StringLiteral kModelNameAttrName = "tfm.model_name";
    static constexpr llvm::StringLiteral kModelHashAttrName = "tfm.model_hash";
    static constexpr llvm::StringLiteral kRemarksAttrName = "tfm.remarks";
  }];
}

class Tfm_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tfm_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

defvar Tfm_Phased = (ins
  DefaultValuedAttr<Dist_PhaseAttr, "::mpc::dist::Phase::Forward">:$phase,
  OptionalAttr<I64Attr>:$piece);

/// An op of the transformer dialect. `inputs` are its operands and its own
/// attributes; every op also carries the phase and, once planned, the piece
/// of the pipeline.
class Tfm_Op<string mnemonic, dag inputs, dag outputs, list<Trait> traits = []>
    : Op<Tfm_Dialect, mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<ShardingRuleOpInterface>,
        DeclareOpInterfaceMethods<DecomposeOpInterface>], traits)> {
  let arguments = !con(inputs, Tfm_Phased);
  let results = outputs;
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

/// An op whose rule is one text, whatever its types.
class Tfm_FixedRuleOp<string mnemonic, string rule, dag inputs, dag outputs,
                      list<Trait> traits = []>
    : Tfm_Op<mnemonic, inputs, outputs, traits> {
  let extraClassDefinition = [{
    std::string $cppClass::getShardingRuleText() { return "}] # rule # [{"; }
  }];
}

/// An op of a forward pass has a gradient.
defvar Tfm_Differentiable = DeclareOpInterfaceMethods<GradientOpInterface>;
/// So has one some of whose results are f32 in every precision.
defvar Tfm_DifferentiableStatistics =
    DeclareOpInterfaceMethods<GradientOpInterface, ["isStatistic"]>;

def Tfm_Tensor : RankedTensorOf<[F32, BF16, F16]>;
/// What is f32 in every precision: statistics of rows, gradients of parameters.
def Tfm_WideTensor : RankedTensorOf<[F32]>;
def Tfm_Index : RankedTensorOf<[I32]>;
def Tfm_Scalar : 0DTensorOf<[F32]>;
def Tfm_IntegerScalar : 0DTensorOf<[I32]>;

#endif // MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERBASE_TD
