// RUN: mpc-opt %s -split-input-file -verify-diagnostics --mpc-partition
// RUN: not mpc-opt %s -split-input-file --mpc-partition

// Partitioning a module whose shardings were not spread is an error, no crash.

func.func @not_spread() -> tensor<8xi32> {
  // expected-error @+1 {{has result type 'tensor<8xi32>', expected a sharded type; run mpc-sharding first}}
  %0 = dist.iota : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// expected-error @+1 {{argument #0 has type 'tensor<8xf32>', expected a sharded type; run mpc-sharding first}}
func.func @unused_argument_that_was_not_spread(%x: tensor<8xf32>) {
  return
}

// -----

// expected-error @+1 {{argument #1 has type 'i32', expected a sharded type; run mpc-sharding first}}
func.func @argument_that_is_no_tensor(%x: tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>>, %y: i32) {
  return
}

// -----

// expected-error @+1 {{has 0 blocks, expected one}}
func.func private @declaration(tensor<8xf32>)
