// RUN: mpc-opt %s -split-input-file --mpc-spread-shardings --mpc-verify-shardings | FileCheck %s

// Pins that nobody would choose are legal all the same.

// A maximum becomes addends by way of the value.
// CHECK-LABEL: func.func @maximum_to_sum(
// CHECK:         %[[MAX:.*]] = tfm.row_max {{.*}} -> tensor<2x4xf32, #s_r_r_max_tp>
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %[[MAX]] : tensor<2x4xf32, #s_r_r_max_tp> -> tensor<2x4xf32, #s_r_r>
// CHECK-NEXT:    dist.reshard %[[WHOLE]] : tensor<2x4xf32, #s_r_r> -> tensor<2x4xf32, #s_r_r_sum_tp>
#mesh = #dist.mesh<["tp"=2]>
#columns = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @maximum_to_sum(%x: tensor<2x4x12xf32> {dist.pin = #columns}) -> tensor<2x4xf32> {
  %rows = dist.iota : tensor<12xi32>
  %0 = tfm.row_max %x, %rows {classes = 12 : i64} : (tensor<2x4x12xf32>, tensor<12xi32>) -> tensor<2x4xf32>
  %1 = dist.pin %0 : tensor<2x4xf32> to #sum
  return %1 : tensor<2x4xf32>
}

// -----

// What is broadcast is whole, and made partial where that is wanted.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32, #s_sum_tp>
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %[[X]] : tensor<f32, #s_sum_tp> -> tensor<f32, #s>
// CHECK-NEXT:    %[[Y:.*]] = tfm.broadcast %[[WHOLE]] : (tensor<f32, #s>) -> tensor<2x4xf32, #s_r_r>
// CHECK-NEXT:    dist.reshard %[[Y]] : tensor<2x4xf32, #s_r_r> -> tensor<2x4xf32, #s_r_r_sum_tp>
#mesh = #dist.mesh<["tp"=2]>
#scalar = #dist.sharding<#mesh, [], sum = {"tp"}>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @broadcast(%x: tensor<f32> {dist.pin = #scalar}) -> tensor<2x4xf32> {
  %0 = tfm.broadcast %x : (tensor<f32>) -> tensor<2x4xf32>
  %1 = dist.pin %0 : tensor<2x4xf32> to #sum
  return %1 : tensor<2x4xf32>
}

// -----

// State that is not pinned leaves a function as it came, whatever the type in which
// it was computed.
// CHECK-LABEL: func.func @state(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<8xf32, #s_r> {tfm.binding = #tfm.binding<moment1 "w">}
// CHECK-SAME:    -> (tensor<8xf32, #s_r> {tfm.binding = #tfm.binding<moment1 "w">})
// CHECK:         %[[NEW:.*]] = tfm.add {{.*}} -> tensor<8xf32, #s_tp>
// CHECK-NEXT:    %[[OUT:.*]] = dist.reshard %[[NEW]] : tensor<8xf32, #s_tp> -> tensor<8xf32, #s_r>
// CHECK-NEXT:    return %[[OUT]]
#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}]>
func.func @state(%m: tensor<8xf32> {tfm.binding = #tfm.binding<moment1 "w">}, %g: tensor<8xf32>)
    -> (tensor<8xf32> {tfm.binding = #tfm.binding<moment1 "w">}) {
  %0 = tfm.add %m, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = dist.pin %0 : tensor<8xf32> to #split
  return %1 : tensor<8xf32>
}
