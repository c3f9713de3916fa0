// RUN: mpc-opt %s --mpc-split-microbatches --split-input-file | FileCheck %s

// Eight sequences in four microbatches: every dimension that is the batch follows,
// to the function's type; the vocabulary, the hidden size and the sequence length,
// which is 8 as well, stay.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<13x4xf32>
// CHECK-SAME:    tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">}
// CHECK-SAME:    tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">})
// CHECK-NEXT:    dist.iota : tensor<13xi32>
// CHECK-NEXT:    tfm.embedding {{.*}} -> tensor<2x8x4xf32>
// CHECK-NEXT:    tfm.linear {{.*}} -> tensor<2x8x13xf32>
// CHECK-NEXT:    tfm.row_max {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    tfm.exp_sum {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    tfm.pick {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    tfm.nll {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    tfm.sum_all {{.*}} -> tensor<f32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 4,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<8x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<8x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<8x8xi32>, tensor<13xi32>) -> tensor<8x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<8x8x4xf32>, tensor<13x4xf32>) -> tensor<8x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<8x8x13xf32>, tensor<13xi32>) -> tensor<8x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<8x8x13xf32>, tensor<8x8xf32>, tensor<13xi32>) -> tensor<8x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<8x8x13xf32>, tensor<8x8xi32>, tensor<13xi32>) -> tensor<8x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>
    %loss = tfm.sum_all %nll : (tensor<8x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Without a strategy there is one microbatch, and nothing changes.

// CHECK-LABEL: func.func @forward(
// CHECK:         tfm.embedding {{.*}} -> tensor<8x8x4xf32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<8x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<8x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<8x8xi32>, tensor<13xi32>) -> tensor<8x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<8x8x4xf32>, tensor<13x4xf32>) -> tensor<8x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<8x8x13xf32>, tensor<13xi32>) -> tensor<8x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<8x8x13xf32>, tensor<8x8xf32>, tensor<13xi32>) -> tensor<8x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<8x8x13xf32>, tensor<8x8xi32>, tensor<13xi32>) -> tensor<8x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>
    %loss = tfm.sum_all %nll : (tensor<8x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What is returned follows too.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    tensor<4x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<4x8xf32> {
// CHECK-NEXT:    tfm.relu {{.*}} -> tensor<4x8xf32>
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 8,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%x: tensor<8x8xf32> {tfm.binding = #tfm.binding<batch "x">}) -> tensor<8x8xf32> {
    %0 = tfm.relu %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
