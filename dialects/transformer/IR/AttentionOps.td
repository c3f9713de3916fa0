//===- AttentionOps.td - scaled dot-product attention ------*- tablegen -*-===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_ATTENTIONOPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_ATTENTIONOPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"

defvar Tfm_AttentionSettings = (ins F32Attr:$scale, BoolAttr:$causal,
                                F32Attr:$rate, I32Attr:$key);
// What tells a probability's place: for the mask and for dropout.
defvar Tfm_AttentionPlaces = (ins
  Tfm_Index:$query_positions, Tfm_Index:$key_positions,
  Tfm_IntegerScalar:$seed, Tfm_Index:$samples, Tfm_Index:$heads);

def Tfm_AttentionOp : Tfm_FixedRuleOp<"attention",
    "q: b s k g d, k: b t k d, v: b t k d, query_positions: b s,"
    " key_positions: b t, seed:, samples: b, heads: k g"
    " -> out: b s k g d, logsumexp: b s k g | whole t d",
    !con((ins Tfm_Tensor:$q, Tfm_Tensor:$k, Tfm_Tensor:$v),
         Tfm_AttentionPlaces, Tfm_AttentionSettings),
    (outs Tfm_Tensor:$out, Tfm_WideTensor:$logsumexp),
    [Tfm_DifferentiableStatistics]> {
  let summary = "softmax(scale · q kᵀ + mask) v, head by head";
  let description = [{
    Dimensions: b batch, s queries, t keys, k key-value heads, g queries' heads of
    each, d head size. A key whose position is negative is padding and masked for
    every query. With `causal`, a key is masked for a query whose position is
    smaller; a query all of whose keys are masked gives 0, logsumexp -inf and no
    gradient. `logsumexp` is what backward needs instead of the scores (Dao 2022).

    With `rate` > 0 probabilities are dropped as by `tfm.dropout`, keyed by
    r = m(m(m(m(m(seed ^ key) + sample) + head) + query position) + key position).

    Constraints:
      - (C1) `rate` is at least 0 and below 1.
  }];
  let hasVerifier = 1;
}

def Tfm_AttentionGradOp : Tfm_FixedRuleOp<"attention_grad",
    "out_grad: b s k g d, q: b s k g d, k: b t k d, v: b t k d, out: b s k g d,"
    " logsumexp: b s k g, query_positions: b s, key_positions: b t, seed:,"
    " samples: b, heads: k g -> q_grad: b s k g d, k_grad: b t k d,"
    " v_grad: b t k d | whole d | reduce s t g | linear out_grad",
    !con((ins Tfm_Tensor:$out_grad, Tfm_Tensor:$q, Tfm_Tensor:$k, Tfm_Tensor:$v,
              Tfm_Tensor:$out, Tfm_WideTensor:$logsumexp),
         Tfm_AttentionPlaces, Tfm_AttentionSettings),
    (outs Tfm_Tensor:$q_grad, Tfm_Tensor:$k_grad, Tfm_Tensor:$v_grad)> {
  let summary = "the cotangents of attention's queries, keys and values";
  let description = [{
    With p the probabilities, z the kept ones scaled, δ = Σ_d out_grad · out:
    v_grad = zᵀ out_grad, and the scores' cotangent is p · (drop(out_grad vᵀ) - δ)
    · scale, whose products with k and q are q_grad and k_grad.
  }];
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_ATTENTIONOPS_TD
