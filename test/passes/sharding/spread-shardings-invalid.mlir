// RUN: mpc-opt %s -split-input-file -verify-diagnostics --mpc-spread-shardings
// RUN: not mpc-opt %s -split-input-file --mpc-spread-shardings

#a = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
#b = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
// expected-error @+1 {{pins to #dist.mesh<["tp"=4]>, other pins to #dist.mesh<["tp"=2]>}}
func.func @arguments_on_two_meshes(%x: tensor<8xf32> {dist.pin = #a}, %y: tensor<8xf32> {dist.pin = #b}) {
  return
}

// -----

#a = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
#b = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
// expected-error @+1 {{pins to #dist.mesh<["tp"=2]>, other pins to #dist.mesh<["tp"=4]>}}
func.func @value_on_another_mesh(%x: tensor<8xf32> {dist.pin = #a}) {
  %0 = dist.pin %x : tensor<8xf32> to #b
  return
}

// -----

#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @writer(%x: tensor<8xf32> {dist.pin = #split, tfm.binding = #tfm.binding<master "w">}) {
  return
}
// expected-error @+1 {{pins #tfm.binding<master "w"> to #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>, another function to #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>}}
func.func @reader(%x: tensor<8xf32> {dist.pin = #whole, tfm.binding = #tfm.binding<master "w">}) {
  return
}

// -----

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
func.func @op_without_a_rule(%x: tensor<8xf32> {dist.pin = #whole}) -> tensor<8xf32> {
  // expected-error @+1 {{has no sharding rule; implement ShardingRuleOpInterface for it (CONTRIBUTING.md)}}
  %0 = math.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
// expected-error @+1 {{argument #1 has type 'f32', expected a ranked tensor}}
func.func @argument_that_is_no_tensor(%x: tensor<8xf32> {dist.pin = #whole}, %y: f32) {
  return
}

// -----

#whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}]>
func.func @pinned(%x: tensor<8xf32> {dist.pin = #whole}) {
  return
}
// expected-error @+1 {{has 0 blocks, expected one}}
func.func private @declaration(tensor<8xf32>)
