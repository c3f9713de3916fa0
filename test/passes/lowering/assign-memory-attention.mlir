// RUN: mpc-opt %s -mpc-assign-memory | FileCheck %s
//
// Attention is a command with working memory, which lives as long as it runs. A
// table's gradient is a product written to the accumulator, to which a kernel adds.

#mesh = #dist.mesh<[]>
#r1 = #dist.sharding<#mesh, [{}]>
#r2 = #dist.sharding<#mesh, [{}, {}]>
#r4 = #dist.sharding<#mesh, [{}, {}, {}, {}]>
#r0 = #dist.sharding<#mesh, []>

module {
func.func @prologue() attributes {exec.variant = #exec.variant<only>} {
  return
}

// CHECK: exec.state carry "k" {{.*}} at <persistent + [[$K:[0-9]+]], 1x2x1x4xf32>
// CHECK: exec.state accumulator "w" {{.*}} at <persistent + [[$DW:[0-9]+]], 4x4xf32>
// CHECK: exec.state constant "iota_0" {{.*}} at <persistent + [[$HEADS:[0-9]+]], 1x1xi32>
// CHECK-LABEL: exec.list @forward_backward
// CHECK: exec.gemm {{.*}} -> <transient + [[Q:[0-9]+]], 1x2x1x1x4xf32> rows 2 columns 4 inner 4
// CHECK-NEXT: exec.attention query <transient + [[Q]], 1x2x1x1x4xf32> key <persistent + [[$K]], 1x2x1x4xf32>
// CHECK-SAME: heads <persistent + [[$HEADS]], 1x1xi32> output <transient + [[OUT:[0-9]+]], 1x2x1x1x4xf32> logsumexp <transient + [[LSE:[0-9]+]], 1x2x1x1xf32>
// CHECK-SAME: workspace <transient + [[WORK:[0-9]+]], [[SIZE:[0-9]+]]xf32> scale 5.000000e-01 causal dropout 2.500000e-01 key 3
// CHECK-NEXT: exec.attention_grad query <transient + [[Q]]
// CHECK-SAME: output <transient + [[OUT]], {{.*}} logsumexp <transient + [[LSE]]
// CHECK-SAME: workspace <transient + {{[0-9]+}}, [[SIZE]]xf32>
// CHECK-SAME: output_grad <transient + [[OUT]], 1x2x1x1x4xf32>
// CHECK-SAME: scale 5.000000e-01 causal dropout 2.500000e-01 key 3
// CHECK-NEXT: exec.gemm {{.*}} transposed * {{.*}} -> <persistent + [[$DW]], 4x4xf32> rows 4 columns 4 inner 2
// CHECK-NEXT: exec.launch @accumulate (<persistent + [[$DW]], 4x4xf32>, {{.*}}) -> (<persistent + [[$DW]], 4x4xf32>)
// CHECK-NEXT: }
func.func @forward_backward(
    %x: tensor<1x2x1x4xf32> {dist.global = tensor<1x2x1x4xf32, #r4>, tfm.binding = #tfm.binding<carry "k">},
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<compute "w">},
    %dw: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
    %positions: tensor<1x2xi32> {dist.global = tensor<1x2xi32, #r2>, tfm.binding = #tfm.binding<batch "positions">},
    %samples: tensor<1xi32> {dist.global = tensor<1xi32, #r1>, tfm.binding = #tfm.binding<batch "samples">},
    %seed: tensor<i32> {dist.global = tensor<i32, #r0>, tfm.binding = #tfm.binding<input_scalar "seed">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">})
    attributes {exec.variant = #exec.variant<first>} {
  %heads = dist.iota of tensor<1x1xi32, #r2> : tensor<1x1xi32>
  %x3 = call @flatten(%x) : (tensor<1x2x1x4xf32>) -> tensor<1x2x4xf32>
  %w5 = call @lift(%w) : (tensor<4x4xf32>) -> tensor<1x1x4x4xf32>
  %q = tfm.linear %x3, %w5 : (tensor<1x2x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x1x1x4xf32>
  %out, %lse = tfm.attention %q, %x, %x, %positions, %positions, %seed, %samples, %heads
    {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 3 : i32}
    : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2xi32>,
       tensor<1x2xi32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>)
    -> (tensor<1x2x1x1x4xf32>, tensor<1x2x1x1xf32>)
  %dq, %dk, %dv = tfm.attention_grad %out, %q, %x, %x, %out, %lse, %positions, %positions, %seed, %samples, %heads
    {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 3 : i32}
    : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>,
       tensor<1x2x1x1x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>,
       tensor<1xi32>, tensor<1x1xi32>)
    -> (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  %0 = tfm.linear_weight_grad %x3, %x3 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<4x4xf32>
  %1 = call @accumulate(%0, %dk) : (tensor<4x4xf32>, tensor<1x2x1x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

func.func @update() attributes {exec.variant = #exec.variant<only>} {
  return
}

func.func private @flatten(%x: tensor<1x2x1x4xf32>) -> tensor<1x2x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tensor.empty() : tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
func.func private @lift(%x: tensor<4x4xf32>) -> tensor<1x1x4x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tensor.empty() : tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
func.func private @accumulate(%a: tensor<4x4xf32>, %x: tensor<1x2x1x4xf32>) -> tensor<4x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place [0 to 0]>} {
  return %a : tensor<4x4xf32>
}
}
