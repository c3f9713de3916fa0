// RUN: mpc-opt %s -mpc-lowering -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: mpc-opt %s -mpc-lowering | FileCheck %s
// RUN: mpc-opt %s -mpc-lowering | mpc-opt -mpc-verify-exec | FileCheck %s

// PASSES:      mpc-split-accumulations,
// PASSES-NEXT: mpc-specialize-microbatches,
// PASSES-NEXT: mpc-start-gathers,
// PASSES-NEXT: mpc-start-reductions,
// PASSES-NEXT: mpc-hoist-dropout-keys,
// PASSES-NEXT: mpc-form-kernels,
// PASSES-NEXT: mpc-compile-kernels{cpu=baseline},
// PASSES-NEXT: mpc-assign-memory,
// PASSES-NEXT: mpc-verify-exec
// PASSES-NEXT: )

#mesh = #dist.mesh<[]>
#r0 = #dist.sharding<#mesh, []>
#r2 = #dist.sharding<#mesh, [{}, {}]>

module {
// The object travels with the module, as text too.
// CHECK: exec.target cpu "x86_64-{{.*}}" features [{{.*}}"avx2"{{.*}}] object dense_resource<kernels>
// CHECK: exec.kernel @kernel_0 "count_valid" extent 1
// CHECK: exec.kernel @kernel_2 "scale" extent
// CHECK-LABEL: exec.list @prologue
// CHECK-LABEL: exec.list @forward_backward
// CHECK-LABEL: exec.list @update
// CHECK: exec.launch @kernel_2 (<persistent + [[W:[0-9]+]], 4x4xf32>, {{.*}}) -> (<persistent + [[W]], 4x4xf32>)
func.func @prologue(
    %labels: tensor<1x2xi32> {dist.global = tensor<1x2xi32, #r2>, tfm.binding = #tfm.binding<batch "step.labels">})
    -> (tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<carry "inverse_count">}) {
  %0 = tfm.count_valid %labels : (tensor<1x2xi32>) -> tensor<f32>
  %1 = tfm.reciprocal %0 : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func @forward_backward() {
  return
}
func.func @update(
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<master "w">},
    %scale: tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<carry "inverse_count">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<master "w">}) {
  %0 = tfm.scale %w, %scale : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
}

// CHECK: dialect_resources
// CHECK: kernels:
