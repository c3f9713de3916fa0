// RUN: mpc-opt %s -mpc-form-kernels | FileCheck %s

// Every op by itself, products and their accumulation too; an unused op is none.
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = true>} {
  // CHECK-LABEL: func @f
  // CHECK: %[[A:.*]] = call @kernel_0
  // CHECK-NEXT: %[[B:.*]] = call @kernel_1(%[[A]])
  // CHECK-NEXT: %[[P:.*]] = call @kernel_2(%[[B]])
  // CHECK-NEXT: %[[S:.*]] = call @kernel_3(%{{.*}}, %[[P]])
  // CHECK-NEXT: return %[[S]]
  // CHECK: func private @kernel_0
  // CHECK-NEXT: tfm.bias_add
  // CHECK: func private @kernel_1
  // CHECK-NEXT: tfm.relu
  // CHECK: func private @kernel_2(%[[IN:.*]]: tensor<2x4x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: tfm.linear_weight_grad %[[IN]], %[[IN]]
  // CHECK: func private @kernel_3
  // CHECK-NEXT: tfm.accumulate
  // CHECK-NOT: func
  func.func @f(%x: tensor<2x4x8xf32>, %b: tensor<8xf32>, %acc: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %unused = tfm.gelu %x {form = #tfm.gelu_form<erf>} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %0 = tfm.bias_add %x, %b : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    %1 = tfm.relu %0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %2 = tfm.linear_weight_grad %1, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
    %3 = tfm.accumulate %acc, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
