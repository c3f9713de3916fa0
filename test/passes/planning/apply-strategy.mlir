// RUN: mpc-opt %s --mpc-apply-strategy -split-input-file | FileCheck %s

// Tensor parallelism splits vocabulary, heads and feed-forward; data parallelism the
// batch; ZeRO-1 also the storage of masters and moments, in the first dimension that
// divides. Accumulators and carried values follow from their use.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    tensor<32x16xf32> {dist.pin = #dist.sharding<#mesh, [{"tp", "dp"}, {}]>, tfm.binding = #tfm.binding<master "wte">
// CHECK-SAME:    tensor<4x1x4x16xf32> {dist.pin = #dist.sharding<#mesh, [{"tp", "dp"}, {}, {}, {}]>, tfm.binding = #tfm.binding<master "q">
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#mesh, [{"dp"}, {"tp"}]>, tfm.binding = #tfm.binding<master "c_proj">
// CHECK-SAME:    tensor<16xf32> {dist.pin = #dist.sharding<#mesh, [{"dp"}]>, tfm.binding = #tfm.binding<master "norm">
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#mesh, [{"dp"}, {"tp"}]>, tfm.binding = #tfm.binding<moment1 "c_proj">
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#mesh, [{"dp"}, {"tp"}]>, tfm.binding = #tfm.binding<moment2 "c_proj">
// CHECK-SAME:    tensor<f32> {dist.pin = #dist.sharding<#mesh, []>, tfm.binding = #tfm.binding<counter "step">
// CHECK-SAME:    tensor<f32> {dist.pin = #dist.sharding<#mesh, []>, tfm.binding = #tfm.binding<metric "valid_tokens">
// CHECK-SAME:    tensor<3xf32> {dist.pin = #dist.sharding<#mesh, [{}]>, tfm.binding = #tfm.binding<master "odd">

// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME:    tensor<32x16xf32> {dist.pin = #dist.sharding<#mesh, [{"tp"}, {}]>, tfm.binding = #tfm.binding<compute "wte">
// CHECK-SAME:    tensor<4x1x4x16xf32> {dist.pin = #dist.sharding<#mesh, [{"tp"}, {}, {}, {}]>, tfm.binding = #tfm.binding<compute "q">
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#mesh, [{}, {"tp"}]>, tfm.binding = #tfm.binding<compute "c_proj">
// CHECK-SAME:    tensor<16xf32> {dist.pin = #dist.sharding<#mesh, [{}]>, tfm.binding = #tfm.binding<compute "norm">
// CHECK-SAME:    tensor<32x16xf32> {tfm.binding = #tfm.binding<accumulator "wte">
// CHECK-SAME:    tensor<f32> {tfm.binding = #tfm.binding<carry "loss_sum">
// CHECK-SAME:    tensor<4x8xi32> {dist.pin = #dist.sharding<#mesh, [{"dp"}, {}]>, tfm.binding = #tfm.binding<batch "ids">
// CHECK-SAME:    tensor<4xi32> {dist.pin = #dist.sharding<#mesh, [{"dp"}]>, tfm.binding = #tfm.binding<batch "samples">
// CHECK-SAME:    tensor<2x4x8xi32> {dist.pin = #dist.sharding<#mesh, [{}, {"dp"}, {}]>, tfm.binding = #tfm.binding<batch "step.labels">
// CHECK-SAME:    tensor<i32> {dist.pin = #dist.sharding<#mesh, []>, tfm.binding = #tfm.binding<input_scalar "seed">
// A user's pin stays.
// CHECK-SAME:    tensor<4x8xi32> {dist.pin = #dist.sharding<#mesh, [{"dp"}, {"tp"}]>, tfm.binding = #tfm.binding<batch "labels">
// The residual stream is split by sequence, in the phase of its mark.
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x8x16xf32>
// CHECK-NEXT:    %[[PIN:.*]] = dist.pin %[[X]] : tensor<4x8x16xf32> to #s_dp_tp_r {phase = #dist.phase<backward>}
// CHECK-NEXT:    return %[[PIN]]

