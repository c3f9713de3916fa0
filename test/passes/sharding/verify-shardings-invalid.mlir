// RUN: mpc-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics --mpc-verify-shardings
// RUN: not mpc-opt %s -allow-unregistered-dialect -split-input-file --mpc-verify-shardings

// The world is closed: nothing may stand here that ignores shardings.

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @upstream_arithmetic(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{has no sharding rule; implement ShardingRuleOpInterface for it (CONTRIBUTING.md)}}
  %0 = arith.addf %x, %x : tensor<8xf32, #whole>
  return
}

// -----

// It would fold to the sum of two constants, on every rank.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}], sum = {"tp"}>
func.func @partial_constant() {
  // expected-error @+1 {{has no sharding rule}}
  %0 = arith.constant dense<1.0> : tensor<8xf32, #sum>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#flat = #dist.sharding<#mesh, [{"tp"}]>
func.func @reshape_of_a_split_dimension(%x: tensor<8x6xf32, #rows>) {
  // expected-error @+1 {{has no sharding rule}}
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<8x6xf32, #rows> into tensor<48xf32, #flat>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @upstream_math(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{has no sharding rule}}
  %0 = math.tanh %x : tensor<8xf32, #whole>
  return
}

// -----

// linalg says what an op computes, not where: it comes after partitioning.
#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @upstream_linalg(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{'linalg.generic' op has a region; expected only ops with a sharding rule before partitioning}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32, #whole>) outs(%x : tensor<8xf32, #whole>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32, #whole>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @call_of_a_function(%x: tensor<8xf32, #whole>) -> tensor<8xf32, #whole> {
  // expected-error @+1 {{has no sharding rule}}
  %0 = func.call @call_of_a_function(%x) : (tensor<8xf32, #whole>) -> tensor<8xf32, #whole>
  return %0 : tensor<8xf32, #whole>
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @pin_that_was_not_spread(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{is left; expected `mpc-spread-shardings` to have replaced it}}
  %0 = dist.pin %x : tensor<8xf32, #whole> to #whole
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @region(%x: tensor<8xf32, #whole>) {
  %take = arith.constant true
  // expected-error @+1 {{has a region; expected only ops with a sharding rule before partitioning}}
  scf.if %take {
  }
  return
}

// -----

// expected-error @+1 {{has 2 blocks, expected one}}
func.func @two_blocks() {
  "foreign.br"()[^next] : () -> ()
^next:
  return
}

// -----

// expected-error @+1 {{has 0 blocks, expected one}}
func.func private @declaration(tensor<8xf32>)

// -----

// expected-error @+1 {{argument #0 has type 'tensor<8xf32>', expected a sharded type}}
func.func @argument_without_sharding(%x: tensor<8xf32>) {
  return
}

// -----

// expected-error @+1 {{argument #0 has type 'i32', expected a ranked tensor}}
func.func @argument_that_is_no_tensor(%x: i32) {
  return
}

// -----

func.func @ops_without_sharding() {
  // expected-error @+1 {{result #0 has type 'tensor<8xi32>', expected a sharded type}}
  %0 = dist.iota : tensor<8xi32>
  return
}

// -----

#a = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
#b = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
// expected-error @+1 {{argument #1 is sharded over #dist.mesh<["tp"=4]>, others over #dist.mesh<["tp"=2]>}}
func.func @two_meshes(%x: tensor<8xf32, #a>, %y: tensor<8xf32, #b>) {
  return
}

// -----

// A mesh is shared by all functions of a module.
#a = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
#b = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
func.func @first(%x: tensor<8xf32, #a>) {
  return
}
// expected-error @+1 {{argument #0 is sharded over #dist.mesh<["tp"=4]>, others over #dist.mesh<["tp"=2]>}}
func.func @second(%y: tensor<8xf32, #b>) {
  return
}

// -----

// What one function leaves in a piece of state is what the next one reads.
#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @writer(%x: tensor<8xf32, #split>) -> (tensor<8xf32, #split> {tfm.binding = #tfm.binding<carry "state">}) {
  return %x : tensor<8xf32, #split>
}
// expected-error @+1 {{binds #tfm.binding<carry "state"> as 'tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>>', elsewhere it is 'tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>>'}}
func.func @reader(%x: tensor<8xf32, #whole> {tfm.binding = #tfm.binding<carry "state">}) {
  return
}
