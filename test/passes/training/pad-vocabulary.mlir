// RUN: mpc-opt %s --mpc-pad-vocabulary --split-input-file | FileCheck %s

// 13 tokens at tp = 2 with multiples of 4 become 16. The logical shape and the
// classes of the loss keep the true vocabulary.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<16x4xf32> {tfm.parameter = #tfm.parameter<"wte", {{.*}}, [13, 4],
// CHECK-NEXT:    dist.iota : tensor<16xi32>
// CHECK-NEXT:    tfm.embedding {{.*}} -> tensor<2x8x4xf32>
// CHECK-NEXT:    tfm.linear {{.*}} -> tensor<2x8x16xf32>
// CHECK-NEXT:    tfm.row_max {{.*}} {classes = 13 : i64} : (tensor<2x8x16xf32>, tensor<16xi32>)
// CHECK-NEXT:    tfm.exp_sum {{.*}} {classes = 13 : i64} : (tensor<2x8x16xf32>, tensor<2x8xf32>, tensor<16xi32>)
// CHECK-NEXT:    tfm.pick {{.*}} : (tensor<2x8x16xf32>, tensor<2x8xi32>, tensor<16xi32>)
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 4>,
    tfm.strategy = #tfm.strategy<tp = 2, dp = 1, microbatches = 1,
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

// A strategy alone pads to a multiple of tp.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<15x4xf32>
// CHECK-NEXT:    dist.iota : tensor<15xi32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 3, dp = 1, microbatches = 1,
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

// 13 is a multiple of 1 and of 13: nothing changes.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<13x4xf32>
// CHECK-NEXT:    dist.iota : tensor<13xi32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 13>} {
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

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<13x4xf32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
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
