// RUN: not mpc-opt %s --mpc-apply-strategy 2>&1 | FileCheck %s
// RUN: echo "module {}" | not mpc-opt --mpc-apply-strategy 2>&1 | FileCheck %s --check-prefix=NONE

// A strict strategy is refused by one error that lists all that does not divide.
// CHECK:      error: num_attention_heads=25 not divisible by tp=4; legal: 1,5,25
// CHECK-NEXT: vocab_size=50 not divisible by tp=4; legal: 1,2,5,10,25,50
// CHECK-NEXT: intermediate_size=402 not divisible by tp=4; legal: 1,2,3,6,67,134,201,402
// CHECK-NEXT: sequence_length=6 not divisible by tp=4; legal: 1,2,3,6
// CHECK-NOT:  error:

// NONE: error: has no strategy; expected `mpc-set-strategy` to have written tfm.strategy

module attributes {tfm.strategy = #tfm.strategy<tp = 4, dp = 1, microbatches = 1,
    sequence_parallel = true, zero = 0, strict = true, reference = false>} {
  func.func @awkward(
      %0: tensor<25x1x4x100xf32> {tfm.binding = #tfm.binding<master "q">, tfm.parameter = #tfm.parameter<"q", [kv_heads, head_group, head_dim, hidden], [25, 1, 4, 100], normal = 0.02, decay = true>},
      %1: tensor<50x100xf32> {tfm.binding = #tfm.binding<master "wte">, tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [50, 100], normal = 0.02, decay = true>},
      %2: tensor<402x100xf32> {tfm.binding = #tfm.binding<master "c_fc">, tfm.parameter = #tfm.parameter<"c_fc", [ffn, hidden], [402, 100], normal = 0.02, decay = true>},
      %x: tensor<2x6x100xf32>) -> tensor<2x6x100xf32> {
    %r = tfm.residual %x : (tensor<2x6x100xf32>) -> tensor<2x6x100xf32>
    return %r : tensor<2x6x100xf32>
  }
}
