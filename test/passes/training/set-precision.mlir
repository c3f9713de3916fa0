// RUN: mpc-opt %s --mpc-set-precision --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-set-precision --mpc-build-training-step --split-input-file | FileCheck %s --check-prefix=STEP

// Activations and parameters become bf16. Statistics, the loss and what is counted
// do not.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %arg0: tensor<4x8xbf16>
// CHECK-SAME:    %arg1: tensor<4x8xbf16>
// CHECK:         tfm.linear {{.*}} -> tensor<2x3x4xbf16>
// CHECK:         tfm.row_max {{.*}} -> tensor<2x3xf32>
// CHECK:         tfm.exp_sum {{.*}} -> tensor<2x3xf32>
// CHECK:         tfm.pick {{.*}} -> tensor<2x3xf32>
// CHECK:         tfm.sum_all {{.*}} -> tensor<f32>

// Masters are f32 and cast once a step; the loss's two cotangents of the logits are
// added in f32 and rounded once; the weight's gradient is summed in f32.
// STEP-LABEL: func.func @prologue(
// STEP-SAME:    %[[MASTER:arg[0-9]+]]: tensor<4x8xf32>
// STEP:         tfm.cast %[[MASTER]] {{.*}} -> tensor<4x8xbf16>
// STEP-LABEL: func.func @forward_backward(
// STEP-SAME:    %arg0: tensor<4x8xbf16>
// STEP-SAME:    tensor<4x8xf32> {tfm.binding = #tfm.binding<accumulator "w">}
// STEP:         %[[SUM:.*]] = tfm.add {{.*}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// STEP:         %[[LOGITS:.*]] = tfm.cast %[[SUM]] {{.*}} -> tensor<2x3x4xbf16>
// STEP:         tfm.linear_weight_grad %[[LOGITS]], {{.*}} -> tensor<4x8xf32>
// STEP-LABEL: func.func @update(
// STEP-NOT:     bf16
module attributes {
    tfm.training = #tfm.training<sequence_length = 3, global_batch = 2,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 4,
      vocabulary_multiple = 1, precision = bf16>} {
  func.func @forward(
      %w: tensor<4x8xf32> {tfm.parameter = #tfm.parameter<"w", [vocabulary, hidden], [4, 8], normal = 0.02, decay = true>},
      %table: tensor<4x8xf32> {tfm.parameter = #tfm.parameter<"t", [vocabulary, hidden], [4, 8], normal = 0.02, decay = true>},
      %ids: tensor<2x3xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<2x3xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %rows = dist.iota : tensor<4xi32>
    %x = tfm.embedding %table, %ids, %rows : (tensor<4x8xf32>, tensor<2x3xi32>, tensor<4xi32>) -> tensor<2x3x8xf32>
    %logits = tfm.linear %x, %w : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
    %max = tfm.row_max %logits, %rows {classes = 4 : i64} : (tensor<2x3x4xf32>, tensor<4xi32>) -> tensor<2x3xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 4 : i64} : (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x3xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<4xi32>) -> tensor<2x3xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
    %loss = tfm.sum_all %nll : (tensor<2x3xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
