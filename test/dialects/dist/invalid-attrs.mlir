// RUN: mpc-opt %s -split-input-file -verify-diagnostics

// Axes.

// expected-error @+1 {{axis "tp" is listed twice}}
#axes = #dist.axes<{"tp", "tp"}>

// -----

// Meshes.

// expected-error @+1 {{axis "tp" is listed twice}}
#mesh = #dist.mesh<["tp"=2, "tp"=4]>

// -----

// expected-error @+1 {{axis "tp" has size 1, expected at least 2 (an axis of one rank is left out of the mesh)}}
#mesh = #dist.mesh<["dp"=2, "tp"=1]>

// -----

// expected-error @+1 {{axis "tp" has size 0, expected at least 2}}
#mesh = #dist.mesh<["tp"=0]>

// -----

// Shardings.

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{sharding names axis "cp", which #dist.mesh<["dp"=2, "tp"=2]> does not have}}
#s = #dist.sharding<#mesh, [{"cp"}]>

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{sharding names axis "cp", which #dist.mesh<["dp"=2, "tp"=2]> does not have}}
#s = #dist.sharding<#mesh, [{}], sum = {"cp"}>

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{sharding uses axis "tp" twice}}
#s = #dist.sharding<#mesh, [{"tp"}, {"tp"}]>

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{sharding uses axis "tp" twice}}
#s = #dist.sharding<#mesh, [{"tp"}], sum = {"tp"}>

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{partial axes "tp" and "dp" are not in the order of #dist.mesh<["dp"=2, "tp"=2]>}}
#s = #dist.sharding<#mesh, [{}], sum = {"tp", "dp"}>

// -----

// A sharding and the tensor it is on.

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{sharding has 1 dimensions, the tensor 2}}
func.func private @f(tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}]>>)

// -----

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// expected-error @+1 {{dimension 1 of size 6 does not divide into 4 pieces of #dist.axes<{"dp", "tp"}>}}
func.func private @f(tensor<8x6xf32, #dist.sharding<#mesh, [{}, {"dp", "tp"}]>>)

// -----

#mesh = #dist.mesh<["tp"=2]>
// expected-error @+1 {{expected 'sum'}}
#s = #dist.sharding<#mesh, [{}], min = {"tp"}>
