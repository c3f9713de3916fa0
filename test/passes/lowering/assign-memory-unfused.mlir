// RUN: mpc-opt %s -mpc-assign-memory | FileCheck %s
//
// Products of unfused attention are one command over a batch [b, k, g]: rows of a
// head are k · g · d (queries) or k · d (keys) apart, and heads of a group share keys, so
// along g the keys stand still and their gradients add up.

#mesh = #dist.mesh<[]>
#r4 = #dist.sharding<#mesh, [{}, {}, {}, {}]>
#r5 = #dist.sharding<#mesh, [{}, {}, {}, {}, {}]>

module {
func.func @prologue() attributes {exec.variant = #exec.variant<only>} {
  return
}

// b = 2, s = 3, t = 5, k = 4, g = 2, d = 6.
// CHECK: exec.state carry "q" {{.*}} at <persistent + [[$Q:[0-9]+]], 2x3x4x2x6xf32>
// CHECK: exec.state carry "k" {{.*}} at <persistent + [[$K:[0-9]+]], 2x5x4x6xf32>
// CHECK-LABEL: exec.list @forward_backward
// CHECK-NEXT: exec.gemm <persistent + [[$Q]], 2x3x4x2x6xf32> * <persistent + [[$K]], 2x5x4x6xf32> transposed -> <transient + [[SCORES:[0-9]+]], 2x4x2x3x5xf32>
// CHECK-SAME: rows 3 columns 5 inner 6 batch [2, 4, 2] strides [144, 12, 6, 48] [120, 6, 0, 24] [120, 30, 15, 5]
// CHECK-NEXT: exec.gemm <transient + [[SCORES]], 2x4x2x3x5xf32> * <persistent + [[$K]], 2x5x4x6xf32> -> <{{.*}}, 2x3x4x2x6xf32>
// CHECK-SAME: rows 3 columns 6 inner 5 batch [2, 4, 2] strides [120, 30, 15, 5] [120, 6, 0, 24] [144, 12, 6, 48]
// CHECK-NEXT: exec.gemm <transient + [[SCORES]], 2x4x2x3x5xf32> transposed * <persistent + [[$Q]], 2x3x4x2x6xf32> -> <{{.*}}, 2x5x4x6xf32>
// CHECK-SAME: rows 5 columns 6 inner 3 batch [2, 4, 2] strides [120, 30, 15, 5] [144, 12, 6, 48] [120, 6, 0, 24]
func.func @forward_backward(
    %q: tensor<2x3x4x2x6xf32> {dist.global = tensor<2x3x4x2x6xf32, #r5>, tfm.binding = #tfm.binding<carry "q">},
    %k: tensor<2x5x4x6xf32> {dist.global = tensor<2x5x4x6xf32, #r4>, tfm.binding = #tfm.binding<carry "k">})
    -> (tensor<2x3x4x2x6xf32> {dist.global = tensor<2x3x4x2x6xf32, #r5>, tfm.binding = #tfm.binding<carry "q">},
        tensor<2x5x4x6xf32> {dist.global = tensor<2x5x4x6xf32, #r4>, tfm.binding = #tfm.binding<carry "k">})
    attributes {exec.variant = #exec.variant<only>} {
  %0 = tfm.attention_scores %q, %k
    : (tensor<2x3x4x2x6xf32>, tensor<2x5x4x6xf32>) -> tensor<2x4x2x3x5xf32>
  %1 = tfm.attention_context %0, %k
    : (tensor<2x4x2x3x5xf32>, tensor<2x5x4x6xf32>) -> tensor<2x3x4x2x6xf32>
  %2 = tfm.attention_key_grad %0, %q
    : (tensor<2x4x2x3x5xf32>, tensor<2x3x4x2x6xf32>) -> tensor<2x5x4x6xf32>
  return %1, %2 : tensor<2x3x4x2x6xf32>, tensor<2x5x4x6xf32>
}

func.func @update() attributes {exec.variant = #exec.variant<only>} {
  return
}
}
