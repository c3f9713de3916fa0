// RUN: mpc-opt %s -split-input-file --mpc-optimize-reshards --mpc-verify-shardings | FileCheck %s

// Each rewrite of one reshard or two, then the nearest case that it leaves alone.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#whole = #dist.sharding<#mesh, [{}, {}]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#quarters = #dist.sharding<#mesh, [{"tp", "dp"}, {}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
#max = #dist.sharding<#mesh, [{}, {}], max = {"tp"}>
#dp_rows = #dist.sharding<#mesh, [{"dp"}, {}]>
#dp_tp_rows = #dist.sharding<#mesh, [{"dp", "tp"}, {}]>
#dp_rows_sum = #dist.sharding<#mesh, [{"dp"}, {}], sum = {"tp"}>
#dp_rows_columns = #dist.sharding<#mesh, [{"dp"}, {"tp"}]>

// CHECK-LABEL: func.func @to_its_own_type(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    return %[[X]]
func.func @to_its_own_type(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @unused(
// CHECK-NEXT:    return
func.func @unused(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %x : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @to_another_type(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_tp_r> -> tensor<8x4xf32, #s_r_tp>
// CHECK-NEXT:    return %[[Y]]
func.func @to_another_type(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  return %0 : tensor<8x4xf32, #columns>
}

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard
// CHECK-NEXT:    return %[[Y]], %[[Y]]
func.func @twice(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>
}

// What backward gathers again need not be kept.
// CHECK-LABEL: func.func @in_two_phases(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard
// CHECK-NEXT:    %[[Z:.*]] = dist.reshard {{.*}} {phase = #dist.phase<backward>}
// CHECK-NEXT:    return %[[Y]], %[[Z]]
func.func @in_two_phases(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x {phase = #dist.phase<backward>} : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @in_two_stages(
// CHECK-COUNT-2: dist.reshard
func.func @in_two_stages(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %x {piece = 0} : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x {piece = 1} : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @there_and_on(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_r_tp>
// CHECK-NEXT:    return %[[Y]]
func.func @there_and_on(%x: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %0 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  return %1 : tensor<8x4xf32, #columns>
}

// CHECK-LABEL: func.func @scatter_and_gather(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    return %[[Y]]
func.func @scatter_and_gather(%x: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %0 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %1 : tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @maximum_there_and_on(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_r_r_max_tp> -> tensor<8x4xf32, #s_r_tp>
// CHECK-NEXT:    return %[[Y]]
func.func @maximum_there_and_on(%x: tensor<8x4xf32, #max>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %x : tensor<8x4xf32, #max> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %0 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  return %1 : tensor<8x4xf32, #columns>
}

// CHECK-LABEL: func.func @and_back(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    return %[[X]]
func.func @and_back(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %0 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %1 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @middle_is_used(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard
// CHECK-NEXT:    %[[Z:.*]] = dist.reshard %[[Y]]
// CHECK-NEXT:    return %[[Y]], %[[Z]]
func.func @middle_is_used(%x: tensor<8x4xf32, #sum>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %0 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  return %0, %1 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>
}

// CHECK-LABEL: func.func @back_in_another_phase(
// CHECK-COUNT-2: dist.reshard
func.func @back_in_another_phase(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %0 {phase = #dist.phase<backward>} : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %1 : tensor<8x4xf32, #rows>
}

// At once, partitioning would gather rows of addends before it sums them.
// CHECK-LABEL: func.func @detour_is_cheaper(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} -> tensor<8x4xf32, #s_dp_tp>
// CHECK-NEXT:    dist.reshard %[[Y]] : {{.*}} -> tensor<8x4xf32, #s_r_tp>
func.func @detour_is_cheaper(%x: tensor<8x4xf32, #dp_rows_sum>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dp_rows_sum> -> tensor<8x4xf32, #dp_rows_columns>
  %1 = dist.reshard %0 : tensor<8x4xf32, #dp_rows_columns> -> tensor<8x4xf32, #columns>
  return %1 : tensor<8x4xf32, #columns>
}

// At once it would be a gather and an all-reduce of the whole.
// CHECK-LABEL: func.func @scatter_before_gather(
// CHECK-COUNT-2: dist.reshard
func.func @scatter_before_gather(%x: tensor<8x4xf32, #dp_rows_sum>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dp_rows_sum> -> tensor<8x4xf32, #dp_tp_rows>
  %1 = dist.reshard %0 : tensor<8x4xf32, #dp_tp_rows> -> tensor<8x4xf32, #whole>
  return %1 : tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @maximum_to_sum(
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %{{.*}} -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    dist.reshard %[[Y]] : {{.*}} -> tensor<8x4xf32, #s_r_r_sum_tp>
func.func @maximum_to_sum(%x: tensor<8x4xf32, #max>) -> tensor<8x4xf32, #sum> {
  %0 = dist.reshard %x : tensor<8x4xf32, #max> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %0 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #sum>
  return %1 : tensor<8x4xf32, #sum>
}

// The all-reduce holds what the reduce-scatter would make, whichever comes first.
// CHECK-LABEL: func.func @piece_of_a_sum(
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    %[[PIECE:.*]] = dist.reshard %[[WHOLE]] : tensor<8x4xf32, #s_r_r> -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    return %[[PIECE]], %[[WHOLE]]
func.func @piece_of_a_sum(%x: tensor<8x4xf32, #sum>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  return %0, %1 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @piece_of_a_gather(
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %{{.*}} -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    %[[PIECE:.*]] = dist.reshard %[[WHOLE]] : tensor<8x4xf32, #s_r_r> -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    return %[[WHOLE]], %[[PIECE]]
func.func @piece_of_a_gather(%x: tensor<8x4xf32, #quarters>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #quarters> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x : tensor<8x4xf32, #quarters> -> tensor<8x4xf32, #rows>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>
}

// Neither holds the other.
// CHECK-LABEL: func.func @two_pieces(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    dist.reshard %[[X]]
// CHECK-NEXT:    dist.reshard %[[X]]
func.func @two_pieces(%x: tensor<8x4xf32, #sum>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #columns>
  return %0, %1 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #columns>
}

// CHECK-LABEL: func.func @piece_in_another_phase(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    dist.reshard %[[X]]
// CHECK-NEXT:    dist.reshard %[[X]] {phase = #dist.phase<backward>}
func.func @piece_in_another_phase(%x: tensor<8x4xf32, #sum>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x {phase = #dist.phase<backward>} : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>
}

// The piece is local already and does not wait for the gather.
// CHECK-LABEL: func.func @piece_is_local(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    dist.reshard %[[X]]
// CHECK-NEXT:    dist.reshard %[[X]]
func.func @piece_is_local(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #quarters>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #quarters>
  return %0, %1 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #quarters>
}

// A sum of which nothing is used is no source.
// CHECK-LABEL: func.func @piece_of_what_is_unused(
// CHECK-NEXT:    %[[PIECE:.*]] = dist.reshard %{{.*}} : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    return %[[PIECE]]
func.func @piece_of_what_is_unused(%x: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  return %0 : tensor<8x4xf32, #rows>
}

// -----

// Nothing becomes a maximum over more axes.
// CHECK-LABEL: func.func @maximum_over_more(
// CHECK-SAME:    %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    dist.reshard %[[X]]
// CHECK-NEXT:    dist.reshard %[[X]]
#cube = #dist.mesh<["a"=2, "b"=2, "c"=2]>
#max_a = #dist.sharding<#cube, [{}], max = {"a"}>
#max_ab = #dist.sharding<#cube, [{}], max = {"a", "b"}>
#max_abc = #dist.sharding<#cube, [{}], max = {"a", "b", "c"}>
func.func @maximum_over_more(%x: tensor<8xf32, #max_abc>) -> (tensor<8xf32, #max_a>, tensor<8xf32, #max_ab>) {
  %0 = dist.reshard %x : tensor<8xf32, #max_abc> -> tensor<8xf32, #max_a>
  %1 = dist.reshard %x : tensor<8xf32, #max_abc> -> tensor<8xf32, #max_ab>
  return %0, %1 : tensor<8xf32, #max_a>, tensor<8xf32, #max_ab>
}
