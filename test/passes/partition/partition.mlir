// RUN: mpc-opt %s --mpc-partitioning | FileCheck %s

#mesh = #dist.mesh<["dp"=2, "tp"=4]>
#x = #dist.sharding<#mesh, [{"dp"}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{"dp"}, {}, {}], sum = {"tp"}>
#y = #dist.sharding<#mesh, [{"dp"}, {}, {}]>

// Types are what a rank holds; arguments and results remember what they were, and
// their other attributes.
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x2xf32> {dist.global = tensor<2x4x8xf32, #dist.sharding<#mesh, [{"dp"}, {}, {"tp"}]>>},
// CHECK-SAME:    %[[W:.*]]: tensor<6x2xf32> {dist.global = tensor<6x8xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>, tfm.binding = #tfm.binding<compute "w">})
// CHECK-SAME:    -> (tensor<1x4x6xf32> {dist.global = tensor<2x4x6xf32, #s_dp_r_r>, tfm.binding = #tfm.binding<carry "y">})
func.func @product(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w> {tfm.binding = #tfm.binding<compute "w">})
    -> (tensor<2x4x6xf32, #y> {tfm.binding = #tfm.binding<carry "y">}) {
  // CHECK-NEXT: %[[P:.*]] = tfm.linear %[[X]], %[[W]] : (tensor<1x4x2xf32>, tensor<6x2xf32>) -> tensor<1x4x6xf32>
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #sum>
  // The collective has the phase and the place of the reshard.
  // CHECK-NEXT: %[[R:.*]] = dist.all_reduce %[[P]] over <{"tp"}> of #mesh {phase = #dist.phase<recompute>}
  %1 = dist.reshard %0 {phase = #dist.phase<recompute>} : tensor<2x4x6xf32, #sum> -> tensor<2x4x6xf32, #y>
  // CHECK-NEXT: return %[[R]] : tensor<1x4x6xf32>
  return %1 : tensor<2x4x6xf32, #y>
}

// Only an iota knows where in the mesh it is.
// CHECK-LABEL: func.func @iota()
func.func @iota() -> tensor<8xi32, #dist.sharding<#mesh, [{"tp"}]>> {
  // CHECK-NEXT: dist.iota of tensor<8xi32, #s_tp> : tensor<2xi32>
  %0 = dist.iota : tensor<8xi32, #dist.sharding<#mesh, [{"tp"}]>>
  return %0 : tensor<8xi32, #dist.sharding<#mesh, [{"tp"}]>>
}

// An argument that nothing uses is as good as any other; a pin has been used up.
// CHECK-LABEL: func.func @unused_argument(
// CHECK-SAME:    %{{.*}}: tensor<1x2xf32> {dist.global = tensor<4x4xf32, #dist.sharding<#mesh, [{"tp"}, {"dp"}]>>})
func.func @unused_argument(%x: tensor<4x4xf32, #dist.sharding<#mesh, [{"tp"}, {"dp"}]>>
                             {dist.pin = #dist.sharding<#mesh, [{"tp"}, {"dp"}]>}) {
  return
}
