// RUN: mpc-opt %s --mpc-verify-shardings --cse | FileCheck %s

// Phases keep apart what computes the same: a recomputed value is not merged with the
// one that was kept, nor is a gather that backward repeats. What agrees in phase is one.
// CHECK-LABEL: func.func @recomputed(
// CHECK:         %[[W:.*]] = dist.reshard %{{.*}} : tensor<8xf32, #s_tp> -> tensor<8xf32, #s_r>
// CHECK-NEXT:    %[[A:.*]] = tfm.relu %[[W]] :
// CHECK-NEXT:    %[[V:.*]] = dist.reshard %{{.*}} {phase = #dist.phase<recompute>} : tensor<8xf32, #s_tp> -> tensor<8xf32, #s_r>
// CHECK-NEXT:    %[[B:.*]] = tfm.relu %[[V]] {phase = #dist.phase<recompute>} :
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]]
#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @recomputed(%x: tensor<8xf32, #split>)
    -> (tensor<8xf32, #whole>, tensor<8xf32, #whole>, tensor<8xf32, #whole>) {
  %0 = dist.reshard %x : tensor<8xf32, #split> -> tensor<8xf32, #whole>
  %1 = tfm.relu %0 : (tensor<8xf32, #whole>) -> tensor<8xf32, #whole>
  %2 = dist.reshard %x : tensor<8xf32, #split> -> tensor<8xf32, #whole>
  %3 = tfm.relu %2 : (tensor<8xf32, #whole>) -> tensor<8xf32, #whole>
  %4 = dist.reshard %x {phase = #dist.phase<recompute>} : tensor<8xf32, #split> -> tensor<8xf32, #whole>
  %5 = tfm.relu %4 {phase = #dist.phase<recompute>} : (tensor<8xf32, #whole>) -> tensor<8xf32, #whole>
  return %1, %3, %5 : tensor<8xf32, #whole>, tensor<8xf32, #whole>, tensor<8xf32, #whole>
}
