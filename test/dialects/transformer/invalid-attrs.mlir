// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

// expected-error @+1 {{parameter "w" names 2 dimensions and 1 sizes}}
#p = #tfm.parameter<"w", [hidden, ffn], [4], normal = 0.02, decay = true>

// -----

// expected-error @+1 {{parameter "w" has standard deviation -1.000000e+00, expected at least 0}}
#p = #tfm.parameter<"w", [hidden], [4], normal = -1.0, decay = true>

// -----

// A constant may be negative.
#p = #tfm.parameter<"b", [hidden], [4], constant = -1.0, decay = false>
// expected-error @+1 {{parameter "b" has 1 dimensions, its argument is 'tensor<4x4xf32>'}}
func.func private @f(%x: tensor<4x4xf32> {tfm.parameter = #p})

// -----

// expected-error @+1 {{has tfm.parameter = "w", expected a #tfm.parameter}}
func.func private @f(%x: tensor<4xf32> {tfm.parameter = "w"})

// -----

// expected-error @+1 {{has "tfm.binding" = "ids", expected a #tfm.binding}}
func.func private @f(%x: tensor<4xi32> {tfm.binding = "ids"})

// -----

// expected-error @+1 {{has "tfm.binding" = 1 : i64, expected a #tfm.binding}}
func.func private @f() -> (tensor<4xi32> {tfm.binding = 1})

// -----

// expected-error @+1 {{has argument attribute "tfm.state", expected tfm.binding or tfm.parameter}}
func.func private @f(%x: tensor<4xf32> {tfm.state = "w"})

// -----

#p = #tfm.parameter<"b", [hidden], [4], constant = 0.0, decay = false>
// expected-error @+1 {{has result attribute "tfm.parameter", expected tfm.binding}}
func.func private @f() -> (tensor<4xf32> {tfm.parameter = #p})

// -----

// expected-error @+1 {{has attribute "tfm.strategy" = "tp=2", expected one that the tfm dialect defines for modules}}
module attributes {tfm.strategy = "tp=2"} {
}

// -----

// expected-error @+1 {{has attribute "tfm.training" = 1 : i64, expected one that the tfm dialect defines for modules}}
module attributes {tfm.training = 1} {
}

// -----

// expected-error @+1 {{has attribute "tfm.masking" = 103 : i64, expected one that the tfm dialect defines for modules}}
module attributes {tfm.masking = 103} {
}

// -----

// C1
// expected-error @+1 {{masking has rate 0.000000e+00 : f64, expected above 0 and at most 1}}
#m = #tfm.masking<mask_token = 4, pad_token = -1, special_tokens = [], rate = 0.0 : f64, mask_share = 0.8 : f64, random_share = 0.1 : f64>

// -----

// C1
// expected-error @+1 {{masking has rate 1.500000e+00 : f64, expected above 0 and at most 1}}
#m = #tfm.masking<mask_token = 4, pad_token = -1, special_tokens = [], rate = 1.5 : f64, mask_share = 0.8 : f64, random_share = 0.1 : f64>

// -----

// C1
// expected-error @+1 {{masking has shares 7.500000e-01 : f64 and 5.000000e-01 : f64, expected at least 0 and at most 1 together}}
#m = #tfm.masking<mask_token = 4, pad_token = -1, special_tokens = [], rate = 0.5 : f64, mask_share = 0.75 : f64, random_share = 0.5 : f64>

// -----

// C1
// expected-error @+1 {{masking has shares -5.000000e-01 : f64 and 5.000000e-01 : f64, expected at least 0 and at most 1 together}}
#m = #tfm.masking<mask_token = 4, pad_token = -1, special_tokens = [], rate = 0.5 : f64, mask_share = -0.5 : f64, random_share = 0.5 : f64>

// -----

// expected-error @+1 {{has attribute "tfm.learning_rate" = 1.000000e+00 : f64, expected one that the tfm dialect defines for modules}}
module attributes {tfm.learning_rate = 1.0} {
}

// -----

// expected-error @+1 {{has attribute "tfm.model_name" = "gpt", expected one that the tfm dialect defines for modules}}
func.func private @f() attributes {tfm.model_name = "gpt"}

// -----

// expected-error @+2 {{expected ::mpc::tfm::StateKind to be one of: master, moment1, moment2, accumulator, compute, batch, input_scalar, counter, metric, carry}}
// expected-error @+1 {{failed to parse Tfm_BindingAttr parameter 'kind'}}
#b = #tfm.binding<weights "w">

// -----

// expected-error @+1 {{precision is f16 without a loss_scale, expected one with f16 alone}}
module attributes {tfm.training = #tfm.training<sequence_length = 3, global_batch = 2,
  optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0, warmup_steps = 0,
  decay_steps = 10, beta1 = 0.9, beta2 = 0.95, epsilon = 1.0e-8, weight_decay = 0.1,
  clip_norm = 0.0, vocabulary = 4, vocabulary_multiple = 1, precision = f16>} {}

// -----

// expected-error @+1 {{precision is bf16 with a loss_scale, expected one with f16 alone}}
module attributes {tfm.training = #tfm.training<sequence_length = 3, global_batch = 2,
  optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0, warmup_steps = 0,
  decay_steps = 10, beta1 = 0.9, beta2 = 0.95, epsilon = 1.0e-8, weight_decay = 0.1,
  clip_norm = 0.0, vocabulary = 4, vocabulary_multiple = 1, precision = bf16,
  loss_scale = 8.0>} {}
