// RUN: mpc-opt %s --mpc-split-microbatches --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-split-microbatches --split-input-file -o /dev/null 2>/dev/null

// expected-error@+1 {{global_batch = 12 does not divide by dp * microbatches = 4 * 2; expected dp one of 1, 2, 3, 6 for microbatches = 2, or microbatches one of 1, 3 for dp = 4, or another global_batch}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 12,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 4, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<12x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<12x8xf32> {
    return %x : tensor<12x8xf32>
  }
}

// -----

// Neither divides alone, so neither has a legal value.
// expected-error@+1 {{global_batch = 7 does not divide by dp * microbatches = 2 * 3; expected another global_batch}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 7,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 3,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<7x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<7x8xf32> {
    return %x : tensor<7x8xf32>
  }
}

// -----

// expected-error@+1 {{tfm.training has global_batch = 0, expected at least 1}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 0,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<1x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<1x8xf32> {
    return %x : tensor<1x8xf32>
  }
}

// -----

// expected-error@+1 {{tfm.strategy has microbatches = 0, expected at least 1}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 0,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<8x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<8x8xf32> {
    return %x : tensor<8x8xf32>
  }
}

// -----

// expected-error@+1 {{module has no tfm.training}}
module {
  func.func @forward(%x: tensor<8x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<8x8xf32> {
    return %x : tensor<8x8xf32>
  }
}

// -----

// expected-error@+1 {{module has no function @forward}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{has 0 blocks, expected a body of 1}}
  func.func private @forward()
}

// -----

// The batch of the model is that of the training settings.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  // expected-error@+1 {{batch input "x" is 'tensor<4x8xf32>', expected a first dimension of global_batch = 8}}
  func.func @forward(%x: tensor<4x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<4x8xf32> {
    return %x : tensor<4x8xf32>
  }
}

// -----

// A parameter as large as the batch must not become smaller with it.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  // expected-error@+1 {{argument #1: dimension 0 of 'tensor<8x8xf32>' counts sequences of the batch, expected only dimension 0 of batch inputs to}}
  func.func @forward(%x: tensor<8x8xf32> {tfm.binding = #tfm.binding<batch "x">},
      %p: tensor<8x8xf32> {tfm.parameter = #tfm.parameter<"p", [position, hidden], [8, 8], normal = 0.02, decay = true>}) -> tensor<8x8xf32> {
    %0 = tfm.add %x, %p : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// An op without a rule stops it: what its dimensions mean is not known.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<8x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<8x8xf32> {
    // expected-error@+1 {{'math.exp' op has no sharding rule, and dimension 0 of 'tensor<8x8xf32>' is to have size 4}}
    %0 = math.exp %x : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
