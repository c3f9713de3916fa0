// RUN: mpc-opt %s --mpc-partitioning | FileCheck %s

// What communication each change of sharding takes, and its types are local.
#mesh = #dist.mesh<["dp"=2, "tp"=4]>

// sum → replicated.
// CHECK-LABEL: func.func @all_reduce(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[X]] over <{"tp"}> of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_reduce(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// Two axes are one group.
// CHECK-LABEL: func.func @all_reduce_of_two_axes(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[X]] over <{"dp", "tp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_reduce_of_two_axes(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// The other axis stays partial.
// CHECK-LABEL: func.func @all_reduce_of_one_of_two_axes(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[X]] over <{"tp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_reduce_of_one_of_two_axes(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>>
}

// CHECK-LABEL: func.func @all_reduce_of_a_maximum(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[X]] over <{"tp"}> of {{.*}} {reduction = #dist<reduction max>}
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_reduce_of_a_maximum(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], max = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], max = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// sum → split.
// CHECK-LABEL: func.func @reduce_scatter(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.reduce_scatter %[[X]] along 0 over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<2x4xf32>
func.func @reduce_scatter(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
}

// A dimension that dp splits already is split further.
// CHECK-LABEL: func.func @reduce_scatter_within_a_piece(
// CHECK-SAME:    %[[X:.*]]: tensor<4x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.reduce_scatter %[[X]] along 0 over <{"tp"}> of {{.*}} : tensor<4x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<1x4xf32>
func.func @reduce_scatter_within_a_piece(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}], sum = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}], sum = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
}

// One axis is scattered, the other not: the smaller piece is all-reduced.
// CHECK-LABEL: func.func @reduce_scatter_and_all_reduce(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[S:.*]] = dist.reduce_scatter %[[X]] along 0 over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[S]] over <{"dp"}> of {{.*}} : tensor<2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<2x4xf32>
func.func @reduce_scatter_and_all_reduce(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
}

// A maximum is reduced, then cut.
// CHECK-LABEL: func.func @maximum_to_split(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[M:.*]] = dist.all_reduce %[[X]] over <{"tp"}> of {{.*}} {reduction = #dist<reduction max>}
// CHECK-NEXT:    %[[R:.*]] = dist.shard %[[M]] along 0 over <{"tp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<2x4xf32>
func.func @maximum_to_split(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], max = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], max = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
}

// split → replicated.
// CHECK-LABEL: func.func @all_gather(
// CHECK-SAME:    %[[X:.*]]: tensor<8x1xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_gather %[[X]] along 1 over <{"tp"}> of {{.*}} : tensor<8x1xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_gather(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// CHECK-LABEL: func.func @all_gather_of_two_axes(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_gather %[[X]] along 0 over <{"dp", "tp"}> of {{.*}} : tensor<1x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @all_gather_of_two_axes(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// CHECK-LABEL: func.func @all_gather_of_the_minor_axis(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_gather %[[X]] along 0 over <{"tp"}> of {{.*}} : tensor<1x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<4x4xf32>
func.func @all_gather_of_the_minor_axis(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>
}

// Pieces of tp alone do not lie in a row: all is gathered, then cut.
// CHECK-LABEL: func.func @all_gather_of_the_major_axis(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4xf32> {dist.global
// CHECK-NEXT:    %[[G:.*]] = dist.all_gather %[[X]] along 0 over <{"dp", "tp"}> of
// CHECK-NEXT:    %[[R:.*]] = dist.shard %[[G]] along 0 over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<2x4xf32>
func.func @all_gather_of_the_major_axis(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
}

// CHECK-LABEL: func.func @other_order_of_axes(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4xf32> {dist.global
// CHECK-NEXT:    %[[G:.*]] = dist.all_gather %[[X]] along 0 over <{"dp", "tp"}> of
// CHECK-NEXT:    %[[R:.*]] = dist.shard %[[G]] along 0 over <{"tp", "dp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<1x4xf32>
func.func @other_order_of_axes(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp", "dp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"tp", "dp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp", "dp"}, {}]>>
}

// split dim 0 → split dim 1.
// CHECK-LABEL: func.func @all_to_all(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_to_all %[[X]] from 1 to 0 over <{"tp"}> of {{.*}} : tensor<2x4xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x1xf32>
func.func @all_to_all(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>
}

// dp stays where it is.
// CHECK-LABEL: func.func @all_to_all_beside_a_split(
// CHECK-SAME:    %[[X:.*]]: tensor<4x1xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.all_to_all %[[X]] from 0 to 1 over <{"tp"}> of {{.*}} : tensor<4x1xf32> -> tensor<1x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<1x4xf32>
func.func @all_to_all_beside_a_split(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {"tp"}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {"tp"}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp", "tp"}, {}]>>
}

// replicated → split: local.
// CHECK-LABEL: func.func @shard(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.shard %[[X]] along 1 over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x1xf32>
func.func @shard(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {"tp"}]>>
}

// replicated → sum: local.
// CHECK-LABEL: func.func @keep_on_first(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[R:.*]] = dist.keep_on_first %[[X]] over <{"tp"}> of {{.*}} : tensor<8x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @keep_on_first(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
}

// Gathered, then kept by the first rank.
// CHECK-LABEL: func.func @split_to_sum(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf32> {dist.global
// CHECK-NEXT:    %[[G:.*]] = dist.all_gather %[[X]] along 0 over <{"tp"}> of
// CHECK-NEXT:    %[[R:.*]] = dist.keep_on_first %[[G]] over <{"tp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @split_to_sum(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
}

// CHECK-LABEL: func.func @sum_to_other_sum(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32> {dist.global
// CHECK-NEXT:    %[[S:.*]] = dist.all_reduce %[[X]] over <{"tp"}> of
// CHECK-NEXT:    %[[R:.*]] = dist.keep_on_first %[[S]] over <{"dp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @sum_to_other_sum(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>>
}

// The gather comes first, of less than the sum.
// CHECK-LABEL: func.func @sum_and_split_to_whole(
// CHECK-SAME:    %[[X:.*]]: tensor<4x4xf32> {dist.global
// CHECK-NEXT:    %[[G:.*]] = dist.all_gather %[[X]] along 0 over <{"dp"}> of
// CHECK-NEXT:    %[[R:.*]] = dist.all_reduce %[[G]] over <{"tp"}> of
// CHECK-NEXT:    return %[[R]] : tensor<8x4xf32>
func.func @sum_and_split_to_whole(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}], sum = {"tp"}>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}], sum = {"tp"}>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{}, {}]>>
}

// CHECK-LABEL: func.func @nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<4x4xf32> {dist.global
// CHECK-NEXT:    return %[[X]] : tensor<4x4xf32>
func.func @nothing(%x: tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>)
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>> {
  %0 = dist.reshard %x : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>
    -> tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>
  return %0 : tensor<8x4xf32, #dist.sharding<#mesh, [{"dp"}, {}]>>
}
