// RUN: mpc-opt %s --mpc-pad-vocabulary --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-pad-vocabulary --split-input-file -o /dev/null 2>/dev/null

// expected-error@+1 {{tfm.training has vocabulary_multiple = 0, expected at least 1}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 0>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<2x8x4xf32>, tensor<13x4xf32>) -> tensor<2x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<2x8xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<2x8x13xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
    %loss = tfm.sum_all %nll : (tensor<2x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// expected-error@+1 {{tfm.strategy has tp = 0, expected at least 1}}
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 0, dp = 1, microbatches = 1,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<2x8x4xf32>, tensor<13x4xf32>) -> tensor<2x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<2x8xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<2x8x13xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
    %loss = tfm.sum_all %nll : (tensor<2x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// expected-error@+1 {{module has no tfm.training}}
module {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<2x8x4xf32>, tensor<13x4xf32>) -> tensor<2x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<2x8xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<2x8x13xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
    %loss = tfm.sum_all %nll : (tensor<2x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// One of the two says that its dimension counts something else.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 4>} {
  // expected-error@+1 {{argument #1 (parameter "b"): dimension 0 of 'tensor<13x4xf32>' counts tokens of the vocabulary, expected only dimensions of kind vocabulary to}}
  func.func @forward(
      %a: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"a", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %b: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"b", [position, hidden], [13, 4], normal = 0.02, decay = true>}) -> tensor<13x4xf32> {
    %0 = tfm.add %a, %b : (tensor<13x4xf32>, tensor<13x4xf32>) -> tensor<13x4xf32>
    return %0 : tensor<13x4xf32>
  }
}

// -----

// A batch input of the vocabulary's size.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 4>} {
  // expected-error@+1 {{argument #1: dimension 0 of 'tensor<13x4xf32>' counts tokens of the vocabulary, expected only dimensions of kind vocabulary to}}
  func.func @forward(
      %a: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"a", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %b: tensor<13x4xf32> {tfm.binding = #tfm.binding<batch "b">}) -> tensor<13x4xf32> {
    %0 = tfm.add %a, %b : (tensor<13x4xf32>, tensor<13x4xf32>) -> tensor<13x4xf32>
    return %0 : tensor<13x4xf32>
  }
}

// -----

// Rows numbered along an inner dimension would get other numbers.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 4>} {
  func.func @forward(
      %a: tensor<2x13x3xf32> {tfm.parameter = #tfm.parameter<"a", [hidden, vocabulary, ffn], [2, 13, 3], normal = 0.02, decay = true>}) -> tensor<2x13xf32> {
    %rows = dist.iota : tensor<3xi32>
    // expected-error@+1 {{'dist.iota' op numbers elements in row-major order, dimension 1 cannot become 16 without renumbering them}}
    %labels = dist.iota : tensor<2x13xi32>
    %0 = tfm.pick %a, %labels, %rows : (tensor<2x13x3xf32>, tensor<2x13xi32>, tensor<3xi32>) -> tensor<2x13xf32>
    return %0 : tensor<2x13xf32>
  }
}
