// RUN: mpc-opt %s --mpc-build-training-step --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-build-training-step --split-input-file -o /dev/null 2>/dev/null

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{parameter "h.7.unused" has no gradient, the loss does not depend on it}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %unused: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"h.7.unused", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %loss = tfm.sum_all %0 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    // expected-error@+1 {{'math.exp' op stands between a parameter and the loss and has no gradient; implement GradientOpInterface for it}}
    %1 = math.exp %0 : tensor<4x8x5xf32>
    %loss = tfm.sum_all %1 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// An op without gradient is no error where no parameter stands behind it (math.exp).
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %c: tensor<f32> {tfm.binding = #tfm.binding<input_scalar "c">},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %1 = math.exp %x : tensor<4x8x3xf32>
    %2 = tfm.add %1, %1 : (tensor<4x8x3xf32>, tensor<4x8x3xf32>) -> tensor<4x8x3xf32>
    %3 = tfm.linear %2, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    // expected-error@+1 {{'tfm.scale' op stands between}}
    %4 = tfm.scale %3, %c : (tensor<4x8x5xf32>, tensor<f32>) -> tensor<4x8x5xf32>
    %loss = tfm.sum_all %4 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{argument #2 is neither a parameter}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %free: tensor<4xf32>,
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %loss = tfm.sum_all %0 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{has no parameter, expected one to train}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %loss = tfm.sum_all %x : (tensor<4x8x3xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{has no batch input "labels", by which the tokens of the loss are counted}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %loss = tfm.sum_all %0 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{is for 2 sequences, expected global_batch / microbatches = 4 / 1}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %labels: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %loss = tfm.sum_all %0 : (tensor<4x8x5xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{returns 'tensor<4x8x5xf32>', expected the loss, a 'tensor<f32>'}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<4x8x5xf32> {
    %0 = tfm.linear %x, %w : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    return %0 : tensor<4x8x5xf32>
  }
}

// -----

module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  // expected-error@+1 {{parameter "w" is 'tensor<5x3xi32>', expected elements of f32, bf16 or f16}}
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w: tensor<5x3xi32> {tfm.parameter = #tfm.parameter<"w", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %loss = tfm.sum_all %x : (tensor<4x8x3xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
