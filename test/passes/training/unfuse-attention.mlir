// RUN: mpc-opt %s -split-input-file --mpc-unfuse-attention -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Each part is in the phase, the piece and the place of the whole.
// CHECK-LABEL: attention = "unfused"
// CHECK:      %[[SCORES:.*]] = tfm.attention_scores %{{q|arg0}}, %{{k|arg1}} {piece = 1 : i64} : {{.*}} -> tensor<2x4x3x8x6xf32> loc("h.0.attn")
// CHECK-NEXT: %[[P:.*]] = tfm.masked_softmax %[[SCORES]], %{{qp|arg3}}, %{{kp|arg4}} {causal = true, piece = 1 : i64, scale = 5.000000e-01 : f32} : {{.*}} loc("h.0.attn")
// CHECK-NEXT: %[[KEPT:.*]] = tfm.attention_dropout %[[P]], %{{seed|arg5}}, %{{samples|arg6}}, %{{heads|arg7}}, %{{qp|arg3}}, %{{kp|arg4}} {key = 9 : i32, piece = 1 : i64, rate = 2.500000e-01 : f32} : {{.*}} loc("h.0.attn")
// CHECK-NEXT: %[[OUT:.*]] = tfm.attention_context %[[KEPT]], %{{v|arg2}} {piece = 1 : i64} : {{.*}} -> tensor<2x8x4x3x5xf32> loc("h.0.attn")
// CHECK-NEXT: return %[[OUT]]
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false,
    attention = "unfused">} {
  func.func @forward(%q: tensor<2x8x4x3x5xf32>, %k: tensor<2x6x4x5xf32>, %v: tensor<2x6x4x5xf32>,
      %qp: tensor<2x8xi32>, %kp: tensor<2x6xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<4x3xi32>)
      -> tensor<2x8x4x3x5xf32> {
    %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads
      {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 9 : i32, piece = 1}
      : (tensor<2x8x4x3x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x8xi32>, tensor<2x6xi32>,
         tensor<i32>, tensor<2xi32>, tensor<4x3xi32>) -> (tensor<2x8x4x3x5xf32>, tensor<2x8x4x3xf32>) loc("h.0.attn")
    return %0#0 : tensor<2x8x4x3x5xf32>
  }
}

// -----

// Nothing is dropped at rate 0.
// CHECK-LABEL: attention = "unfused"
// CHECK:      tfm.attention_scores
// CHECK-NEXT: %[[P:.*]] = tfm.masked_softmax {{.*}} {causal = false, scale
// CHECK-NEXT: tfm.attention_context %[[P]],
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false,
    attention = "unfused">} {
  func.func @forward(%q: tensor<2x8x4x3x5xf32>, %k: tensor<2x6x4x5xf32>, %v: tensor<2x6x4x5xf32>,
      %qp: tensor<2x8xi32>, %kp: tensor<2x6xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<4x3xi32>)
      -> tensor<2x8x4x3x5xf32> {
    %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads
      {scale = 0.5 : f32, causal = false, rate = 0.0 : f32, key = 9 : i32}
      : (tensor<2x8x4x3x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x8xi32>, tensor<2x6xi32>,
         tensor<i32>, tensor<2xi32>, tensor<4x3xi32>) -> (tensor<2x8x4x3x5xf32>, tensor<2x8x4x3xf32>)
    return %0#0 : tensor<2x8x4x3x5xf32>
  }
}

// -----

// CHECK-LABEL: attention = "fused"
// CHECK: tfm.attention %
// CHECK-NOT: tfm.attention_
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false,
    attention = "fused">} {
  func.func @forward(%q: tensor<2x8x4x3x5xf32>, %k: tensor<2x6x4x5xf32>, %v: tensor<2x6x4x5xf32>,
      %qp: tensor<2x8xi32>, %kp: tensor<2x6xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<4x3xi32>)
      -> tensor<2x8x4x3x5xf32> {
    %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads
      {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 9 : i32}
      : (tensor<2x8x4x3x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x8xi32>, tensor<2x6xi32>,
         tensor<i32>, tensor<2xi32>, tensor<4x3xi32>) -> (tensor<2x8x4x3x5xf32>, tensor<2x8x4x3xf32>)
    return %0#0 : tensor<2x8x4x3x5xf32>
  }
}

// -----

// Fused is the default.
// CHECK-LABEL: module
// CHECK: tfm.attention %
// CHECK-NOT: tfm.attention_
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(%q: tensor<2x8x4x3x5xf32>, %k: tensor<2x6x4x5xf32>, %v: tensor<2x6x4x5xf32>,
      %qp: tensor<2x8xi32>, %kp: tensor<2x6xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<4x3xi32>)
      -> tensor<2x8x4x3x5xf32> {
    %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads
      {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 9 : i32}
      : (tensor<2x8x4x3x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x8xi32>, tensor<2x6xi32>,
         tensor<i32>, tensor<2xi32>, tensor<4x3xi32>) -> (tensor<2x8x4x3x5xf32>, tensor<2x8x4x3xf32>)
    return %0#0 : tensor<2x8x4x3x5xf32>
  }
}
