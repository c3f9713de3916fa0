// RUN: mpc-opt %s --mpc-unfuse-attention -verify-diagnostics
// RUN: not mpc-opt %s --mpc-unfuse-attention -o /dev/null 2>/dev/null

module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false,
    attention = "unfused">} {
  func.func @forward(%q: tensor<2x8x4x3x5xf32>, %k: tensor<2x6x4x5xf32>, %v: tensor<2x6x4x5xf32>,
      %qp: tensor<2x8xi32>, %kp: tensor<2x6xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<4x3xi32>)
      -> tensor<2x8x4x3xf32> {
    // expected-error @+1 {{has a logsumexp that is read, expected only out to be: unfused attention makes no logsumexp}}
    %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads
      {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 9 : i32}
      : (tensor<2x8x4x3x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x8xi32>, tensor<2x6xi32>,
         tensor<i32>, tensor<2xi32>, tensor<4x3xi32>) -> (tensor<2x8x4x3x5xf32>, tensor<2x8x4x3xf32>)
    return %0#1 : tensor<2x8x4x3xf32>
  }
}
