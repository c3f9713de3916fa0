// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

func.func @pin_that_does_not_divide(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{dimension 1 of size 3 does not divide into 2 pieces}}
  %0 = dist.pin %x : tensor<8x3xf32> to #dist.sharding<#dist.mesh<["tp"=2]>, [{}, {"tp"}]>
  return
}

// -----

func.func @pin_of_another_rank(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{sharding has 1 dimensions, the tensor 2}}
  %0 = dist.pin %x : tensor<8x3xf32> to #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @reshard_that_reshapes(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{expected only the sharding to change}}
  %0 = dist.reshard %x : tensor<8xf32, #whole> -> tensor<4xf32, #whole>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @reshard_that_casts(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{expected only the sharding to change}}
  %0 = dist.reshard %x : tensor<8xf32, #whole> -> tensor<8xbf16, #whole>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @reshard_from_nothing(%x: tensor<8xf32>) {
  // expected-error @+1 {{has type 'tensor<8xf32>', expected a sharded type}}
  %0 = dist.reshard %x : tensor<8xf32> -> tensor<8xf32, #whole>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @reshard_to_nothing(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{has type 'tensor<8xf32>', expected a sharded type}}
  %0 = dist.reshard %x : tensor<8xf32, #whole> -> tensor<8xf32>
  return
}

// -----

#a = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
#b = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
func.func @reshard_between_meshes(%x: tensor<8xf32, #a>) {
  // expected-error @+1 {{goes from #dist.mesh<["tp"=2]> to #dist.mesh<["tp"=4]>, expected one mesh}}
  %0 = dist.reshard %x : tensor<8xf32, #a> -> tensor<8xf32, #b>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
#max = #dist.sharding<#mesh, [{}], max = {"tp"}>
func.func @reshard_to_a_maximum(%x: tensor<8xf32, #whole>) {
  // expected-error @+1 {{makes a partial maximum over #dist.axes<{"tp"}> out of 'tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>>'}}
  %0 = dist.reshard %x : tensor<8xf32, #whole> -> tensor<8xf32, #max>
  return
}

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#tp = #dist.sharding<#mesh, [{}], max = {"tp"}>
#both = #dist.sharding<#mesh, [{}], max = {"dp", "tp"}>
func.func @reshard_to_a_wider_maximum(%x: tensor<8xf32, #tp>) {
  // expected-error @+1 {{makes a partial maximum over #dist.axes<{"dp", "tp"}>}}
  %0 = dist.reshard %x : tensor<8xf32, #tp> -> tensor<8xf32, #both>
  return
}

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#max = #dist.sharding<#mesh, [{}], max = {"tp"}>
#sum = #dist.sharding<#mesh, [{}], sum = {"dp"}>
func.func @reshard_from_maximum_to_sum(%x: tensor<8xf32, #max>) {
  // expected-error @+1 {{makes a partial sum out of a partial maximum over #dist.axes<{"tp"}>}}
  %0 = dist.reshard %x : tensor<8xf32, #max> -> tensor<8xf32, #sum>
  return
}

// -----

func.func @iota_of_floats() {
  // expected-error @+1 {{must be ranked tensor of 32-bit signless integer values}}
  %0 = dist.iota : tensor<8xf32>
  return
}

// -----

func.func @group_without_axes(%x: tensor<8xf32>) {
  // expected-error @+1 {{names no axis, expected at least one of #dist.mesh<["tp"=2]>}}
  %0 = dist.all_reduce %x over <{}> of <["tp"=2]> : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @group_of_an_unknown_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{names axis "dp", which #dist.mesh<["tp"=2]> does not have}}
  %0 = dist.keep_on_first %x over <{"dp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @all_reduce_of_another_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{has result type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0 = dist.all_reduce %x over <{"tp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @all_gather_too_small(%x: tensor<8xf32>) {
  // expected-error @+1 {{has result type 'tensor<12xf32>', expected 'tensor<16xf32>'}}
  %0 = dist.all_gather %x along 0 over <{"tp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<12xf32>
  return
}

// -----

func.func @all_gather_along_nothing(%x: tensor<8xf32>) {
  // expected-error @+1 {{names dimension 1 of 'tensor<8xf32>', expected one below 1}}
  %0 = dist.all_gather %x along 1 over <{"tp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @reduce_scatter_below_zero(%x: tensor<8xf32>) {
  // expected-error @+1 {{names dimension -1 of 'tensor<8xf32>', expected one below 1}}
  %0 = dist.reduce_scatter %x along -1 over <{"tp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_scatter_that_does_not_divide(%x: tensor<7xf32>) {
  // expected-error @+1 {{cuts dimension 0 of size 7 into 2 pieces, which does not divide}}
  %0 = dist.reduce_scatter %x along 0 over <{"tp"}> of <["tp"=2]> : tensor<7xf32> -> tensor<3xf32>
  return
}

// -----

func.func @shard_too_large(%x: tensor<8xf32>) {
  // expected-error @+1 {{has result type 'tensor<8xf32>', expected 'tensor<4xf32>'}}
  %0 = dist.shard %x along 0 over <{"tp"}> of <["tp"=2]> : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @all_to_all_the_other_way(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{has result type 'tensor<4x8xf32>', expected 'tensor<16x2xf32>'}}
  %0 = dist.all_to_all %x from 1 to 0 over <{"tp"}> of <["tp"=2]> : tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

#mesh = #dist.mesh<["pp"=2, "tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
#sum = #dist.sharding<#mesh, [{}], sum = {"tp"}>
func.func @contribution_over_another_axis(%x: tensor<8xf32, #whole>) { // contribute_c1
  // expected-error @+1 {{expected the same type, partial over that axis of its mesh too}}
  %0 = dist.contribute %x over "pp" : tensor<8xf32, #whole> -> tensor<8xf32, #sum>
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @contribution_over_no_axis(%x: tensor<8xf32, #whole>) { // contribute_c1
  // expected-error @+1 {{contributes 'tensor<8xf32, #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>>' over "pp"}}
  %0 = dist.contribute %x over "pp" : tensor<8xf32, #whole> -> tensor<8xf32, #whole>
  return
}
