// RUN: mpc-opt %s -mpc-assign-memory | FileCheck %s
//
// What ranks say to each other, as starts and waits.

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#r0 = #dist.sharding<#mesh, []>
#r1 = #dist.sharding<#mesh, [{}]>
#d1 = #dist.sharding<#mesh, [{"dp"}]>
#r2 = #dist.sharding<#mesh, [{}, {}]>
#b2 = #dist.sharding<#mesh, [{"dp"}, {}]>
#sum1 = #dist.sharding<#mesh, [{}], sum = {"dp"}>

module {
// The storage of the master is split, so the compute copy is gathered.
// CHECK: exec.state master "w" : tensor<4xf32, #s_dp> logical [4] at <persistent + 0, 2xf32>
// CHECK: exec.state compute "w" : tensor<4xf32, #s_r> logical [4] at <persistent + 64, 4xf32>
// CHECK: exec.state accumulator "w" : tensor<4xf32, #s_r_sum_dp> logical [4] at <persistent + 128, 4xf32>
// CHECK-LABEL: exec.list @prologue
// CHECK-NEXT: exec.start 0 all_gather over <{"dp"}> <persistent + 0, 2xf32> -> <persistent + 64, 4xf32>
// CHECK-NEXT: exec.wait 0
// CHECK-NEXT: }
func.func @prologue(
    %w: tensor<2xf32> {dist.global = tensor<4xf32, #d1>, tfm.binding = #tfm.binding<master "w">})
    -> (tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<compute "w">})
    attributes {exec.variant = #exec.variant<only>} {
  %0 = dist.all_gather %w along 0 over <{"dp"}> of #mesh : tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A reduction is in place where nothing else reads its operand, and under way while
// others compute.
// CHECK-LABEL: exec.list @forward_backward
// CHECK-NEXT: exec.launch @relu ({{.*}}) -> (<transient + [[A:[0-9]+]], 1x2x4xf32>) from "h.0"
// CHECK-NEXT: exec.start 0 all_reduce reducing sum over <{"tp"}> <transient + [[A]], 1x2x4xf32> -> <transient + [[A]], 1x2x4xf32> from "h.0.mlp"
// CHECK-NEXT: exec.launch @relu ({{.*}}) -> (<transient + [[B:[0-9]+]], 1x2x4xf32>)
// CHECK-NEXT: exec.wait 0 from "h.0.mlp"
// CHECK-NEXT: exec.launch @add (<transient + [[A]], 1x2x4xf32>, <transient + [[B]], 1x2x4xf32>) -> (<transient + [[C:[0-9]+]], 1x2x4xf32>)
// What is read again is not reduced in place.
// CHECK-NEXT: exec.start 1 all_reduce reducing max over <{"tp"}> <transient + [[C]], 1x2x4xf32> -> <transient + [[D:[0-9]+]], 1x2x4xf32>
// CHECK-NEXT: exec.wait 1
// CHECK-NEXT: exec.launch @add (<transient + [[C]], 1x2x4xf32>, <transient + [[D]], 1x2x4xf32>) -> (<transient + [[E:[0-9]+]], 1x2x4xf32>)
// CHECK-NEXT: exec.start 2 reduce_scatter reducing sum over <{"tp"}> <transient + [[E]], 1x2x4xf32> along 1 -> <transient + [[F:[0-9]+]], 1x1x4xf32>
// CHECK-NEXT: exec.wait 2
// CHECK-NEXT: exec.start 3 all_to_all over <{"tp"}> <transient + [[F]], 1x1x4xf32> along 2 -> <transient + [[G:[0-9]+]], 1x2x2xf32> along 1
// CHECK-NEXT: exec.wait 3
// CHECK-NEXT: exec.start 4 all_gather over <{"tp"}> <transient + [[G]], 1x2x2xf32> -> <transient + [[H:[0-9]+]], 1x2x4xf32> along 2
// CHECK-NEXT: exec.wait 4
// CHECK-NEXT: exec.launch @sum (<transient + [[H]], 1x2x4xf32>) -> (<persistent + 128, 4xf32>)
// CHECK-NEXT: }
func.func @forward_backward(
    %w: tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<compute "w">},
    %dw: tensor<4xf32> {dist.global = tensor<4xf32, #sum1>, tfm.binding = #tfm.binding<accumulator "w">},
    %ids: tensor<1x2xi32> {dist.global = tensor<2x2xi32, #b2>, tfm.binding = #tfm.binding<batch "ids">})
    -> (tensor<4xf32> {dist.global = tensor<4xf32, #sum1>, tfm.binding = #tfm.binding<accumulator "w">})
    attributes {exec.variant = #exec.variant<only>} {
  %a = call @relu(%ids, %w) : (tensor<1x2xi32>, tensor<4xf32>) -> tensor<1x2x4xf32> loc("h.0")
  %0 = dist.all_reduce %a over <{"tp"}> of #mesh : tensor<1x2x4xf32> -> tensor<1x2x4xf32> loc("h.0.mlp")
  %b = call @relu(%ids, %w) : (tensor<1x2xi32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %c = call @add(%0, %b) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %d = dist.all_reduce %c over <{"tp"}> of #mesh {reduction = #dist<reduction max>} : tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  %e = call @add(%c, %d) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %f = dist.reduce_scatter %e along 1 over <{"tp"}> of #mesh : tensor<1x2x4xf32> -> tensor<1x1x4xf32>
  %g = dist.all_to_all %f from 2 to 1 over <{"tp"}> of #mesh : tensor<1x1x4xf32> -> tensor<1x2x2xf32>
  %h = dist.all_gather %g along 2 over <{"tp"}> of #mesh : tensor<1x2x2xf32> -> tensor<1x2x4xf32>
  %1 = call @sum(%h) : (tensor<1x2x4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Accumulators are reduced where they lie. A norm is joined from replicated and
// partial parts.
// CHECK-LABEL: exec.list @update
// CHECK-NEXT: exec.start 0 all_reduce reducing sum over <{"dp"}> <persistent + 128, 4xf32> -> <persistent + 128, 4xf32>
// CHECK-NEXT: exec.wait 0
// CHECK-NEXT: exec.shard <persistent + 128, 4xf32> along 0 over <{"dp"}> -> <transient + [[G:[0-9]+]], 2xf32>
// CHECK-NEXT: exec.launch @sgd (<persistent + 0, 2xf32>, <transient + [[G]], 2xf32>) -> (<persistent + 0, 2xf32>)
// CHECK-NEXT: exec.keep_on_first <persistent + {{[0-9]+}}, f32> over <{"dp", "tp"}> -> <persistent + {{[0-9]+}}, f32>
// CHECK-NEXT: }
func.func @update(
    %dw: tensor<4xf32> {dist.global = tensor<4xf32, #sum1>, tfm.binding = #tfm.binding<accumulator "w">},
    %w: tensor<2xf32> {dist.global = tensor<4xf32, #d1>, tfm.binding = #tfm.binding<master "w">},
    %a: tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<carry "a">})
    -> (tensor<2xf32> {dist.global = tensor<4xf32, #d1>, tfm.binding = #tfm.binding<master "w">},
        tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<metric "loss">})
    attributes {exec.variant = #exec.variant<only>} {
  %0 = dist.all_reduce %dw over <{"dp"}> of #mesh : tensor<4xf32> -> tensor<4xf32>
  %1 = dist.shard %0 along 0 over <{"dp"}> of #mesh : tensor<4xf32> -> tensor<2xf32>
  %2 = call @sgd(%w, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = dist.keep_on_first %a over <{"dp", "tp"}> of #mesh : tensor<f32> -> tensor<f32>
  return %2, %3 : tensor<2xf32>, tensor<f32>
}

func.func private @relu(%ids: tensor<1x2xi32>, %w: tensor<4xf32>) -> tensor<1x2x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tensor.empty() : tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
func.func private @add(%a: tensor<1x2x4xf32>, %b: tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tfm.add %a, %b : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
func.func private @sum(%x: tensor<1x2x4xf32>) -> tensor<4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tfm.bias_grad %x : (tensor<1x2x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sgd(%w: tensor<2xf32>, %g: tensor<2xf32>) -> tensor<2xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place [0 to 0, 1 to 0]>} {
  %0 = tfm.add %w, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
