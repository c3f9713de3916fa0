// RUN: mpc-opt %s | FileCheck %s
// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --emit-bytecode | mpc-opt | FileCheck %s

// A mesh and shardings are named after what they say.
// CHECK: #mesh = #dist.mesh<["pp"=2, "dp"=2, "tp"=4]>
// CHECK-DAG: #s_dptp_r = #dist.sharding<#mesh, [{"dp", "tp"}, {}]>
// CHECK-DAG: #s_r_r = #dist.sharding<#mesh, [{}, {}]>
// CHECK-DAG: #s_r_max_tp = #dist.sharding<#mesh, [{}], max = {"tp"}>
// CHECK-DAG: #s_dp_r_sum_pp_tp = #dist.sharding<#mesh, [{"dp"}, {}], sum = {"pp", "tp"}>
// CHECK-DAG: #[[ONE:mesh.*]] = #dist.mesh<[]>
// CHECK-DAG: #[[$ALONE:s.*]] = #dist.sharding<#[[ONE]], [{}]>
#mesh = #dist.mesh<["pp"=2, "dp"=2, "tp"=4]>
#whole = #dist.sharding<#mesh, [{}, {}]>
#sum = #dist.sharding<#mesh, [{"dp"}, {}], sum = {"pp", "tp"}>
#two = #dist.sharding<#mesh, [{"dp", "tp"}, {}]>

// CHECK-LABEL: func.func @pin(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.pin = #s_dptp_r})
func.func @pin(%x: tensor<8x4xf32> {dist.pin = #two}) -> tensor<8x4xf32> {
  // CHECK: dist.pin %[[X]] : tensor<8x4xf32> to #s_dp_r_sum_pp_tp
  %0 = dist.pin %x : tensor<8x4xf32> to #sum
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @reshard(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32, #s_dp_r_sum_pp_tp>)
func.func @reshard(%x: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #whole> {
  // CHECK: dist.reshard %[[X]] {phase = #dist.phase<recompute>, piece = 1 : i64} : tensor<8x4xf32, #s_dp_r_sum_pp_tp> -> tensor<8x4xf32, #s_r_r>
  %0 = dist.reshard %x {phase = #dist.phase<recompute>, piece = 1 : i64}
    : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  return %0 : tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @maximum(%{{.*}}: tensor<8xf32, #s_r_max_tp>)
func.func @maximum(%x: tensor<8xf32, #dist.sharding<#mesh, [{}], max = {"tp"}>>) {
  return
}

// The default phase is not written.
// CHECK-LABEL: func.func @iota(
func.func @iota() -> (tensor<8x4xi32, #two>, tensor<1x4xi32>) {
  // CHECK: dist.iota : tensor<8x4xi32, #s_dptp_r>
  %0 = dist.iota {phase = #dist.phase<forward>} : tensor<8x4xi32, #two>
  // CHECK: dist.iota of tensor<8x4xi32, #s_dptp_r> : tensor<1x4xi32>
  %1 = dist.iota of tensor<8x4xi32, #two> : tensor<1x4xi32>
  // CHECK: dist.iota {start = -2 : i32} : tensor<8x4xi32, #s_dptp_r>
  %2 = dist.iota {start = -2 : i32} : tensor<8x4xi32, #two>
  return %0, %1 : tensor<8x4xi32, #two>, tensor<1x4xi32>
}

// CHECK-LABEL: func.func @collectives(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global = tensor<8x4xf32, #s_r_r>})
func.func @collectives(%x: tensor<8x4xf32> {dist.global = tensor<8x4xf32, #whole>})
    -> (tensor<8x4xf32> {dist.global = tensor<8x4xf32, #whole>}) {
  // CHECK: %[[SUM:.*]] = dist.all_reduce %[[X]] over <{"dp", "tp"}> of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
  %sum = dist.all_reduce %x over <{"dp", "tp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: %[[MAX:.*]] = dist.all_reduce %[[SUM]] over <{"tp"}> of {{.*}} {reduction = #dist<reduction max>}
  %max = dist.all_reduce %sum over <{"tp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    {reduction = #dist<reduction max>} : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: %[[PART:.*]] = dist.reduce_scatter %[[MAX]] along 0 over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<2x4xf32>
  %part = dist.reduce_scatter %max along 0 over <{"tp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<8x4xf32> -> tensor<2x4xf32>
  // CHECK: %[[MOVED:.*]] = dist.all_to_all %[[PART]] from 1 to 0 over <{"tp"}> of {{.*}} : tensor<2x4xf32> -> tensor<8x1xf32>
  %moved = dist.all_to_all %part from 1 to 0 over <{"tp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<2x4xf32> -> tensor<8x1xf32>
  // CHECK: %[[WHOLE:.*]] = dist.all_gather %[[MOVED]] along 1 over <{"tp"}> of {{.*}} : tensor<8x1xf32> -> tensor<8x4xf32>
  %whole = dist.all_gather %moved along 1 over <{"tp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: %[[KEPT:.*]] = dist.keep_on_first %[[WHOLE]] over <{"pp"}> of {{.*}} : tensor<8x4xf32> -> tensor<8x4xf32>
  %kept = dist.keep_on_first %whole over <{"pp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: dist.shard %[[KEPT]] along 0 over <{"dp"}> of {{.*}} : tensor<8x4xf32> -> tensor<4x4xf32>
  %cut = dist.shard %kept along 0 over <{"dp"}> of <["pp"=2, "dp"=2, "tp"=4]>
    : tensor<8x4xf32> -> tensor<4x4xf32>
  return %kept : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @one_rank(
// CHECK-SAME:    %{{.*}}: tensor<8xf32, #[[$ALONE]]>)
func.func @one_rank(%x: tensor<8xf32, #dist.sharding<#dist.mesh<[]>, [{}]>>) {
  return
}
