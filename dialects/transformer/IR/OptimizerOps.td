//===- OptimizerOps.td - norm, clipping, SGD, AdamW --------*- tablegen -*-===//
//
// The update of a step. Nothing here branches: a step without a valid token
// selects the old values.
//
//===----------------------------------------------------------------------===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_OPTIMIZEROPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_OPTIMIZEROPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"

def Tfm_SumSquaresOp : Tfm_Op<"sum_squares", (ins Tfm_Tensor:$x),
    (outs Tfm_Scalar:$out)> {
  let summary = "the sum of the squares of all elements, of any rank";
  let description = [{
    Not linear: the squares of addends do not add up to the square of the sum.
  }];
}

def Tfm_SqrtOp : Tfm_FixedRuleOp<"sqrt", "x: -> out:",
    (ins Tfm_Scalar:$x), (outs Tfm_Scalar:$out)> {
  let summary = "the square root of a scalar";
}

def Tfm_ReciprocalOp : Tfm_FixedRuleOp<"reciprocal", "x: -> out:",
    (ins Tfm_Scalar:$x), (outs Tfm_Scalar:$out)> {
  let summary = "1 / x, or 0 if x is 0";
  let description = [{
    So a step without a valid token has zero loss and zero gradients.
  }];
}

def Tfm_ClipFactorOp : Tfm_FixedRuleOp<"clip_factor", "norm: -> out:",
    (ins Tfm_Scalar:$norm, F32Attr:$max_norm), (outs Tfm_Scalar:$out)> {
  let summary = "min(1, max_norm / (norm + 1e-6))";
  let description = [{
    What gradients are multiplied by so that their norm is at most `max_norm`
    (Pascanu et al. 2013), in the form PyTorch uses. `max_norm` 0: always 1.

    Constraints:
      - (C1) `max_norm` is not negative.
  }];
  let hasVerifier = 1;
}

def Tfm_CountStepOp : Tfm_FixedRuleOp<"count_step", "step:, valid: -> out:",
    (ins Tfm_Scalar:$step, Tfm_Scalar:$valid), (outs Tfm_Scalar:$out)> {
  let summary = "step + 1 if `valid` > 0, else step";
  let description = [{
    Counts the updates that are applied. Exact up to 2^24 steps.
  }];
}

def Tfm_BiasCorrectionOp : Tfm_FixedRuleOp<"bias_correction", "step: -> out:",
    (ins Tfm_Scalar:$step, F64Attr:$beta), (outs Tfm_Scalar:$out)> {
  let summary = "1 - beta^step";
  let description = [{
    Of Adam's moments (Kingma and Ba 2015, section 3), computed in double precision,
    since beta is close to 1.

    Constraints:
      - (C1) `beta` is at least 0 and below 1.
  }];
  let hasVerifier = 1;
}

def Tfm_ValidIfFiniteOp : Tfm_FixedRuleOp<"valid_if_finite",
    "valid:, norm: -> out: | linear valid", (ins Tfm_Scalar:$valid, Tfm_Scalar:$norm),
    (outs Tfm_Scalar:$out)> {
  let summary = "`valid` if `norm` is finite, else 0";
  let description = [{
    So a step with a gradient that overflowed changes nothing, on any rank: all have
    the same norm.
  }];
}

def Tfm_UpdateLossScaleOp : Tfm_FixedRuleOp<"update_loss_scale",
    "scale:, good_steps:, norm: -> new_scale:, new_good_steps:",
    (ins Tfm_Scalar:$scale, Tfm_Scalar:$good_steps, Tfm_Scalar:$norm,
         I64Attr:$window),
    (outs Tfm_Scalar:$new_scale, Tfm_Scalar:$new_good_steps)> {
  let summary = "the loss scale of the next step";
  let description = [{
    Half of `scale`, at least 1, if `norm` is not finite; twice, at most 2^24, if it
    was finite in `window` steps in a row; else the same. `good_steps` counts the row.

    Constraints:
      - (C1) `window` is at least 1.
  }];
  let hasVerifier = 1;
}

def Tfm_SgdOp : Tfm_Op<"sgd",
    (ins Tfm_WideTensor:$parameter, Tfm_WideTensor:$gradient, Tfm_Scalar:$clip,
         Tfm_Scalar:$learning_rate, Tfm_Scalar:$valid, F32Attr:$weight_decay),
    (outs Tfm_WideTensor:$new_parameter)> {
  let summary = "one step of stochastic gradient descent";
  let description = [{
    p - lr · (clip · g + weight_decay · p); p itself if `valid` is 0.
  }];
}

def Tfm_AdamWOp : Tfm_Op<"adamw",
    (ins Tfm_WideTensor:$parameter, Tfm_WideTensor:$moment1, Tfm_WideTensor:$moment2,
         Tfm_WideTensor:$gradient, Tfm_Scalar:$clip, Tfm_Scalar:$learning_rate,
         Tfm_Scalar:$correction1, Tfm_Scalar:$correction2, Tfm_Scalar:$valid,
         F32Attr:$beta1, F32Attr:$beta2, F32Attr:$epsilon,
         F32Attr:$weight_decay),
    (outs Tfm_WideTensor:$new_parameter, Tfm_WideTensor:$new_moment1,
          Tfm_WideTensor:$new_moment2)> {
  let summary = "one step of Adam with decoupled weight decay";
  let description = [{
    Loshchilov and Hutter 2019, with g the clipped gradient:
    m' = beta1 m + (1 - beta1) g, v' = beta2 v + (1 - beta2) g²,
    p' = p (1 - lr · weight_decay)
         - lr · (m' / correction1) / (sqrt(v' / correction2) + epsilon).
    All three keep their old values if `valid` is 0.
  }];
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_OPTIMIZEROPS_TD
