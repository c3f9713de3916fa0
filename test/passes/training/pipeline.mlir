// RUN: mpc-opt %s --mpc-training --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: mpc-opt %s --mpc-training | FileCheck %s

// PASSES:      mpc-pad-vocabulary,
// PASSES-NEXT: mpc-split-microbatches,
// PASSES-NEXT: mpc-unfuse-attention,
// PASSES-NEXT: mpc-set-precision,
// PASSES-NEXT: mpc-build-training-step,
// PASSES-NEXT: mpc-recompute,
// PASSES-NEXT: mpc-verify-training
// PASSES-NEXT: )

// Four sequences in two microbatches on three tensor-parallel ranks: the step counts
// the labels of both microbatches, the function of one sees two sequences, and all
// state of the table has 15 rows.

// CHECK-LABEL: func.func @prologue(
// CHECK-SAME:    tensor<15x4xf32> {tfm.binding = #tfm.binding<master "wte">
// CHECK-SAME:    tensor<2x2x8xi32> {tfm.binding = #tfm.binding<batch "step.labels">}
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME:    tensor<15x4xf32> {tfm.binding = #tfm.binding<compute "wte">}
// CHECK-SAME:    tensor<15x4xf32> {tfm.binding = #tfm.binding<accumulator "wte">}
// CHECK-SAME:    tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">}
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    tensor<15x4xf32> {tfm.binding = #tfm.binding<master "wte">
// CHECK-NOT:   func.func @forward(
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 3, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %ids: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<4x8xi32>, tensor<13xi32>) -> tensor<4x8x4xf32>
    %logits = tfm.linear %x, %wte : (tensor<4x8x4xf32>, tensor<13x4xf32>) -> tensor<4x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<4x8x13xf32>, tensor<13xi32>) -> tensor<4x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<4x8x13xf32>, tensor<4x8xf32>, tensor<13xi32>) -> tensor<4x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<4x8x13xf32>, tensor<4x8xi32>, tensor<13xi32>) -> tensor<4x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
    %loss = tfm.sum_all %nll : (tensor<4x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
