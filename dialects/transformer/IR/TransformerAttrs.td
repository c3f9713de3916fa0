//===- TransformerAttrs.td - parameters, state, strategy ---*- tablegen -*-===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERATTRS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERATTRS_TD

include "dialects/transformer/IR/TransformerBase.td"
include "dialects/transformer/IR/TransformerEnums.td"

def Tfm_DimensionKindAttr
    : EnumAttr<Tfm_Dialect, Tfm_DimensionKind, "dimension"> {
  let assemblyFormat = "$value";
}

def Tfm_ParameterAttr : Tfm_Attr<"Parameter", "parameter"> {
  let summary = "a learned tensor, as an attribute of a function argument";
  let description = [{
    `value` is the standard deviation of a normal initial value, or the constant.
    `logicalShape` is the shape without the padding of the vocabulary, as checkpoints
    hold it. `decay` says whether weight decay applies.

    Constraints:
      - (C1) `dims` and `logicalShape` have an entry for each dimension;
      - (C2) the standard deviation is not negative.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
    ArrayRefParameter<"::mpc::tfm::DimensionKindAttr">:$dims,
    ArrayRefParameter<"int64_t">:$logicalShape,
    EnumParameter<Tfm_InitialKind>:$initial, "::mlir::FloatAttr":$value,
    "bool":$decay);
  let assemblyFormat = [{
    `<` $name `,` `[` $dims `]` `,` `[` $logicalShape `]` `,`
    $initial `=` $value `,` `decay` `=` $decay `>`
  }];
  let genVerifyDecl = 1;
}

def Tfm_BindingAttr : Tfm_Attr<"Binding", "binding"> {
  let summary = "the piece of state that an argument reads or a result writes";
  let description = [{
    Written `#tfm.binding<accumulator "h.0.mlp.c_fc.weight">`. State is named by kind
    and name; all arguments and results bound to it, in all functions of the step,
    have one type. A function that takes and returns the same state updates it in
    place. The kinds are those of StateKind in plan.proto; batch inputs are `ids`,
    `labels`, `positions`, `samples` and `token_types`, with the prefix `step.` when
    they hold all microbatches of a step.
  }];
  let parameters = (ins EnumParameter<Tfm_StateKind>:$kind,
                        "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $kind $name `>`";
}

/// Absent: f32.
def Tfm_PrecisionParameter : EnumParameter<Tfm_Precision> {
  let defaultValue = "::mpc::tfm::Precision::F32";
}

def Tfm_TrainingAttr : Tfm_Attr<"Training", "training"> {
  let summary = "the training settings that the compiler and the runtime need";
  let description = [{
    On the module as `tfm.training`. `clip_norm` 0 means no clipping. `precision` is
    that of activations and of the parameters that compute them; masters, optimizer
    state, gradients of parameters and their sums are f32. In f16 the loss is scaled:
    from `loss_scale`, which halves when a gradient is not finite and doubles after
    `loss_scale_window` steps without (Micikevicius et al. 2018).

    Constraints:
      - (C1) `loss_scale` is given if `precision` is f16, and only then.
  }];
  let parameters = (ins
    "int64_t":$sequence_length, "int64_t":$global_batch,
    EnumParameter<Tfm_OptimizerKind>:$optimizer,
    "::mlir::FloatAttr":$learning_rate, "::mlir::FloatAttr":$min_learning_rate,
    "int64_t":$warmup_steps, "int64_t":$decay_steps,
    "::mlir::FloatAttr":$beta1, "::mlir::FloatAttr":$beta2,
    "::mlir::FloatAttr":$epsilon, "::mlir::FloatAttr":$weight_decay,
    "::mlir::FloatAttr":$clip_norm, "int64_t":$vocabulary,
    "int64_t":$vocabulary_multiple,
    Tfm_PrecisionParameter:$precision,
    OptionalParameter<"::mlir::FloatAttr">:$loss_scale,
    DefaultValuedParameter<"int64_t", "2000">:$loss_scale_window);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfm_MaskingAttr : Tfm_Attr<"Masking", "masking"> {
  let summary = "which tokens masked language modelling hides, and as what";
  let description = [{
    On the module as `tfm.masking`, of a model that learns to restore tokens (Devlin
    et al. 2019). A token is chosen with probability `rate` and becomes a label; of
    the chosen, `mask_share` are replaced by `mask_token`, `random_share` by any
    token of the vocabulary, and the rest stay as they are. `special_tokens` are
    never chosen, nor is padding: `pad_token`, -1 where there is none, whose
    position is -1.

    Constraints:
      - (C1) `rate` is above 0 and at most 1; the shares are at least 0 and at most
        1 together.
  }];
  let parameters = (ins "int64_t":$mask_token, "int64_t":$pad_token,
    "::mlir::DenseI64ArrayAttr":$special_tokens, "::mlir::FloatAttr":$rate,
    "::mlir::FloatAttr":$mask_share, "::mlir::FloatAttr":$random_share);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tfm_StrategyAttr : Tfm_Attr<"Strategy", "strategy"> {
  let summary = "how training is spread over the ranks";
  let description = [{
    On the module as `tfm.strategy`, written by the first pass of `mpc-compile` (or
    by the importer when the spec carries one); every later pass reads only this.
    `tp` asks: a block uses it where its sizes divide; `strict` makes that an error.
    `dp`, `pp` and `microbatches` are always used as given.

    With `pp` above 1 the layers are cut into `pp` · `chunks` pieces in depth order,
    of which stage s holds those with number s modulo `pp`. `stages` gives the layers
    of each piece; absent, they are balanced by cost. `schedule` is gpipe, 1f1b,
    interleaved, zero-bubble or file; `table` is the text of the file. `recompute` says
    which layers compute activations a second time, in backward, rather than keep
    them: none, selective or full, or a list such as full:0-11,none:12-23.
    `attention` is fused (the default) or unfused: whether backward computes scores
    again, or they are a tensor of the program and probabilities are kept for it.
  }];
  let parameters = (ins "int64_t":$tp, "int64_t":$dp, "int64_t":$microbatches,
    "bool":$sequence_parallel, "int64_t":$zero, "bool":$strict,
    "bool":$reference,
    DefaultValuedParameter<"int64_t", "1">:$pp,
    DefaultValuedParameter<"int64_t", "1">:$chunks,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$stages,
    OptionalParameter<"::mlir::StringAttr">:$schedule,
    OptionalParameter<"::mlir::StringAttr">:$table,
    OptionalParameter<"::mlir::StringAttr">:$recompute,
    OptionalParameter<"::mlir::StringAttr">:$attention);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfm_GeluFormAttr : EnumAttr<Tfm_Dialect, Tfm_GeluForm, "gelu_form"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMERATTRS_TD
