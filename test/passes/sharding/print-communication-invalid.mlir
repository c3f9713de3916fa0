// RUN: mpc-opt %s -split-input-file --mpc-print-communication -verify-diagnostics -o /dev/null | FileCheck %s --allow-empty
// RUN: not mpc-opt %s -split-input-file --mpc-print-communication -o /dev/null 2>/dev/null

// A table of nothing would look like a model that communicates nothing.
// CHECK-NOT: {{.}}

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
func.func @sharded(%x: tensor<8xf32, #whole>) {
  return
}
// expected-error @+1 {{has types without sharding, expected a module after mpc-sharding and before mpc-partitioning}}
func.func @argument(%x: tensor<8xf32>) {
  return
}

// -----

// expected-error @+1 {{has types without sharding}}
func.func @result() {
  %0 = dist.iota : tensor<8xi32>
  return
}
