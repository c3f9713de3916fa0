// RUN: mpc-opt --mpc-assign-stages --split-input-file %s | FileCheck %s

// Three layers over two stages; what comes before them costs as much as a layer. What
// reads the stream of layer 1 is in the second piece, the op that marks the stream is
// still in the first. A batch input's own ops are in none: each stage computes them.

// CHECK:       tfm.remarks = ["layers of the pieces of the pipeline, in depth order: 1,2", "multiplications of the stages, the mean being 1: 1.00, 1.00"
// CHECK-LABEL: func.func @forward
// CHECK:         tfm.relu %{{.*}} : (tensor<2x4x8xf32>)
// CHECK:         tfm.linear {{.*}}piece = 0
// CHECK:         tfm.residual {{.*}}layer = 0 : i64{{.*}}piece = 0
// CHECK:         tfm.linear {{.*}}piece = 0
// CHECK:         tfm.residual {{.*}}layer = 1 : i64{{.*}}piece = 0
// CHECK:         tfm.linear {{.*}}piece = 1
// CHECK:         tfm.residual {{.*}}layer = 2 : i64{{.*}}piece = 1
// CHECK:         tfm.linear {{.*}}piece = 1
// CHECK:         tfm.residual {{.*}}layer = 3 : i64{{.*}}piece = 1
// CHECK:         tfm.sum_all {{.*}}piece = 1
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
    sequence_parallel = false, zero = 0, strict = false, reference = false, pp = 2>} {
  func.func @forward(
      %w: tensor<8x8xf32> {tfm.parameter = #tfm.parameter<"w", [hidden, hidden], [8, 8], normal = 0.02, decay = true>},
      %x: tensor<2x4x8xf32>) -> tensor<f32> {
    %0 = tfm.relu %x : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %1 = tfm.linear %0, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %2 = tfm.residual %1 {layer = 0 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %3 = tfm.linear %2, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %4 = tfm.residual %3 {layer = 1 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %5 = tfm.linear %4, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %6 = tfm.residual %5 {layer = 2 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %8 = tfm.linear %6, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %9 = tfm.residual %8 {layer = 3 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %7 = tfm.sum_all %9 : (tensor<2x4x8xf32>) -> tensor<f32>
    return %7 : tensor<f32>
  }
}

// -----

// One stage: nothing is said.
// CHECK-LABEL: func.func @forward
// CHECK-NOT:   stage =
module attributes {tfm.strategy = #tfm.strategy<tp = 2, dp = 1, microbatches = 2,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(
      %w: tensor<8x8xf32> {tfm.parameter = #tfm.parameter<"w", [hidden, hidden], [8, 8], normal = 0.02, decay = true>},
      %x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %1 = tfm.residual %0 {layer = 1 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    return %1 : tensor<2x4x8xf32>
  }
}
