// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

func.func @linear_that_contracts_nothing(%x: tensor<2x4xf32>, %w: tensor<6xf32>) {
  // expected-error @+1 {{has x of rank 2, w of rank 1 and out of rank 3; expected b, s and features in x and out, and the features of out, then of x, in w}}
  %0 = tfm.linear %x, %w : (tensor<2x4xf32>, tensor<6xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @linear_that_keeps_nothing(%x: tensor<2x4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{has x of rank 3, w of rank 1 and out of rank 2; expected}}
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @linear_with_a_weight_of_too_few_dimensions(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32>) {
  // expected-error @+1 {{operand 'w' has rank 2, expected 3}}
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x2x3xf32>
  return
}

// -----

// Sizes of a factor agree wherever it occurs.
func.func @linear_of_other_sizes(%x: tensor<2x4x8xf32>, %w: tensor<6x7xf32>) {
  // expected-error @+1 {{operand 'w' has size 7 in dimension 1 (factor 'c0'), expected 8}}
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x7xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @linear_input_grad_that_contracts_nothing(%g: tensor<2x4xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{has x of rank 3, w of rank 1 and out of rank 2; expected}}
  %0 = tfm.linear_input_grad %g, %w : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @linear_weight_grad_without_columns(%g: tensor<2x4xf32>, %x: tensor<2x4x6xf32>) {
  // expected-error @+1 {{has x of rank 3, w of rank 1 and out of rank 2; expected}}
  %0 = tfm.linear_weight_grad %g, %x : (tensor<2x4xf32>, tensor<2x4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @bias_add_of_a_scalar(%x: tensor<2x4xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{has a bias of rank 0 for a tensor of rank 2, expected at least 1 and fewer}}
  %0 = tfm.bias_add %x, %b : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @bias_add_of_a_whole_tensor(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has a bias of rank 2 for a tensor of rank 2, expected at least 1 and fewer}}
  %0 = tfm.bias_add %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @bias_grad_of_nothing(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has a bias of rank 2 for a tensor of rank 2, expected at least 1 and fewer}}
  %0 = tfm.bias_grad %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dropout_of_everything(%x: tensor<2x4x6xf32>, %seed: tensor<i32>,
    %samples: tensor<2xi32>, %positions: tensor<2x4xi32>, %features: tensor<6xi32>) {
  // expected-error @+1 {{has rate 1.000000e+00, expected at least 0 and below 1}}
  %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 1.0 : f32, key = 0 : i32}
    : (tensor<2x4x6xf32>, tensor<i32>, tensor<2xi32>, tensor<2x4xi32>, tensor<6xi32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @attention_that_drops_less_than_nothing(%q: tensor<2x4x2x1x4xf32>, %k: tensor<2x4x2x4xf32>,
    %p: tensor<2x4xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<2x1xi32>) {
  // expected-error @+1 {{has rate -1.000000e-01, expected at least 0 and below 1}}
  %0:2 = tfm.attention %q, %k, %k, %p, %p, %seed, %samples, %heads
    {scale = 0.5 : f32, causal = true, rate = -0.1 : f32, key = 0 : i32}
    : (tensor<2x4x2x1x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4xi32>, tensor<2x4xi32>,
       tensor<i32>, tensor<2xi32>, tensor<2x1xi32>) -> (tensor<2x4x2x1x4xf32>, tensor<2x4x2x1xf32>)
  return
}

// -----

func.func @attention_dropout_of_all(%x: tensor<2x2x1x4x4xf32>, %p: tensor<2x4xi32>, %seed: tensor<i32>,
    %samples: tensor<2xi32>, %heads: tensor<2x1xi32>) {
  // expected-error @+1 {{has rate 1.000000e+00, expected at least 0 and below 1}}
  %0 = tfm.attention_dropout %x, %seed, %samples, %heads, %p, %p {rate = 1.0 : f32, key = 0 : i32}
    : (tensor<2x2x1x4x4xf32>, tensor<i32>, tensor<2xi32>, tensor<2x1xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> tensor<2x2x1x4x4xf32>
  return
}

// -----

func.func @scores_of_another_type(%q: tensor<2x4x2x1x4xbf16>, %k: tensor<2x4x2x4xbf16>) {
  // expected-error @+1 {{all of {q, k, scores} have same element type}}
  %0 = tfm.attention_scores %q, %k : (tensor<2x4x2x1x4xbf16>, tensor<2x4x2x4xbf16>) -> tensor<2x2x1x4x4xf32>
  return
}

// -----

func.func @scores_of_another_shape(%q: tensor<2x4x2x1x4xf32>, %k: tensor<2x4x2x4xf32>) {
  // expected-error @+1 {{'tfm.attention_scores' op}}
  %0 = tfm.attention_scores %q, %k : (tensor<2x4x2x1x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x4x2x1x4xf32>
  return
}

// -----

func.func @bias_correction_that_never_is(%step: tensor<f32>) {
  // expected-error @+1 {{has beta 1.000000e+00, expected at least 0 and below 1}}
  %0 = tfm.bias_correction %step {beta = 1.0 : f64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @clip_to_a_negative_norm(%norm: tensor<f32>) {
  // expected-error @+1 {{has max_norm -1.000000e+00, expected at least 0}}
  %0 = tfm.clip_factor %norm {max_norm = -1.0 : f32} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @clip_to_no_number(%norm: tensor<f32>) {
  // expected-error @+1 {{has max_norm nan, expected at least 0}}
  %0 = tfm.clip_factor %norm {max_norm = 0x7FC00000 : f32} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @add_of_other_ranks(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{operand 'b' has rank 1, expected 2}}
  %0 = tfm.add %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gelu_of_another_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result 'out' has size 5 in dimension 1 (factor 'd1'), expected 4}}
  %0 = tfm.gelu %x {form = #tfm.gelu_form<tanh>} : (tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @relu_of_unknown_sizes(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{operand 'x' has type 'tensor<?x4xf32>', expected a ranked static tensor}}
  %0 = tfm.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @silu_grad_of_another_shape(%g: tensor<2x5xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+1 {{operand 'x' has size 4 in dimension 1 (factor 'd1'), expected 5}}
  %0 = tfm.silu_grad %g, %x : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @embedding_of_floats(%t: tensor<13x6xf32>, %ids: tensor<2x4xf32>, %rows: tensor<13xi32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 32-bit signless integer values}}
  %0 = tfm.embedding %t, %ids, %rows : (tensor<13x6xf32>, tensor<2x4xf32>, tensor<13xi32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @scale_by_a_vector(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be 0D tensor of 32-bit float values}}
  %0 = tfm.scale %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @gelu_of_no_form(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires attribute 'form'}}
  %0 = tfm.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
