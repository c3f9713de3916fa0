// RUN: mpc-opt %s | FileCheck %s
// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --emit-bytecode | mpc-opt | FileCheck %s

// Every op of the dialect, and what is written of its attributes.

// CHECK-LABEL: @attention_scores(
func.func @attention_scores(%a0: tensor<6x6x6x6x2xf32>, %a1: tensor<6x6x6x2xf32>) {
  // CHECK-NEXT: tfm.attention_scores %{{.*}}, %{{.*}} : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>) -> tensor<6x6x6x6x6xf32>
  %r = tfm.attention_scores %a0, %a1 : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>) -> tensor<6x6x6x6x6xf32>
  return
}

// CHECK-LABEL: @attention_context(
func.func @attention_context(%a0: tensor<6x6x6x6x6xf32>, %a1: tensor<6x6x6x2xf32>) {
  // CHECK-NEXT: tfm.attention_context %{{.*}}, %{{.*}} : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x2xf32>) -> tensor<6x6x6x6x2xf32>
  %r = tfm.attention_context %a0, %a1 : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x2xf32>) -> tensor<6x6x6x6x2xf32>
  return
}

// CHECK-LABEL: @attention_key_grad(
func.func @attention_key_grad(%a0: tensor<6x6x6x6x6xf32>, %a1: tensor<6x6x6x6x2xf32>) {
  // CHECK-NEXT: tfm.attention_key_grad %{{.*}}, %{{.*}} : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x6x2xf32>) -> tensor<6x6x6x2xf32>
  %r = tfm.attention_key_grad %a0, %a1 : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x6x2xf32>) -> tensor<6x6x6x2xf32>
  return
}

// CHECK-LABEL: @masked_softmax(
func.func @masked_softmax(%a0: tensor<6x6x6x6x6xf32>, %a1: tensor<6x6xi32>, %a2: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.masked_softmax %{{.*}}, %{{.*}}, %{{.*}} {causal = true, scale = 5.000000e-01 : f32} : (tensor<6x6x6x6x6xf32>, tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6x6x6x6xf32>
  %r = tfm.masked_softmax %a0, %a1, %a2 {scale = 0.5 : f32, causal = true} : (tensor<6x6x6x6x6xf32>, tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6x6x6x6xf32>
  return
}

// CHECK-LABEL: @masked_softmax_grad(
func.func @masked_softmax_grad(%a0: tensor<6x6x6x6x6xf32>, %a1: tensor<6x6x6x6x6xf32>) {
  // CHECK-NEXT: tfm.masked_softmax_grad %{{.*}}, %{{.*}} {scale = 5.000000e-01 : f32} : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x6x6xf32>) -> tensor<6x6x6x6x6xf32>
  %r = tfm.masked_softmax_grad %a0, %a1 {scale = 0.5 : f32} : (tensor<6x6x6x6x6xf32>, tensor<6x6x6x6x6xf32>) -> tensor<6x6x6x6x6xf32>
  return
}

// CHECK-LABEL: @attention_dropout(
func.func @attention_dropout(%a0: tensor<6x6x6x6x6xf32>, %a1: tensor<i32>, %a2: tensor<6xi32>, %a3: tensor<6x6xi32>, %a4: tensor<6x6xi32>, %a5: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.attention_dropout %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {key = 7 : i32, rate = 2.500000e-01 : f32} : (tensor<6x6x6x6x6xf32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6x6x6x6xf32>
  %r = tfm.attention_dropout %a0, %a1, %a2, %a3, %a4, %a5 {rate = 0.25 : f32, key = 7 : i32} : (tensor<6x6x6x6x6xf32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6x6x6x6xf32>
  return
}
