// RUN: mpc-opt %s --mpc-optimize-reshards --mpc-verify-shardings | FileCheck %s

// Reshards and ops whose operands are partial or split in different ways.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#scalar_sum = #dist.sharding<#mesh, [], sum = {"dp"}>
#row = #dist.sharding<#mesh, [{"tp"}]>
#one = #dist.sharding<#mesh, [{}]>
#whole = #dist.sharding<#mesh, [{}, {}]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#dp_rows = #dist.sharding<#mesh, [{"dp"}, {}]>
#scalar = #dist.sharding<#mesh, []>
#cube = #dist.sharding<#mesh, [{}, {}, {}]>
#features = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
#dp_sum = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#both_sum = #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>
#rows_dp_sum = #dist.sharding<#mesh, [{"tp"}, {}], sum = {"dp"}>

// The cotangent's reduction over dp is deferred, with the other over tp; that of x
// cannot be.
// CHECK-LABEL: func.func @each_as_it_may(
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<8x4xf32, #s_r_r_sum_dp_tp>, %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %[[X]] : {{.*}} -> tensor<8x4xf32, #s_r_r>
// CHECK-NEXT:    %[[Y:.*]] = tfm.gelu_grad %[[G]], %[[WHOLE]] {{.*}} -> tensor<8x4xf32, #s_r_r_sum_dp_tp>
// CHECK-NEXT:    dist.reshard %[[Y]] : {{.*}} -> tensor<8x4xf32, #s_tp_r>
func.func @each_as_it_may(%g: tensor<8x4xf32, #both_sum>, %x: tensor<8x4xf32, #both_sum>) -> tensor<8x4xf32, #rows> {
  %0 = dist.reshard %g : tensor<8x4xf32, #both_sum> -> tensor<8x4xf32, #sum>
  %1 = dist.reshard %x : tensor<8x4xf32, #both_sum> -> tensor<8x4xf32, #whole>
  %2 = tfm.gelu_grad %0, %1 {form = #tfm.gelu_form<tanh>} : (tensor<8x4xf32, #sum>, tensor<8x4xf32, #whole>) -> tensor<8x4xf32, #sum>
  %3 = dist.reshard %2 : tensor<8x4xf32, #sum> -> tensor<8x4xf32, #rows>
  return %3 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @factor_stays_partial(
// CHECK-NEXT:    %[[Y:.*]] = tfm.scale {{.*}} -> tensor<8x4xf32, #s_tp_r_sum_dp>
// CHECK-NEXT:    return %[[Y]]
func.func @factor_stays_partial(%x: tensor<8x4xf32, #rows>, %f: tensor<f32, #scalar_sum>) -> tensor<8x4xf32, #rows_dp_sum> {
  %0 = dist.reshard %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.scale %0, %f : (tensor<8x4xf32, #whole>, tensor<f32, #scalar_sum>) -> tensor<8x4xf32, #dp_sum>
  %2 = dist.reshard %1 : tensor<8x4xf32, #dp_sum> -> tensor<8x4xf32, #rows_dp_sum>
  return %2 : tensor<8x4xf32, #rows_dp_sum>
}

// x may not be split over the axis over which the factor is partial (C4).
// CHECK-LABEL: func.func @axis_is_taken(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.scale
// CHECK-NEXT:    dist.reshard
func.func @axis_is_taken(%x: tensor<8x4xf32, #dp_rows>, %f: tensor<f32, #scalar_sum>) -> tensor<8x4xf32, #dp_rows> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dp_rows> -> tensor<8x4xf32, #whole>
  %1 = tfm.scale %0, %f : (tensor<8x4xf32, #whole>, tensor<f32, #scalar_sum>) -> tensor<8x4xf32, #dp_sum>
  %2 = dist.reshard %1 : tensor<8x4xf32, #dp_sum> -> tensor<8x4xf32, #dp_rows>
  return %2 : tensor<8x4xf32, #dp_rows>
}

// A bias does not say how the rows are split: it is gathered.
// CHECK-LABEL: func.func @operand_lacks_a_dimension(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.bias_add
// CHECK-NEXT:    dist.reshard
func.func @operand_lacks_a_dimension(%x: tensor<8x4xf32, #whole>, %b: tensor<4xf32, #row>) -> tensor<8x4xf32, #columns> {
  %0 = dist.reshard %b : tensor<4xf32, #row> -> tensor<4xf32, #one>
  %1 = tfm.bias_add %x, %0 : (tensor<8x4xf32, #whole>, tensor<4xf32, #one>) -> tensor<8x4xf32, #whole>
  %2 = dist.reshard %1 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #columns>
  return %2 : tensor<8x4xf32, #columns>
}

// The op needs whole rows (C3).
// CHECK-LABEL: func.func @needs_whole_rows(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.layer_norm_input_grad
// CHECK-NEXT:    dist.reshard
func.func @needs_whole_rows(%g: tensor<2x4x8xf32, #features>, %x: tensor<2x4x8xf32, #cube>, %w: tensor<8xf32, #one>,
    %mean: tensor<2x4xf32, #whole>, %rstd: tensor<2x4xf32, #whole>) -> tensor<2x4x8xf32, #features> {
  %0 = dist.reshard %g : tensor<2x4x8xf32, #features> -> tensor<2x4x8xf32, #cube>
  %1 = tfm.layer_norm_input_grad %0, %x, %w, %mean, %rstd : (tensor<2x4x8xf32, #cube>, tensor<2x4x8xf32, #cube>, tensor<8xf32, #one>, tensor<2x4xf32, #whole>, tensor<2x4xf32, #whole>) -> tensor<2x4x8xf32, #cube>
  %2 = dist.reshard %1 : tensor<2x4x8xf32, #cube> -> tensor<2x4x8xf32, #features>
  return %2 : tensor<2x4x8xf32, #features>
}

// Of several results each would need a reshard.
// CHECK-LABEL: func.func @several_results(
// CHECK-NEXT:    dist.reshard
// CHECK-NEXT:    tfm.adamw
// CHECK-NEXT:    dist.reshard
func.func @several_results(%p: tensor<8x4xf32, #whole>, %g: tensor<8x4xf32, #rows>, %s: tensor<f32, #scalar>)
    -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #whole>) {
  %0 = dist.reshard %g : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #whole>
  %1:3 = tfm.adamw %p, %p, %p, %0, %s, %s, %s, %s, %s {beta1 = 0.9 : f32, beta2 = 0.95 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.1 : f32} : (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>, tensor<f32, #scalar>, tensor<f32, #scalar>, tensor<f32, #scalar>, tensor<f32, #scalar>, tensor<f32, #scalar>) -> (tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>, tensor<8x4xf32, #whole>)
  %2 = dist.reshard %1#0 : tensor<8x4xf32, #whole> -> tensor<8x4xf32, #rows>
  return %2, %1#1 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #whole>
}
