// RUN: mpc-opt %s -split-input-file -mpc-hoist-dropout-keys | FileCheck %s

// One seed for each key, from one kernel that both functions call.
// CHECK-LABEL: func private @dropout_seeds_0
// CHECK-SAME: (%[[SEED:.*]]: tensor<i32>) -> (tensor<i32>, tensor<i32>)
// CHECK: linalg.generic {{.*}} ins(%[[SEED]] : tensor<i32>)
// CHECK: %[[KEY:.*]] = arith.constant 7 : i32
// CHECK: arith.xori %{{.*}}, %[[KEY]]
// CHECK: linalg.generic
// CHECK: arith.constant 9 : i32

// CHECK-LABEL: func @first
// CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i32>
// CHECK: %[[SEEDS:.*]]:2 = call @dropout_seeds_0(%[[SEED]])
// CHECK: tfm.dropout %{{[a-z0-9]*}}, %[[SEEDS]]#0, {{.*}}key = 0
// CHECK: tfm.dropout %{{[a-z0-9]*}}, %[[SEEDS]]#1, {{.*}}key = 0
// CHECK: tfm.dropout %{{[a-z0-9]*}}, %[[SEEDS]]#0, {{.*}}key = 0
func.func @first(%x: tensor<1x2x4xf32>, %seed: tensor<i32>, %samples: tensor<1xi32>,
    %positions: tensor<1x2xi32>, %features: tensor<4xi32>) -> tensor<1x2x4xf32> {
  %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 7 : i32}
    : (tensor<1x2x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  %1 = tfm.dropout %0, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 9 : i32}
    : (tensor<1x2x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  %2 = tfm.dropout %1, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 7 : i32}
    : (tensor<1x2x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  return %2 : tensor<1x2x4xf32>
}

// CHECK-LABEL: func @second
// CHECK: call @dropout_seeds_0
func.func @second(%x: tensor<1x2x4xf32>, %seed: tensor<i32>, %samples: tensor<1xi32>,
    %positions: tensor<1x2xi32>, %features: tensor<4xi32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 7 : i32}
    : (tensor<1x2x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  %1 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 9 : i32}
    : (tensor<1x2x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  return %0, %1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// Attention is a command, which takes a key.
// CHECK-NOT: dropout_seeds
// CHECK: tfm.attention {{.*}}key = 3
func.func @attention(%q: tensor<1x2x1x1x4xf32>, %k: tensor<1x2x1x4xf32>,
    %positions: tensor<1x2xi32>, %seed: tensor<i32>, %samples: tensor<1xi32>,
    %heads: tensor<1x1xi32>) -> tensor<1x2x1x1x4xf32> {
  %0, %1 = tfm.attention %q, %k, %k, %positions, %positions, %seed, %samples, %heads
    {scale = 1.0 : f32, causal = true, rate = 0.5 : f32, key = 3 : i32}
    : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2xi32>,
       tensor<1x2xi32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>)
    -> (tensor<1x2x1x1x4xf32>, tensor<1x2x1x1xf32>)
  return %0 : tensor<1x2x1x1x4xf32>
}

// -----

// In the reference plan it is a kernel, too.
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = true>} {
  // CHECK: call @dropout_seeds_0
  // CHECK: tfm.attention {{.*}}key = 0
  func.func @attention(%q: tensor<1x2x1x1x4xf32>, %k: tensor<1x2x1x4xf32>,
      %positions: tensor<1x2xi32>, %seed: tensor<i32>, %samples: tensor<1xi32>,
      %heads: tensor<1x1xi32>) -> tensor<1x2x1x1x4xf32> {
    %0, %1 = tfm.attention %q, %k, %k, %positions, %positions, %seed, %samples, %heads
      {scale = 1.0 : f32, causal = true, rate = 0.5 : f32, key = 3 : i32}
      : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2xi32>,
         tensor<1x2xi32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>)
      -> (tensor<1x2x1x1x4xf32>, tensor<1x2x1x1xf32>)
    return %0 : tensor<1x2x1x1x4xf32>
  }
}

// -----

// Dropout of stored probabilities is a kernel.
// CHECK: %[[SEEDS:.*]] = call @dropout_seeds_0
// CHECK: tfm.attention_dropout %{{[a-z0-9]*}}, %[[SEEDS]], {{.*}}key = 0
func.func @probabilities(%p: tensor<1x1x1x2x2xf32>, %positions: tensor<1x2xi32>, %seed: tensor<i32>,
    %samples: tensor<1xi32>, %heads: tensor<1x1xi32>) -> tensor<1x1x1x2x2xf32> {
  %0 = tfm.attention_dropout %p, %seed, %samples, %heads, %positions, %positions {rate = 0.5 : f32, key = 3 : i32}
    : (tensor<1x1x1x2x2xf32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
    -> tensor<1x1x1x2x2xf32>
  return %0 : tensor<1x1x1x2x2xf32>
}
