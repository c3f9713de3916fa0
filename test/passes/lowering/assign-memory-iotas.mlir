// RUN: mpc-opt %s -mpc-assign-memory | FileCheck %s
//
// Iotas that hold the same numbers are one constant; one that counts from elsewhere
// is another.

#mesh = #dist.mesh<[]>
#r1 = #dist.sharding<#mesh, [{}]>

module {
func.func @prologue() attributes {exec.variant = #exec.variant<only>} {
  return
}

// CHECK: exec.state constant "iota_0" {{.*}} initially <iota>
// CHECK-NEXT: exec.state constant "iota_1" {{.*}} initially <iota from -2.000000e+00>
// CHECK-NOT: exec.state
func.func @forward_backward() attributes {exec.variant = #exec.variant<first>} {
  %0 = dist.iota of tensor<4xi32, #r1> : tensor<4xi32>
  %1 = dist.iota of tensor<4xi32, #r1> {start = -2 : i32} : tensor<4xi32>
  %2 = dist.iota of tensor<4xi32, #r1> : tensor<4xi32>
  return
}

func.func @update() attributes {exec.variant = #exec.variant<only>} {
  return
}
}
