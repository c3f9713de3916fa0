//===- LossOps.td - cross entropy as row statistics --------*- tablegen -*-===//
//
// Cross entropy is written as ordinary reductions over the vocabulary (row_max,
// exp_sum, pick) and a pointwise op (nll), so a split vocabulary needs no op of
// its own: each statistic becomes a partial value of [b, s].
//
//===----------------------------------------------------------------------===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_LOSSOPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_LOSSOPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"

def Tfm_RowMaxOp : Tfm_FixedRuleOp<"row_max",
    "x: b s V, rows: V -> out: b s | max V",
    (ins Tfm_Tensor:$x, Tfm_Index:$rows, I64Attr:$classes),
    (outs Tfm_WideTensor:$out), [Tfm_DifferentiableStatistics]> {
  let summary = "the largest logit of each row";
  let description = [{
    Over the columns whose number in `rows` is below `classes`; columns beyond are
    the padding of the vocabulary. It has no gradient: it only shifts a softmax.
  }];
}

def Tfm_ExpSumOp : Tfm_FixedRuleOp<"exp_sum",
    "x: b s V, max: b s, rows: V -> out: b s | reduce V",
    (ins Tfm_Tensor:$x, Tfm_WideTensor:$max, Tfm_Index:$rows, I64Attr:$classes),
    (outs Tfm_WideTensor:$out), [Tfm_DifferentiableStatistics]> {
  let summary = "Σ_V exp(x - max) over the columns that are not padding";
}

def Tfm_ExpSumGradOp : Tfm_FixedRuleOp<"exp_sum_grad",
    "out_grad: b s, x: b s V, max: b s, rows: V -> x_grad: b s V"
    " | linear out_grad",
    (ins Tfm_WideTensor:$out_grad, Tfm_Tensor:$x, Tfm_WideTensor:$max, Tfm_Index:$rows,
         I64Attr:$classes),
    (outs Tfm_WideTensor:$x_grad)> {
  let summary = "out_grad · exp(x - max), 0 in padding columns";
}

def Tfm_PickOp : Tfm_FixedRuleOp<"pick",
    "x: b s V, labels: b s, rows: V -> out: b s | reduce V | linear x",
    (ins Tfm_Tensor:$x, Tfm_Index:$labels, Tfm_Index:$rows),
    (outs Tfm_WideTensor:$out), [Tfm_DifferentiableStatistics]> {
  let summary = "the logit of each row's label; 0 where no column has it";
  let description = [{
    `rows` are consecutive, as for `tfm.embedding`; a label of -1 matches none.
  }];
}

def Tfm_PickGradOp : Tfm_FixedRuleOp<"pick_grad",
    "out_grad: b s, labels: b s, rows: V -> x_grad: b s V | linear out_grad",
    (ins Tfm_WideTensor:$out_grad, Tfm_Index:$labels, Tfm_Index:$rows),
    (outs Tfm_WideTensor:$x_grad)> {
  let summary = "out_grad in the label's column, 0 elsewhere";
}

def Tfm_NllOp : Tfm_FixedRuleOp<"nll",
    "exp_sum: b s, max: b s, pick: b s, labels: b s -> out: b s",
    (ins Tfm_WideTensor:$exp_sum, Tfm_WideTensor:$max, Tfm_WideTensor:$pick,
         Tfm_Index:$labels),
    (outs Tfm_WideTensor:$out), [Tfm_DifferentiableStatistics]> {
  let summary = "the negative log-likelihood of each token's label";
  let description = [{
    log(exp_sum) + max - pick where the label is not negative, else 0.
  }];
}

def Tfm_NllGradOp : Tfm_FixedRuleOp<"nll_grad",
    "out_grad: b s, exp_sum: b s, labels: b s -> exp_sum_grad: b s, pick_grad: b s"
    " | linear out_grad",
    (ins Tfm_WideTensor:$out_grad, Tfm_WideTensor:$exp_sum, Tfm_Index:$labels),
    (outs Tfm_WideTensor:$exp_sum_grad, Tfm_WideTensor:$pick_grad)> {
  let summary = "out_grad / exp_sum and -out_grad, 0 where there is no label";
}

def Tfm_SumAllOp : Tfm_Op<"sum_all", (ins Tfm_Tensor:$x),
    (outs Tfm_Scalar:$out), [Tfm_DifferentiableStatistics]> {
  let summary = "the sum of all elements, of any rank";
}

def Tfm_BroadcastOp : Tfm_Op<"broadcast", (ins Tfm_Scalar:$x),
    (outs Tfm_Tensor:$out)> {
  let summary = "a tensor every element of which is the scalar";
  let description = [{
    The cotangent of `tfm.sum_all`.
  }];
}

def Tfm_CountValidOp : Tfm_Op<"count_valid", (ins Tfm_Index:$labels),
    (outs Tfm_Scalar:$out)> {
  let summary = "how many labels are not negative, of any rank";
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_LOSSOPS_TD
