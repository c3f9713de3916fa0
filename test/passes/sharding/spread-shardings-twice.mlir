// RUN: mpc-opt %s --mpc-spread-shardings -o %t.once.mlir
// RUN: mpc-opt %t.once.mlir --mpc-spread-shardings | diff - %t.once.mlir
// RUN: mpc-opt %t.once.mlir --mpc-verify-shardings | FileCheck %s

// Spreading what is spread changes nothing, and every tensor has a sharding: those of
// a pointwise op too, whose operand is split over both axes.
// CHECK-LABEL: func.func @unary(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x8xf32, #s_a_b>
// CHECK-NEXT:    %[[Y:.*]] = tfm.relu %[[X]] : (tensor<8x8xf32, #s_a_b>) -> tensor<8x8xf32, #s_a_b>
// CHECK-NEXT:    return %[[Y]] : tensor<8x8xf32, #s_a_b>
#mesh = #dist.mesh<["a"=2, "b"=4]>
func.func @unary(%x: tensor<8x8xf32> {dist.pin = #dist.sharding<#mesh, [{"a"}, {"b"}]>}) -> tensor<8x8xf32> {
  %0 = tfm.relu %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @with_communication(
// CHECK-COUNT-2: dist.reshard
#columns = #dist.sharding<#mesh, [{}, {"a"}]>
func.func @with_communication(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32> {dist.pin = #columns})
    -> tensor<2x4x6xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
