// RUN: mpc-opt %s -split-input-file -verify-diagnostics --mpc-verify-partitioned
// RUN: not mpc-opt %s -split-input-file --mpc-verify-partitioned

// The mirror of mpc-verify-shardings: nothing global may be left.

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
// expected-error @+1 {{has type 'tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>>', expected a local type after partitioning}}
func.func @argument(%x: tensor<8xf32, #whole>) {
  return
}

// -----

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
func.func @result() {
  // expected-error @+1 {{expected a local type after partitioning}}
  %0 = dist.iota : tensor<8xi32, #whole>
  return
}

// -----

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
// expected-error @+1 {{expected a local type after partitioning}}
func.func private @declaration(tensor<8xf32, #whole>)

// -----

func.func @pin(%x: tensor<8xf32>) {
  // expected-error @+1 {{is left after partitioning}}
  %0 = dist.pin %x : tensor<8xf32> to #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
  return
}
