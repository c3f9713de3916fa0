//===- LayerOps.td - embedding, norm, products, pointwise --*- tablegen -*-===//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_LAYEROPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_LAYEROPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"

// -------------------------------------------------------------- embedding

def Tfm_EmbeddingOp : Tfm_FixedRuleOp<"embedding",
    "table: V h, ids: b s, rows: V -> out: b s h | reduce V | linear table",
    (ins Tfm_Tensor:$table, Tfm_Index:$ids, Tfm_Index:$rows),
    (outs Tfm_Tensor:$out), [Tfm_Differentiable]> {
  let summary = "looks up rows of a table";
  let description = [{
    out[b, s] is the row of `table` whose number in `rows` is ids[b, s], or 0 if no
    row has it: so a table split over its rows yields a partial sum. `rows` are
    consecutive: rows[i] = rows[0] + i.

    ```mlir
    func.func @f(%table: tensor<13x16xf32>, %ids: tensor<2x8xi32>,
                 %rows: tensor<13xi32>) -> tensor<2x8x16xf32> {
      %0 = tfm.embedding %table, %ids, %rows
        : (tensor<13x16xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8x16xf32>
      return %0 : tensor<2x8x16xf32>
    }
    ```
  }];
}

def Tfm_EmbeddingGradOp : Tfm_FixedRuleOp<"embedding_grad",
    "out_grad: b s h, ids: b s, rows: V -> table_grad: V h"
    " | reduce b s | linear out_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Index:$ids, Tfm_Index:$rows),
    (outs Tfm_WideTensor:$table_grad)> {
  let summary = "sums the cotangents of each row of the table";
  let description = [{
    table_grad[v] is the sum of out_grad[b, s] over all places with ids[b, s] equal
    to rows[v]. Places are added in row-major order of (b, s).
  }];
}

// -------------------------------------------------------------- dropout

def Tfm_DropoutOp : Tfm_FixedRuleOp<"dropout",
    "x: b s h, seed:, samples: b, positions: b s, features: h -> out: b s h"
    " | linear x",
    (ins Tfm_Tensor:$x, Tfm_IntegerScalar:$seed, Tfm_Index:$samples,
         Tfm_Index:$positions, Tfm_Index:$features, F32Attr:$rate,
         I32Attr:$key),
    (outs Tfm_Tensor:$out), [Tfm_Differentiable]> {
  let summary = "zeroes elements at random and scales the rest";
  let description = [{
    An element is dropped or kept by a hash of (seed, `key`, sample, position,
    feature) alone, so a run is the same under every mesh, microbatch size and
    recomputation. With m the mixer x ^= x>>16; x *= 0x7feb352d; x ^= x>>15;
    x *= 0x846ca68b; x ^= x>>16 on 32 bits, r = m(m(m(m(seed ^ key) + sample) +
    position) + feature), and an element is kept iff (r >> 8) is at least
    round(rate · 2^24). Kept elements are multiplied by 1 / (1 - rate).

    Constraints:
      - (C1) `rate` is at least 0 and below 1.
  }];
  let hasVerifier = 1;
}

// -------------------------------------------------------------- layer norm

def Tfm_LayerNormOp : Tfm_FixedRuleOp<"layer_norm",
    "x: b s h, weight: h, bias: h -> out: b s h, mean: b s, rstd: b s | whole h",
    (ins Tfm_Tensor:$x, Tfm_Tensor:$weight, Tfm_Tensor:$bias, F32Attr:$epsilon),
    (outs Tfm_Tensor:$out, Tfm_WideTensor:$mean, Tfm_WideTensor:$rstd),
    [Tfm_DifferentiableStatistics]> {
  let summary = "normalises rows to mean 0 and variance 1, then scales and shifts";
  let description = [{
    out = (x - mean) · rstd · weight + bias, rstd = 1 / sqrt(variance + epsilon) with
    the biased variance (Ba et al. 2016). `mean` and `rstd` are what backward needs.

    ```mlir
    func.func @f(%x: tensor<2x8x16xf32>, %w: tensor<16xf32>, %b: tensor<16xf32>)
        -> tensor<2x8x16xf32> {
      %y, %mean, %rstd = tfm.layer_norm %x, %w, %b {epsilon = 1.0e-5 : f32}
        : (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<2x8x16xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
      return %y : tensor<2x8x16xf32>
    }
    ```
  }];
}

