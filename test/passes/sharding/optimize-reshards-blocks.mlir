// RUN: mpc-opt %s --allow-unregistered-dialect --mpc-optimize-reshards | FileCheck %s

// The gate refuses two blocks; until then nothing is taken from one into the other.
// CHECK-LABEL: func.func @two_blocks(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %[[X]]
// CHECK-NEXT:    "foreign.br"(%[[Y]])
// CHECK:         %[[Z:.*]] = dist.reshard %[[X]]
// CHECK-NEXT:    return %[[Z]]
#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @two_blocks(%x: tensor<8xf32, #rows>) -> tensor<8xf32, #whole> {
  %0 = dist.reshard %x : tensor<8xf32, #rows> -> tensor<8xf32, #whole>
  "foreign.br"(%0)[^next] : (tensor<8xf32, #whole>) -> ()
^next:
  "foreign.op"() : () -> ()
  %1 = dist.reshard %x : tensor<8xf32, #rows> -> tensor<8xf32, #whole>
  return %1 : tensor<8xf32, #whole>
}
