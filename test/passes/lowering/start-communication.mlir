// RUN: mpc-opt %s --mpc-specialize-microbatches --mpc-start-gathers --mpc-start-reductions --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-lowering --split-input-file | FileCheck %s --check-prefix=LISTS

#mesh = #dist.mesh<["dp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
#split = #dist.sharding<#mesh, [{"dp"}]>
#sum = #dist.sharding<#mesh, [{}], sum = {"dp"}>

// The parameter is stored in two pieces. The first microbatch takes a piece and
// gathers it; later ones read what it has left. The last one scatters what it has
// summed, so that the update has its part.
// CHECK-LABEL: func.func @prologue(
// CHECK-NOT:     dist.all_gather
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME:    %[[W:arg[0-9]+]]: tensor<4xf32> {dist.global = tensor<8xf32, #s_dp>, tfm.binding = #tfm.binding<master "w">}
// CHECK-SAME:    -> (tensor<8xf32> {{{.*}}accumulator "w">}, tensor<8xf32> {{{.*}}compute "w">})
// CHECK-NEXT:    %[[ALL:.*]] = dist.all_gather %[[W]]
// CHECK:         return %{{.*}}, %[[ALL]]
// CHECK-LABEL: func.func @forward_backward_middle(
// CHECK-SAME:    #tfm.binding<compute "w">
// CHECK-NOT:     dist.{{all|reduce}}
// CHECK:         return
// CHECK-LABEL: func.func @forward_backward_last(
// CHECK-SAME:    -> (tensor<4xf32> {dist.global = tensor<8xf32, #s_dp>, tfm.binding = #tfm.binding<gradient "w">})
// CHECK-SAME:    exec.variant = #exec.variant<last>
// CHECK:         %[[SUM:.*]] = tfm.accumulate
// CHECK-NEXT:    %[[PART:.*]] = dist.reduce_scatter %[[SUM]]
// CHECK-NEXT:    return %[[PART]]
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    tensor<4xf32> {dist.global = tensor<8xf32, #s_dp>, tfm.binding = #tfm.binding<gradient "w">}
// CHECK-NOT:     dist.reduce_scatter

// What is under way is waited for when it is needed: the gather by the only kernel.
// LISTS-LABEL: exec.list @forward_backward phase
// LISTS-NEXT:    exec.start 0 all_gather
// LISTS-NEXT:    exec.wait 0
// LISTS-NEXT:    exec.launch
// LISTS-LABEL: exec.list @forward_backward_last
// LISTS:         exec.launch
// LISTS-NEXT:    exec.start 0 reduce_scatter
// LISTS-NEXT:    exec.wait 0
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 3,
    sequence_parallel = false, zero = 1, strict = false, reference = false>} {
func.func @prologue(
    %w: tensor<4xf32> {dist.global = tensor<8xf32, #split>, tfm.binding = #tfm.binding<master "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<compute "w">}) {
  %0 = dist.all_gather %w along 0 over <{"dp"}> of #mesh : tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @forward_backward(
    %w: tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<compute "w">},
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">}) {
  %0 = tfm.silu %w : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tfm.accumulate %sum, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @update(
    %w: tensor<4xf32> {dist.global = tensor<8xf32, #split>, tfm.binding = #tfm.binding<master "w">},
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<4xf32> {dist.global = tensor<8xf32, #split>, tfm.binding = #tfm.binding<master "w">}) {
  %0 = dist.reduce_scatter %sum along 0 over <{"dp"}> of #mesh : tensor<8xf32> -> tensor<4xf32>
  %1 = tfm.add %w, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
}

// -----

#mesh = #dist.mesh<["dp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
#split = #dist.sharding<#mesh, [{"dp"}]>
#sum = #dist.sharding<#mesh, [{}], sum = {"dp"}>

// One microbatch is the first and the last. In another precision the prologue keeps
// the pieces that are gathered; an all-reduce takes place where the sum lies.
// CHECK-LABEL: func.func @prologue(
// CHECK:         %[[PIECE:.*]] = tfm.cast
// CHECK-NEXT:    return %[[PIECE]]
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME:    tensor<4xbf16> {dist.global = tensor<8xbf16, #s_dp>, tfm.binding = #tfm.binding<carry "piece of w">}
// CHECK:         dist.all_gather
// CHECK:         dist.all_reduce
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 1,
    sequence_parallel = false, zero = 1, strict = false, reference = false>} {
func.func @prologue(
    %w: tensor<4xf32> {dist.global = tensor<8xf32, #split>, tfm.binding = #tfm.binding<master "w">})
    -> (tensor<8xbf16> {dist.global = tensor<8xbf16, #whole>, tfm.binding = #tfm.binding<compute "w">}) {
  %0 = tfm.cast %w : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = dist.all_gather %0 along 0 over <{"dp"}> of #mesh : tensor<4xbf16> -> tensor<8xbf16>
  return %1 : tensor<8xbf16>
}
func.func @forward_backward(
    %w: tensor<8xbf16> {dist.global = tensor<8xbf16, #whole>, tfm.binding = #tfm.binding<compute "w">},
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">}) {
  %0 = tfm.silu %w : (tensor<8xbf16>) -> tensor<8xbf16>
  %1 = tfm.cast %0 : (tensor<8xbf16>) -> tensor<8xf32>
  %2 = tfm.accumulate %sum, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func @update(
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<carry "sum">}) {
  %0 = dist.all_reduce %sum over <{"dp"}> of #mesh : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
}

// -----

#mesh = #dist.mesh<["dp"=2]>
#whole = #dist.sharding<#mesh, [{}]>
#sum = #dist.sharding<#mesh, [{}], sum = {"dp"}>

// A sum that something else reads as well is reduced where it was.
// CHECK-LABEL: func.func @forward_backward(
// CHECK-NOT:     dist.all_reduce
// CHECK-LABEL: func.func @update(
// CHECK:         dist.all_reduce
module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 1,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {
func.func @prologue() {
  return
}
func.func @forward_backward(
    %x: tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<compute "w">},
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">}) {
  %1 = tfm.accumulate %sum, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @update(
    %sum: tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<8xf32> {dist.global = tensor<8xf32, #sum>, tfm.binding = #tfm.binding<carry "sum">}) {
  %0 = dist.all_reduce %sum over <{"dp"}> of #mesh : tensor<8xf32> -> tensor<8xf32>
  %1 = tfm.add %0, %sum : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
}