def Tfm_LayerNormInputGradOp : Tfm_FixedRuleOp<"layer_norm_input_grad",
    "out_grad: b s h, x: b s h, weight: h, mean: b s, rstd: b s -> x_grad: b s h"
    " | whole h | linear out_grad; weight",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x, Tfm_Tensor:$weight,
         Tfm_WideTensor:$mean, Tfm_WideTensor:$rstd),
    (outs Tfm_Tensor:$x_grad)> {
  let summary = "the cotangent of a layer norm's input";
  let description = [{
    With n = (x - mean) · rstd and d = out_grad · weight:
    x_grad = rstd · (d - mean_h(d) - n · mean_h(d · n)).
  }];
}

def Tfm_LayerNormParamGradOp : Tfm_FixedRuleOp<"layer_norm_param_grad",
    "out_grad: b s h, x: b s h, mean: b s, rstd: b s"
    " -> weight_grad: h, bias_grad: h | reduce b s | linear out_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x, Tfm_WideTensor:$mean,
         Tfm_WideTensor:$rstd),
    (outs Tfm_WideTensor:$weight_grad, Tfm_WideTensor:$bias_grad)> {
  let summary = "the cotangents of a layer norm's weight and bias";
  let description = [{
    weight_grad = Σ out_grad · (x - mean) · rstd, bias_grad = Σ out_grad, over b and s.
  }];
}

// -------------------------------------------------------------- products

def Tfm_LinearOp : Tfm_Op<"linear", (ins Tfm_Tensor:$x, Tfm_Tensor:$w),
    (outs Tfm_Tensor:$out), [Tfm_Differentiable]> {
  let summary = "contracts the trailing dimensions of x with those of w";
  let description = [{
    out[b, s, o…] = Σ_c x[b, s, c…] · w[o…, c…]: the leading dimensions of w become
    dimensions of the result. How many are contracted follows from the ranks. Heads
    are dimensions, so nothing is ever reshaped.

    Constraints:
      - (C1) the ranks of x, w and out fit: at least one dimension is contracted, at
        least one is left of w, and x has two more.

    ```mlir
    func.func @query(%x: tensor<2x8x16xf32>, %w: tensor<4x1x4x16xf32>)
        -> tensor<2x8x4x1x4xf32> {
      %q = tfm.linear %x, %w
        : (tensor<2x8x16xf32>, tensor<4x1x4x16xf32>) -> tensor<2x8x4x1x4xf32>
      return %q : tensor<2x8x4x1x4xf32>
    }
    ```
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of dimensions summed over.
    int64_t getContractedCount();
  }];
}

def Tfm_LinearInputGradOp : Tfm_Op<"linear_input_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$w), (outs Tfm_Tensor:$x_grad)> {
  let summary = "the cotangent of a product's input";
  let description = [{
    x_grad[b, s, c…] = Σ_o out_grad[b, s, o…] · w[o…, c…].

    Constraints:
      - (C1) the ranks fit, as for `tfm.linear`.
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "int64_t getContractedCount();";
}

def Tfm_LinearWeightGradOp : Tfm_Op<"linear_weight_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x), (outs Tfm_WideTensor:$w_grad)> {
  let summary = "the cotangent of a product's weight";
  let description = [{
    w_grad[o…, c…] = Σ_{b, s} out_grad[b, s, o…] · x[b, s, c…].

    Constraints:
      - (C1) the ranks fit, as for `tfm.linear`.
  }];
  let hasVerifier = 1;
}

// -------------------------------------------------------------- bias

def Tfm_BiasAddOp : Tfm_Op<"bias_add", (ins Tfm_Tensor:$x, Tfm_Tensor:$bias),
    (outs Tfm_Tensor:$out), [Tfm_Differentiable]> {
  let summary = "adds a bias to every row";
  let description = [{
    The bias has the trailing dimensions of x. x and bias are one linear group: a bias
    cannot be added to a partial sum.

    Constraints:
      - (C1) the bias has at least one dimension and fewer than x.
  }];
  let hasVerifier = 1;
}

