// RUN: mpc-opt %s -mpc-assign-memory | FileCheck %s
//
// A step of one product with a bias on one rank, two microbatches. Kernels are said
// to be compiled.

#mesh = #dist.mesh<[]>
#r0 = #dist.sharding<#mesh, []>
#r1 = #dist.sharding<#mesh, [{}]>
#r2 = #dist.sharding<#mesh, [{}, {}]>
#r3 = #dist.sharding<#mesh, [{}, {}, {}]>

module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
    sequence_parallel = false, zero = 0, strict = false, reference = false>} {

// CHECK: exec.kernel @count "count_valid" extent 1
// CHECK: exec.kernel @forward "add relu" extent 8
// CHECK: exec.role stage 0 mesh #mesh persistent 512 slot 64 x 1 transient 128 {

// The compute copy is the master: it is no state of its own.
// CHECK-NEXT: exec.state master "w" : tensor<4x4xf32{{.*}}> logical [3, 4] at <persistent + 0, 4x4xf32> initially <normal 2.000000e-02 of "w">
// CHECK-NEXT: exec.state batch "step.labels" {{.*}} at <persistent + 64, 2x1x2xi32> loads labels
// CHECK-NEXT: exec.state metric "valid_tokens" {{.*}} at <persistent + 128, f32>
// CHECK-NEXT: exec.state accumulator "w" {{.*}} logical [3, 4] at <persistent + 192, 4x4xf32>
// CHECK-NEXT: exec.state accumulator "b" {{.*}} at <persistent + 256, 4xf32>
// CHECK-NEXT: exec.state batch "ids" {{.*}} at <slot + 0, 1x2xi32> loads ids
// CHECK-NEXT: exec.state constant "iota_0" {{.*}} at <persistent + 320, 4xi32> initially <iota>
// CHECK-NEXT: exec.state counter "step" {{.*}} at <persistent + 384, f32>
// CHECK-NEXT: exec.state metric "loss" {{.*}} at <persistent + 448, f32>

// CHECK-LABEL: exec.list @prologue phase prologue variant only {
// CHECK-NEXT: exec.launch @count (<persistent + 64, 2x1x2xi32>) -> (<persistent + 128, f32>)
// CHECK-NEXT: }
func.func @prologue(
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<master "w">,
      tfm.parameter = #tfm.parameter<"w", [vocabulary, hidden], [3, 4], normal = 0.02 : f64, decay = true>},
    %labels: tensor<2x1x2xi32> {dist.global = tensor<2x1x2xi32, #r3>, tfm.binding = #tfm.binding<batch "step.labels">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<compute "w">},
        tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<metric "valid_tokens">})
    attributes {exec.variant = #exec.variant<only>} {
  %0 = call @count(%labels) : (tensor<2x1x2xi32>) -> tensor<f32>
  return %w, %0 : tensor<4x4xf32>, tensor<f32>
}

// The gradients are computed where the accumulators lie. A kernel that may work in
// place does.
// CHECK-LABEL: exec.list @forward_backward phase forward_backward variant first {
// CHECK-NEXT: exec.launch @embed (<persistent + 0, 4x4xf32>, <slot + 0, 1x2xi32>, <persistent + 320, 4xi32>) -> (<transient + 0, 1x2x4xf32>)
// CHECK-NEXT: exec.gemm <transient + 0, 1x2x4xf32> * <persistent + 0, 4x4xf32> transposed -> <transient + 64, 1x2x4xf32> rows 2 columns 4 inner 4
// CHECK-NEXT: exec.launch @forward (<transient + 64, 1x2x4xf32>) -> (<transient + 64, 1x2x4xf32>)
// CHECK-NEXT: exec.gemm <transient + 64, 1x2x4xf32> transposed * <transient + 0, 1x2x4xf32> -> <persistent + 192, 4x4xf32> rows 4 columns 4 inner 2 from "h.0"
// CHECK-NEXT: exec.launch @bias_grad (<transient + 64, 1x2x4xf32>) -> (<persistent + 256, 4xf32>)
// CHECK-NEXT: }
func.func @forward_backward(
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<compute "w">},
    %dw: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
    %db: tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<accumulator "b">},
    %ids: tensor<1x2xi32> {dist.global = tensor<1x2xi32, #r2>, tfm.binding = #tfm.binding<batch "ids">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
        tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<accumulator "b">})
    attributes {exec.variant = #exec.variant<first>} {
  %rows = dist.iota of tensor<4xi32, #r1> : tensor<4xi32>
  %x = call @embed(%w, %ids, %rows) : (tensor<4x4xf32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  %y = tfm.linear %x, %w : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  %z = call @forward(%y) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %0 = tfm.linear_weight_grad %z, %x : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<4x4xf32> loc("h.0")
  %1 = call @bias_grad(%z) : (tensor<1x2x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}

// Later ones add: a product by itself, a kernel in place.
// CHECK-LABEL: exec.list @forward_backward_middle phase forward_backward variant middle {
// CHECK: exec.gemm <transient + 64, 1x2x4xf32> transposed * <transient + 0, 1x2x4xf32> -> accumulate <persistent + 192, 4x4xf32> rows 4 columns 4 inner 2
// CHECK-NEXT: exec.launch @bias_accumulate (<persistent + 256, 4xf32>, <transient + 64, 1x2x4xf32>) -> (<persistent + 256, 4xf32>)
// CHECK-NEXT: }
func.func @forward_backward_middle(
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<compute "w">},
    %dw: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
    %db: tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<accumulator "b">},
    %ids: tensor<1x2xi32> {dist.global = tensor<1x2xi32, #r2>, tfm.binding = #tfm.binding<batch "ids">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
        tensor<4xf32> {dist.global = tensor<4xf32, #r1>, tfm.binding = #tfm.binding<accumulator "b">})
    attributes {exec.variant = #exec.variant<middle>} {
  %rows = dist.iota of tensor<4xi32, #r1> : tensor<4xi32>
  %x = call @embed(%w, %ids, %rows) : (tensor<4x4xf32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  %y = tfm.linear %x, %w : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  %z = call @forward(%y) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %g = tfm.linear_weight_grad %z, %x : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<4x4xf32>
  %0 = tfm.accumulate %dw, %g : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = call @bias_accumulate(%db, %z) : (tensor<4xf32>, tensor<1x2x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}

// In place where the kernel allows it. Where it does not, beside and then copied.
// Accumulators are of no use afterwards: an intermediate takes their memory.
// CHECK-LABEL: exec.list @update phase update variant only {
// CHECK-NEXT: exec.launch @scale (<persistent + 192, 4x4xf32>) -> (<persistent + 192, 4x4xf32>)
// CHECK-NEXT: exec.launch @sgd (<persistent + 0, 4x4xf32>, <persistent + 192, 4x4xf32>) -> (<persistent + 0, 4x4xf32>)
// CHECK-NEXT: exec.launch @count_step (<persistent + 384, f32>) -> (<transient + 0, f32>)
// CHECK-NEXT: exec.copy <persistent + 128, f32> -> <persistent + 448, f32>
// CHECK-NEXT: exec.copy <transient + 0, f32> -> <persistent + 384, f32>
// CHECK-NEXT: }
func.func @update(
    %dw: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<accumulator "w">},
    %w: tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<master "w">},
    %step: tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<counter "step">},
    %valid: tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<metric "valid_tokens">})
    -> (tensor<4x4xf32> {dist.global = tensor<4x4xf32, #r2>, tfm.binding = #tfm.binding<master "w">},
        tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<counter "step">},
        tensor<f32> {dist.global = tensor<f32, #r0>, tfm.binding = #tfm.binding<metric "loss">})
    attributes {exec.variant = #exec.variant<only>} {
  %g = call @scale(%dw) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = call @sgd(%w, %g) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = call @count_step(%step) : (tensor<f32>) -> tensor<f32>
  return %0, %1, %valid : tensor<4x4xf32>, tensor<f32>, tensor<f32>
}

// CHECK: exec.run @prologue microbatch 0 slot 0
// CHECK-NEXT: exec.run @forward_backward microbatch 0 slot 0 load_batch
// CHECK-NEXT: exec.run @forward_backward_middle microbatch 1 slot 0 load_batch
// CHECK-NEXT: exec.run @update microbatch 0 slot 0
// CHECK-NEXT: exec.observe "grad:w" of accumulator "w" after 2
// CHECK-NEXT: exec.observe "grad:b" of accumulator "b" after 2
// CHECK-NEXT: exec.observe "valid_tokens" of metric "valid_tokens" after 3
// CHECK-NEXT: exec.observe "loss" of metric "loss" after 3
// CHECK-NOT: func

func.func private @count(%x: tensor<2x1x2xi32>) -> tensor<f32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tfm.count_valid %x : (tensor<2x1x2xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @embed(%w: tensor<4x4xf32>, %ids: tensor<1x2xi32>, %rows: tensor<4xi32>) -> tensor<1x2x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 2 in_place []>} {
  %0 = tfm.embedding %w, %ids, %rows : (tensor<4x4xf32>, tensor<1x2xi32>, tensor<4xi32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
func.func private @forward(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 8 in_place [0 to 0]>} {
  %0 = tfm.add %x, %x : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %1 = tfm.relu %0 : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %1 : tensor<1x2x4xf32>
}
func.func private @bias_grad(%x: tensor<1x2x4xf32>) -> tensor<4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tfm.bias_grad %x : (tensor<1x2x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @bias_accumulate(%a: tensor<4xf32>, %x: tensor<1x2x4xf32>) -> tensor<4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place [0 to 0]>} {
  %0 = tfm.bias_grad %x : (tensor<1x2x4xf32>) -> tensor<4xf32>
  %1 = tfm.accumulate %a, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @scale(%x: tensor<4x4xf32>) -> tensor<4x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place [0 to 0]>} {
  %0 = tfm.add %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @sgd(%w: tensor<4x4xf32>, %g: tensor<4x4xf32>) -> tensor<4x4xf32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place [0 to 0, 1 to 0]>} {
  %0 = tfm.add %w, %g : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @count_step(%x: tensor<f32>) -> tensor<f32>
    attributes {exec.compiled = #exec.compiled<extent 1 in_place []>} {
  %0 = tfm.sqrt %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
}
