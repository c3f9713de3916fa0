// RUN: mpc-opt %s --mpc-build-training-step | FileCheck %s

// SGD has no moments and still counts its updates; a clip norm of 0 does not clip,
// and the norm is reported. Without a strategy there is one microbatch.

// CHECK-LABEL: func.func @prologue(
// CHECK-SAME:    tensor<1x4x8xi32> {tfm.binding = #tfm.binding<batch "step.labels">}

// Batch inputs have no gradient: the first product has only that of its weight.
// CHECK-LABEL: func.func @forward_backward(
// CHECK:         %[[Y:.*]] = tfm.relu
// CHECK:         tfm.accumulate {{.*}} : (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[DOUT:.*]] = tfm.broadcast
// CHECK-NEXT:    %[[DY:.*]] = tfm.linear_input_grad %[[DOUT]]
// CHECK-NEXT:    %[[DW2:.*]] = tfm.linear_weight_grad %[[DOUT]], %[[Y]]
// CHECK-NEXT:    tfm.accumulate %{{.*}}, %[[DW2]]
// CHECK-NEXT:    %[[DX:.*]] = tfm.relu_grad %[[DY]]
// CHECK-NEXT:    %[[DW1:.*]] = tfm.linear_weight_grad %[[DX]]
// CHECK-NEXT:    tfm.accumulate %{{.*}}, %[[DW1]]
// CHECK-NEXT:    return

// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[G1:[a-z0-9]+]]: tensor<5x3xf32> {tfm.binding = #tfm.binding<accumulator "w1">}
// CHECK-SAME:    %[[G2:[a-z0-9]+]]: tensor<2x5xf32> {tfm.binding = #tfm.binding<accumulator "w2">}
// CHECK-SAME:    %[[P1:[a-z0-9]+]]: tensor<5x3xf32> {tfm.binding = #tfm.binding<master "w1">
// CHECK-SAME:    %[[P2:[a-z0-9]+]]: tensor<2x5xf32> {tfm.binding = #tfm.binding<master "w2">
// CHECK-NOT:     moment
// CHECK:         %[[NORM:.*]] = tfm.sqrt
// CHECK-NEXT:    %[[CLIP:.*]] = tfm.clip_factor %[[NORM]] {max_norm = 0.000000e+00 : f32
// CHECK-NEXT:    %[[STEP:.*]] = tfm.count_step
// CHECK-NEXT:    %[[LOSS:.*]] = tfm.scale
// CHECK-NEXT:    %[[N1:.*]] = tfm.sgd %[[P1]], %[[G1]], %[[CLIP]], %[[LR:.*]], %[[VALID:.*]] {phase = #dist.phase<update>, weight_decay = 1.000000e-01 : f32}
// CHECK-NEXT:    %[[N2:.*]] = tfm.sgd %[[P2]], %[[G2]], %[[CLIP]], %[[LR]], %[[VALID]] {phase = #dist.phase<update>, weight_decay = 0.000000e+00 : f32}
// CHECK-NEXT:    return %[[N1]], %[[N2]], %[[STEP]], %[[LOSS]], %[[NORM]]
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = sgd, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 0.0, vocabulary = 13,
      vocabulary_multiple = 1>} {
  func.func @forward(
      %x: tensor<4x8x3xf32> {tfm.binding = #tfm.binding<batch "inputs">},
      %w1: tensor<5x3xf32> {tfm.parameter = #tfm.parameter<"w1", [ffn, hidden], [5, 3], normal = 0.02, decay = true>},
      %w2: tensor<2x5xf32> {tfm.parameter = #tfm.parameter<"w2", [hidden, ffn], [2, 5], normal = 0.02, decay = false>},
      %labels: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "labels">}) -> tensor<f32> {
    %0 = tfm.linear %x, %w1 : (tensor<4x8x3xf32>, tensor<5x3xf32>) -> tensor<4x8x5xf32>
    %1 = tfm.relu %0 : (tensor<4x8x5xf32>) -> tensor<4x8x5xf32>
    %2 = tfm.linear %1, %w2 : (tensor<4x8x5xf32>, tensor<2x5xf32>) -> tensor<4x8x2xf32>
    %loss = tfm.sum_all %2 : (tensor<4x8x2xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
