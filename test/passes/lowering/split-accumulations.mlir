// RUN: mpc-opt %s -mpc-split-accumulations | FileCheck %s

// The early part is added where it is computed, before what follows it.
// CHECK-LABEL: func @tied_table
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<2x2xf32>, %[[G:[a-z0-9]+]]: tensor<1x2x2xf32>, %[[X:[a-z0-9]+]]: tensor<1x2x2xf32>
func.func @tied_table(%acc: tensor<2x2xf32>, %g: tensor<1x2x2xf32>,
    %x: tensor<1x2x2xf32>, %ids: tensor<1x2xi32>, %rows: tensor<2xi32>)
    -> tensor<2x2xf32> {
  // CHECK-NEXT: %[[HEAD:.*]] = tfm.linear_weight_grad %[[G]], %[[X]]
  // CHECK-NEXT: %[[FIRST:.*]] = tfm.accumulate %[[ACC]], %[[HEAD]]
  // CHECK-NEXT: %[[DX:.*]] = tfm.relu_grad
  // CHECK-NEXT: %[[TABLE:.*]] = tfm.embedding_grad %[[DX]]
  // CHECK-NEXT: %[[SECOND:.*]] = tfm.accumulate %[[FIRST]], %[[TABLE]] {phase = #dist.phase<weight>}
  // CHECK-NEXT: return %[[SECOND]]
  %head = tfm.linear_weight_grad %g, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<2x2xf32>
  %dx = tfm.relu_grad %g, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %table = tfm.embedding_grad %dx, %ids, %rows
    : (tensor<1x2x2xf32>, tensor<1x2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
  %sum = tfm.add %table, %head : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = tfm.accumulate %acc, %sum {phase = #dist.phase<weight>}
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// A sum of sums is split to the end; what is there first comes first.
// CHECK-LABEL: func @three_parts
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<2xf32>, %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>, %[[C:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT: %[[SC:.*]] = tfm.accumulate %[[ACC]], %[[C]]
// CHECK-NEXT: %[[SA:.*]] = tfm.accumulate %[[SC]], %[[A]]
// CHECK-NEXT: %[[SB:.*]] = tfm.accumulate %[[SA]], %[[B]]
// CHECK-NEXT: return %[[SB]]
func.func @three_parts(%acc: tensor<2xf32>, %a: tensor<2xf32>,
    %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tfm.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = tfm.add %0, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = tfm.accumulate %acc, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// The sum is needed in any case.
// CHECK-LABEL: func @used_twice
// CHECK-NEXT: %[[SUM:.*]] = tfm.add
// CHECK-NEXT: tfm.accumulate %{{.*}}, %[[SUM]]
func.func @used_twice(%acc: tensor<2xf32>, %a: tensor<2xf32>,
    %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = tfm.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = tfm.accumulate %acc, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
