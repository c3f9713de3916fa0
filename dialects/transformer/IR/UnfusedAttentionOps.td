//===- UnfusedAttentionOps.td - attention with stored scores -*- tablegen -*-=//
//
// What tfm.attention is made of, for strategies with attention=unfused. Dimensions
// are named as there; scores are [b, k, g, s, t], a matrix for each head.
//
// The three products are gradients of one another.
//
//===----------------------------------------------------------------------===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_UNFUSEDATTENTIONOPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_UNFUSEDATTENTIONOPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"

def Tfm_AttentionScoresOp : Tfm_FixedRuleOp<"attention_scores",
    "q: b s k g d, k: b t k d -> scores: b k g s t | reduce d | linear q; k",
    (ins Tfm_Tensor:$q, Tfm_Tensor:$k), (outs Tfm_Tensor:$scores),
    [Tfm_Differentiable, AllElementTypesMatch<["q", "k", "scores"]>]> {
  let summary = "q kᵀ, head by head";
  let description = [{
    scores[b, k, g, s, t] = Σ_d q[b, s, k, g, d] · k[b, t, k, d]. Of the context's
    cotangent and the values it is the cotangent of the probabilities.

    ```mlir
    func.func @f(%q: tensor<2x8x4x1x4xf32>, %k: tensor<2x8x4x4xf32>)
        -> tensor<2x4x1x8x8xf32> {
      %0 = tfm.attention_scores %q, %k
        : (tensor<2x8x4x1x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x4x1x8x8xf32>
      return %0 : tensor<2x4x1x8x8xf32>
    }
    ```
  }];
}

def Tfm_AttentionContextOp : Tfm_FixedRuleOp<"attention_context",
    "weights: b k g s t, values: b t k d -> out: b s k g d | reduce t"
    " | linear weights; values",
    (ins Tfm_Tensor:$weights, Tfm_Tensor:$values), (outs Tfm_Tensor:$out),
    [Tfm_Differentiable, AllElementTypesMatch<["weights", "values", "out"]>]> {
  let summary = "weighted sums of values, head by head";
  let description = [{
    out[b, s, k, g, d] = Σ_t weights[b, k, g, s, t] · values[b, t, k, d]. Of the
    scores' cotangent and the keys it is the cotangent of the queries.
  }];
}

def Tfm_AttentionKeyGradOp : Tfm_FixedRuleOp<"attention_key_grad",
    "weights: b k g s t, rows: b s k g d -> out: b t k d | reduce s g"
    " | linear weights; rows",
    (ins Tfm_Tensor:$weights, Tfm_Tensor:$rows), (outs Tfm_Tensor:$out),
    [AllElementTypesMatch<["weights", "rows", "out"]>]> {
  let summary = "the cotangent of what has one row for each key";
  let description = [{
    out[b, t, k, d] = Σ_{s, g} weights[b, k, g, s, t] · rows[b, s, k, g, d]: of the
    scores' cotangent and the queries the cotangent of the keys, of the weights and
    the context's cotangent the cotangent of the values.
  }];
}

def Tfm_MaskedSoftmaxOp : Tfm_FixedRuleOp<"masked_softmax",
    "scores: b k g s t, query_positions: b s, key_positions: b t"
    " -> probabilities: b k g s t | whole t",
    (ins Tfm_Tensor:$scores, Tfm_Index:$query_positions,
         Tfm_Index:$key_positions, F32Attr:$scale, BoolAttr:$causal),
    (outs Tfm_Tensor:$probabilities),
    [Tfm_Differentiable, AllElementTypesMatch<["scores", "probabilities"]>]> {
  let summary = "softmax(scale · scores + mask) over the keys";
  let description = [{
    Keys are masked as by `tfm.attention`. The probability of a masked key is 0, and
    a query all of whose keys are masked has no other: its row is 0, and so is its
    gradient. Sums are taken in f32 whatever the type of the scores.
  }];
}

def Tfm_MaskedSoftmaxGradOp : Tfm_FixedRuleOp<"masked_softmax_grad",
    "out_grad: b k g s t, probabilities: b k g s t -> scores_grad: b k g s t"
    " | whole t | linear out_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$probabilities, F32Attr:$scale),
    (outs Tfm_Tensor:$scores_grad),
    [AllElementTypesMatch<["out_grad", "probabilities", "scores_grad"]>]> {
  let summary = "the cotangent of a softmax's scores";
  let description = [{
    With p the probabilities: scores_grad = scale · p · (out_grad - Σ_t out_grad · p).
    What is masked has probability 0, hence no gradient.
  }];
}

def Tfm_AttentionDropoutOp : Tfm_FixedRuleOp<"attention_dropout",
    "x: b k g s t, seed:, samples: b, heads: k g, query_positions: b s,"
    " key_positions: b t -> out: b k g s t | linear x",
    (ins Tfm_Tensor:$x, Tfm_IntegerScalar:$seed, Tfm_Index:$samples,
         Tfm_Index:$heads, Tfm_Index:$query_positions,
         Tfm_Index:$key_positions, F32Attr:$rate, I32Attr:$key),
    (outs Tfm_Tensor:$out),
    [Tfm_Differentiable, AllElementTypesMatch<["x", "out"]>]> {
  let summary = "zeroes probabilities at random and scales the rest";
  let description = [{
    The probabilities that `tfm.attention` of the same key drops.

    Constraints:
      - (C1) `rate` is at least 0 and below 1.
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_UNFUSEDATTENTIONOPS_TD
