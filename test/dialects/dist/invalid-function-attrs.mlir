// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

// expected-error @+1 {{has "dist.pin" = "tp" on argument #0 of type 'tensor<8xf32>', expected a #dist.sharding on a ranked tensor}}
func.func private @f(%x: tensor<8xf32> {dist.pin = "tp"})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{on argument #0 of type 'f32', expected a #dist.sharding on a ranked tensor}}
func.func private @f(%x: f32 {dist.pin = #s})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{argument #1: dimension 0 of size 7 does not divide into 2 pieces}}
func.func private @f(%x: tensor<8xf32>, %y: tensor<7xf32> {dist.pin = #s})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{has argument attribute "dist.sharding", expected dist.pin or dist.global}}
func.func private @f(%x: tensor<8xf32> {dist.sharding = #s})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{has "dist.global" = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>, expected a sharded type}}
func.func private @f(%x: tensor<8xf32> {dist.global = #s})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{has an argument or result of type 'tensor<8xf32>', expected the local part of}}
func.func private @f(%x: tensor<8xf32> {dist.global = tensor<8xf32, #s>})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{has result attribute "dist.pin", expected dist.global}}
func.func private @f() -> (tensor<8xf32> {dist.pin = #s})

// -----

#s = #dist.sharding<#dist.mesh<["tp"=2]>, [{"tp"}]>
// expected-error @+1 {{has an argument or result of type 'tensor<8xf32>', expected the local part of}}
func.func private @f() -> (tensor<8xf32> {dist.global = tensor<8xf32, #s>})
