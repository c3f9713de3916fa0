// RUN: mpc-opt %s -split-input-file -mpc-specialize-microbatches | FileCheck %s

module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 3,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  // CHECK-LABEL: func @prologue
  // CHECK-SAME: exec.variant = #exec.variant<only>
  func.func @prologue() {
    return
  }
  // What is accumulated onto an argument is written; the rest is still added.
  // CHECK-LABEL: func @forward_backward(
  // CHECK-SAME: %{{.*}}: tensor<2xf32>, %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>)
  // CHECK-SAME: exec.variant = #exec.variant<first>
  // CHECK-NEXT: %[[G:.*]] = tfm.relu %[[A]]
  // CHECK-NEXT: %[[SUM:.*]] = tfm.accumulate %[[G]], %[[B]]
  // CHECK-NEXT: return %[[SUM]]
  // CHECK-LABEL: func @forward_backward_middle(
  // CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<2xf32>, %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>)
  // CHECK-SAME: exec.variant = #exec.variant<middle>
  // CHECK-NEXT: %[[G:.*]] = tfm.relu %[[A]]
  // CHECK-NEXT: %[[FIRST:.*]] = tfm.accumulate %[[ACC]], %[[G]]
  // CHECK-NEXT: tfm.accumulate %[[FIRST]], %[[B]]
  func.func @forward_backward(%acc: tensor<2xf32>, %a: tensor<2xf32>,
      %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = tfm.relu %a : (tensor<2xf32>) -> tensor<2xf32>
    %1 = tfm.accumulate %acc, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = tfm.accumulate %1, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  // CHECK-LABEL: func @update
  // CHECK-SAME: exec.variant = #exec.variant<only>
  func.func @update() {
    return
  }
}

// -----

// One microbatch is the first and the last.
// CHECK-LABEL: func @forward_backward
// CHECK-SAME: exec.variant = #exec.variant<only>
// CHECK-NEXT: return %arg1
// CHECK-NOT: func
func.func @forward_backward(%acc: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tfm.accumulate %acc, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