def Tfm_BiasGradOp : Tfm_Op<"bias_grad", (ins Tfm_Tensor:$out_grad),
    (outs Tfm_WideTensor:$bias_grad)> {
  let summary = "sums cotangents over all rows";
  let description = [{
    The result has the trailing dimensions of `out_grad`; the leading ones are
    summed.

    Constraints:
      - (C1) the result has at least one dimension and fewer than the operand.
  }];
  let hasVerifier = 1;
}

// -------------------------------------------------------------- pointwise

class Tfm_PointwiseOp<string mnemonic, dag inputs, list<Trait> traits = []>
    : Tfm_Op<mnemonic, inputs, (outs Tfm_Tensor:$out), traits>;

def Tfm_AddOp : Tfm_PointwiseOp<"add", (ins Tfm_Tensor:$a, Tfm_Tensor:$b),
    [Tfm_Differentiable]> {
  let summary = "a + b, of any rank";
  let description = [{
    One linear group: two partial sums over the same axes add to a partial sum.
  }];
}

def Tfm_AccumulateOp : Tfm_PointwiseOp<"accumulate",
    (ins Tfm_Tensor:$accumulator, Tfm_Tensor:$addend)> {
  let summary = "adds a microbatch's share to what the earlier ones left";
  let description = [{
    accumulator + addend. Different from `tfm.add` in that the accumulator is state:
    lowering updates it in place, and in the first microbatch of a step writes the
    addend alone.
  }];
}

def Tfm_CastOp : Tfm_PointwiseOp<"cast", (ins Tfm_Tensor:$x)> {
  let summary = "x in another precision, rounded to the nearest even, of any rank";
}

def Tfm_ScaleOp : Tfm_PointwiseOp<"scale",
    (ins Tfm_Tensor:$x, Tfm_Scalar:$factor)> {
  let summary = "x times a scalar, of any rank";
}

def Tfm_GeluOp : Tfm_PointwiseOp<"gelu",
    (ins Tfm_Tensor:$x, Tfm_GeluFormAttr:$form), [Tfm_Differentiable]> {
  let summary = "the Gaussian error linear unit";
  let description = [{
    `tanh`: x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), `erf`: x/2 · (1 +
    erf(x / √2)) (Hendrycks and Gimpel 2016).
  }];
}

def Tfm_GeluGradOp : Tfm_PointwiseOp<"gelu_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x, Tfm_GeluFormAttr:$form)> {
  let summary = "the cotangent of gelu's input";
}

def Tfm_ReluOp : Tfm_PointwiseOp<"relu", (ins Tfm_Tensor:$x),
    [Tfm_Differentiable]> {
  let summary = "max(x, 0)";
}

def Tfm_ReluGradOp : Tfm_PointwiseOp<"relu_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x)> {
  let summary = "out_grad where x > 0, else 0";
}

def Tfm_SiluOp : Tfm_PointwiseOp<"silu", (ins Tfm_Tensor:$x),
    [Tfm_Differentiable]> {
  let summary = "x · sigmoid(x)";
}

def Tfm_SiluGradOp : Tfm_PointwiseOp<"silu_grad",
    (ins Tfm_Tensor:$out_grad, Tfm_Tensor:$x)> {
  let summary = "the cotangent of silu's input";
}

def Tfm_ResidualOp : Tfm_PointwiseOp<"residual",
    (ins Tfm_Tensor:$x, OptionalAttr<I64Attr>:$layer), [Tfm_Differentiable]> {
  let summary = "marks the residual stream";
  let description = [{
    The identity, of [b, s, hidden]. Importers mark the stream that blocks read and
    add to, where norms follow the blocks the sums' norms; its gradient marks the
    cotangent of the stream. The strategy turns
    marks into pins, so that the stream has one type in all layers. `layer` says
    which layer reads the stream from here on (counted from 0; the number of layers
    stands for the head): where a pipeline may be cut.
  }];
}

#endif // MPC_DIALECTS_TRANSFORMER_IR_LAYEROPS_TD