#labels = #dist.sharding<#dist.mesh<["dp"=2, "tp"=2]>, [{"dp"}, {"tp"}]>
module attributes {tfm.strategy = #tfm.strategy<tp = 2, dp = 2, microbatches = 2,
    sequence_parallel = true, zero = 1, strict = false, reference = false>} {
  func.func @update(
      %0: tensor<32x16xf32> {tfm.binding = #tfm.binding<master "wte">, tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [32, 16], normal = 0.02, decay = true>},
      %1: tensor<4x1x4x16xf32> {tfm.binding = #tfm.binding<master "q">, tfm.parameter = #tfm.parameter<"q", [kv_heads, head_group, head_dim, hidden], [4, 1, 4, 16], normal = 0.02, decay = true>},
      %2: tensor<16x64xf32> {tfm.binding = #tfm.binding<master "c_proj">, tfm.parameter = #tfm.parameter<"c_proj", [hidden, ffn], [16, 64], normal = 0.02, decay = true>},
      %3: tensor<16xf32> {tfm.binding = #tfm.binding<master "norm">, tfm.parameter = #tfm.parameter<"norm", [hidden], [16], constant = 1.0, decay = false>},
      %4: tensor<16x64xf32> {tfm.binding = #tfm.binding<moment1 "c_proj">},
      %5: tensor<16x64xf32> {tfm.binding = #tfm.binding<moment2 "c_proj">},
      %6: tensor<f32> {tfm.binding = #tfm.binding<counter "step">},
      %7: tensor<f32> {tfm.binding = #tfm.binding<metric "valid_tokens">},
      %8: tensor<3xf32> {tfm.binding = #tfm.binding<master "odd">, tfm.parameter = #tfm.parameter<"odd", [hidden], [3], constant = 1.0, decay = false>}) {
    return
  }
  func.func @forward_backward(
      %0: tensor<32x16xf32> {tfm.binding = #tfm.binding<compute "wte">},
      %1: tensor<4x1x4x16xf32> {tfm.binding = #tfm.binding<compute "q">},
      %2: tensor<16x64xf32> {tfm.binding = #tfm.binding<compute "c_proj">},
      %3: tensor<16xf32> {tfm.binding = #tfm.binding<compute "norm">},
      %4: tensor<32x16xf32> {tfm.binding = #tfm.binding<accumulator "wte">},
      %5: tensor<f32> {tfm.binding = #tfm.binding<carry "loss_sum">},
      %6: tensor<4x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %7: tensor<4xi32> {tfm.binding = #tfm.binding<batch "samples">},
      %8: tensor<2x4x8xi32> {tfm.binding = #tfm.binding<batch "step.labels">},
      %9: tensor<i32> {tfm.binding = #tfm.binding<input_scalar "seed">},
      %10: tensor<4x8xi32> {dist.pin = #labels, tfm.binding = #tfm.binding<batch "labels">},
      %x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %r = tfm.residual %x {phase = #dist.phase<backward>} : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    return %r : tensor<4x8x16xf32>
  }
}

// -----

// On one rank everything is pinned to it: one way for all meshes.
// CHECK-LABEL: func.func @one_rank(
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#dist.mesh<[]>, [{}, {}]>
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 1, strict = false, reference = false>} {
  func.func @one_rank(
      %0: tensor<16x64xf32> {tfm.binding = #tfm.binding<master "c_proj">, tfm.parameter = #tfm.parameter<"c_proj", [hidden, ffn], [16, 64], normal = 0.02, decay = true>}) {
    return
  }
}

// -----

// Without ZeRO masters lie as the compute copy does.
// CHECK-LABEL: func.func @no_zero(
// CHECK-SAME:    tensor<16x64xf32> {dist.pin = #dist.sharding<#dist.mesh<["dp"=2, "tp"=2]>, [{}, {"tp"}]>, tfm.binding
module attributes {tfm.strategy = #tfm.strategy<tp = 2, dp = 2, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @no_zero(
      %0: tensor<16x64xf32> {tfm.binding = #tfm.binding<master "c_proj">, tfm.parameter = #tfm.parameter<"c_proj", [hidden, ffn], [16, 64], normal = 0.02, decay = true>}) {
    return
  }
}
