// RUN: mpc-opt %s --mpc-apply-strategy -verify-diagnostics -split-input-file | FileCheck %s

// What tp does not divide stays whole on every rank, and a remark says so: the
// feed-forward block uses tp although 25 heads cannot.
// CHECK:       tfm.remarks = ["num_attention_heads=25 not divisible by tp=4; legal: 1,5,25; what it counts is kept whole on every tp rank"]
// CHECK-LABEL: func.func @awkward(
// CHECK-SAME:    tensor<25x1x4x100xf32> {dist.pin = #dist.sharding<#dist.mesh<["tp"=4]>, [{}, {}, {}, {}]>, tfm.binding
// CHECK-SAME:    tensor<400x100xf32> {dist.pin = #dist.sharding<#dist.mesh<["tp"=4]>, [{"tp"}, {}]>, tfm.binding

// expected-remark @+1 {{num_attention_heads=25 not divisible by tp=4; legal: 1,5,25; what it counts is kept whole on every tp rank}}
module attributes {tfm.strategy = #tfm.strategy<tp = 4, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @awkward(
      %0: tensor<25x1x4x100xf32> {tfm.binding = #tfm.binding<master "q">, tfm.parameter = #tfm.parameter<"q", [kv_heads, head_group, head_dim, hidden], [25, 1, 4, 100], normal = 0.02, decay = true>},
      %1: tensor<400x100xf32> {tfm.binding = #tfm.binding<master "c_fc">, tfm.parameter = #tfm.parameter<"c_fc", [ffn, hidden], [400, 100], normal = 0.02, decay = true>}) {
    return
  }
}

// -----

// A parameter that dp does not divide keeps its storage on every rank.
// CHECK:       tfm.remarks = ["no dimension of parameter odd divides by dp=2; its master and moments are kept on every dp rank"]
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 1,
    sequence_parallel = false, zero = 1, strict = false, reference = false>} {
  func.func @update(
      %0: tensor<3xf32> {tfm.binding = #tfm.binding<master "odd">, tfm.parameter = #tfm.parameter<"odd", [hidden], [3], constant = 1.0, decay = false>}) {
    return
  }
}
