// RUN: mpc-opt %s --mpc-optimize-reshards --mpc-verify-shardings | FileCheck %s

// Reshards of operands that cost less behind the op, and those that stay before it.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#scalar = #dist.sharding<#mesh, []>
#whole = #dist.sharding<#mesh, [{}, {}]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
#max = #dist.sharding<#mesh, [{}, {}], max = {"tp"}>
#dp_sum = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>

// CHECK-LABEL: func.func @sum_of_sums(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<8x4xf32, #s_r_r_sum_tp>, %[[B:[a-z0-9]+]]:
// CHECK-NEXT:    %[[S:.*]] = tfm.add %[[A]], %[[B]] : {{.*}} -> tensor<8x4xf32, #s_r_r_sum_tp>
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %[[S]] : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    return %[[Y]]
func.func @sum_of_sums(%a: tensor<8x4xf32, #sum>, %b: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %a : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %b : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %2 = tfm.add %0, %1 : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  return %2 : tensor<8x4xf32, #whole>
}

// Scatters likewise, in the phase and stage in which they were, and one after the other.
// CHECK-LABEL: func.func @three_scatters(
// CHECK-NEXT:    tfm.accumulate {{.*}} {phase = #dist.phase<backward>, piece = 1 : i64}
// CHECK-NEXT:    %[[S:.*]] = tfm.accumulate {{.*}} -> tensor<8x4xf32, #s_r_r_sum_tp>
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %[[S]] {phase = #dist.phase<backward>, piece = 1 : i64} : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    return %[[Y]]
func.func @three_scatters(%a: tensor<8x4xf32, #sum>, %b: tensor<8x4xf32, #sum>, %c: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %a {phase = #dist.phase<backward>, piece = 1} : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %1 = dist.reshard %b {phase = #dist.phase<backward>, piece = 1} : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %2 = dist.reshard %c {phase = #dist.phase<backward>, piece = 1} : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  %3 = tfm.accumulate %0, %1 {phase = #dist.phase<backward>, piece = 1} : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  %4 = tfm.accumulate %3, %2 {phase = #dist.phase<backward>, piece = 1} : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %4 : tensor<8x4xf32, #rows>
}

// A scaled sum that ends up split is scattered; the factor is as it was.
// CHECK-LABEL: func.func @scaled(
// CHECK-NEXT:    %[[S:.*]] = tfm.scale {{.*}} -> tensor<8x4xf32, #s_r_r_sum_tp>
// CHECK-NEXT:    %[[Y:.*]] = dist.reshard %[[S]] : tensor<8x4xf32, #s_r_r_sum_tp> -> tensor<8x4xf32, #s_r_tp>
// CHECK-NEXT:    return %[[Y]]
func.func @scaled(%x: tensor<8x4xf32, #sum>, %f: tensor<f32, #scalar>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = tfm.scale %0, %f : (tensor<8x4xf32, #whole>, tensor<f32, #scalar>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #columns>
  return %2 : tensor<8x4xf32, #columns>
}

// The reduced value is wanted by itself.
// CHECK-LABEL: func.func @sum_is_used(
// CHECK-COUNT-2: dist.reshard
// CHECK-NEXT:    tfm.add
func.func @sum_is_used(%a: tensor<8x4xf32, #sum>, %b: tensor<8x4xf32, #sum>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %a : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %b : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %2 = tfm.add %0, %1 : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  return %0, %2 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>
}

// Sums over different axes are not jointly partial (C4).
// CHECK-LABEL: func.func @over_different_axes(
// CHECK-COUNT-2: dist.reshard
// CHECK-NEXT:    tfm.add
func.func @over_different_axes(%a: tensor<8x4xf32, #sum>, %b: tensor<8x4xf32, #dp_sum>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %a : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %b : tensor<8x4xf32, #dp_sum> -> tensor<8x4xf32, #whole>
  %2 = tfm.add %0, %1 : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  return %2 : tensor<8x4xf32, #whole>
}

// One addend alone may not be partial, even where the result is split at once.
// CHECK-LABEL: func.func @sum_with_a_whole(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.add
// CHECK-NEXT:    dist.reshard
func.func @sum_with_a_whole(%a: tensor<8x4xf32, #sum>, %b: tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %a : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = tfm.add %0, %b : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @sum_of_maxima(
// CHECK-COUNT-2: dist.reshard
// CHECK-NEXT:    tfm.add
func.func @sum_of_maxima(%a: tensor<8x4xf32, #max>, %b: tensor<8x4xf32, #max>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %a : tensor<8x4xf32, #max> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %b : tensor<8x4xf32, #max> -> tensor<8x4xf32, #whole>
  %2 = tfm.add %0, %1 : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  return %2 : tensor<8x4xf32, #whole>
}

// relu is not linear: the sum comes first.
// CHECK-LABEL: func.func @relu_of_a_sum(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.relu
// CHECK-NEXT:    dist.reshard
func.func @relu_of_a_sum(%x: tensor<8x4xf32, #sum>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #whole>
  %1 = tfm.relu %0 : (tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}

// What is gathered, and then split again, is not gathered; the rest is cut.
// CHECK-LABEL: func.func @gather_and_back(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x4xf32, #s_tp_r>, %[[Y:[a-z0-9]+]]: tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    %[[CUT:.*]] = dist.reshard %[[Y]] : tensor<8x4xf32, #s_r_r> -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    %[[Z:.*]] = tfm.add %[[X]], %[[CUT]] : {{.*}} -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    return %[[Z]]
func.func @gather_and_back(%x: tensor<8x4xf32, #rows>, %y: tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.add %0, %y : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @sum_of_gathers(
// CHECK-NEXT:    %[[Z:.*]] = tfm.add {{.*}} -> tensor<8x4xf32, #s_tp_r>
// CHECK-NEXT:    dist.reshard %[[Z]]
func.func @sum_of_gathers(%x: tensor<8x4xf32, #rows>, %y: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = dist.reshard %y : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %2 = tfm.add %0, %1 : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  return %2 : tensor<8x4xf32, #whole>
}

// CHECK-LABEL: func.func @result_is_used_whole(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.relu
// CHECK-NEXT:    tfm.relu
// CHECK-NEXT:    dist.reshard
func.func @result_is_used_whole(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>) {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.relu %0 : (tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = tfm.relu %1 : (tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %3 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2, %3 : tensor<8x4xf32, #whole>, tensor<8x4xf32, #rows>
}

// The other operand would have to be moved for it.
// CHECK-LABEL: func.func @other_is_split_otherwise(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.add
// CHECK-NEXT:    dist.reshard
func.func @other_is_split_otherwise(%x: tensor<8x4xf32, #rows>, %y: tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #columns>
  %1 = tfm.add %0, %y : (tensor<8x4xf32, #columns>, tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  %2 = dist.reshard %1 : tensor<8x4xf32, #columns> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}

// Split so that each rank computes a part: a gather less would be paid with work.
// CHECK-LABEL: func.func @splits_the_work(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.gelu
// CHECK-NEXT:    dist.reshard
func.func @splits_the_work(%x: tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole> {
  %0 = dist.reshard %x : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  %1 = tfm.gelu %0 {form = #tfm.gelu_form<tanh>} : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  %2 = dist.reshard %1 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  return %2 : tensor<8x4xf32, #whole>
}

// The gathered value is of the forward phase, the op of backward.
// CHECK-LABEL: func.func @in_another_phase(
// CHECK-COUNT-2: dist.reshard
func.func @in_another_phase(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.relu %0 {phase = #dist.phase<backward>} : (tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 {phase = #dist.phase<backward>} : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @back_in_another_phase(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.relu
// CHECK-NEXT:    dist.reshard
func.func @back_in_another_phase(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.relu %0 : (tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 {phase = #dist.phase<backward>} : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2 : tensor<8x4xf32, #rows>
}
