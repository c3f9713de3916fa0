// RUN: mpc-opt %s | FileCheck %s
// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --emit-bytecode | mpc-opt | FileCheck %s

// Every op of the dialect, and what is written of its attributes.

// CHECK-LABEL: @embedding(
func.func @embedding(%a0: tensor<12x6xf32>, %a1: tensor<6x6xi32>, %a2: tensor<12xi32>) {
  // CHECK-NEXT: tfm.embedding %{{.*}}, %{{.*}}, %{{.*}} : (tensor<12x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6x6xf32>
  %r = tfm.embedding %a0, %a1, %a2 : (tensor<12x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @embedding_grad(
func.func @embedding_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6xi32>, %a2: tensor<12xi32>) {
  // CHECK-NEXT: tfm.embedding_grad %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<12x6xf32>
  %r = tfm.embedding_grad %a0, %a1, %a2 : (tensor<6x6x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<12x6xf32>
  return
}

// CHECK-LABEL: @dropout(
func.func @dropout(
    %a0: tensor<6x6x6xf32>, %a1: tensor<i32>, %a2: tensor<6xi32>, %a3: tensor<6x6xi32>, %a4: tensor<6xi32>) {
  // CHECK-NEXT: tfm.dropout %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {key = 77 : i32, rate = 2.500000e-01 : f32} : (tensor<6x6x6xf32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>, tensor<6xi32>) -> tensor<6x6x6xf32>
  %r = tfm.dropout %a0, %a1, %a2, %a3, %a4 {rate = 0.25 : f32, key = 77 : i32} : (tensor<6x6x6xf32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>, tensor<6xi32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @layer_norm(
func.func @layer_norm(%a0: tensor<6x6x6xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>) {
  // CHECK-NEXT: tfm.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 9.99999974E-6 : f32} : (tensor<6x6x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6x6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>)
  %r:3 = tfm.layer_norm %a0, %a1, %a2 {epsilon = 1.0e-5 : f32} : (tensor<6x6x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6x6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>)
  return
}

// CHECK-LABEL: @layer_norm_input_grad(
func.func @layer_norm_input_grad(
    %a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>, %a2: tensor<6xf32>, %a3: tensor<6x6xf32>, %a4: tensor<6x6xf32>) {
  // CHECK-NEXT: tfm.layer_norm_input_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.layer_norm_input_grad %a0, %a1, %a2, %a3, %a4 : (tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @layer_norm_param_grad(
func.func @layer_norm_param_grad(
    %a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>, %a2: tensor<6x6xf32>, %a3: tensor<6x6xf32>) {
  // CHECK-NEXT: tfm.layer_norm_param_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  %r:2 = tfm.layer_norm_param_grad %a0, %a1, %a2, %a3 : (tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  return
}

// CHECK-LABEL: @linear(
func.func @linear(%a0: tensor<6x6x12xf32>, %a1: tensor<6x12xf32>) {
  // CHECK-NEXT: tfm.linear %{{.*}}, %{{.*}} : (tensor<6x6x12xf32>, tensor<6x12xf32>) -> tensor<6x6x6xf32>
  %r = tfm.linear %a0, %a1 : (tensor<6x6x12xf32>, tensor<6x12xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @linear_input_grad(
func.func @linear_input_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x12xf32>) {
  // CHECK-NEXT: tfm.linear_input_grad %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x12xf32>) -> tensor<6x6x12xf32>
  %r = tfm.linear_input_grad %a0, %a1 : (tensor<6x6x6xf32>, tensor<6x12xf32>) -> tensor<6x6x12xf32>
  return
}

// CHECK-LABEL: @linear_weight_grad(
func.func @linear_weight_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6x12xf32>) {
  // CHECK-NEXT: tfm.linear_weight_grad %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x12xf32>) -> tensor<6x12xf32>
  %r = tfm.linear_weight_grad %a0, %a1 : (tensor<6x6x6xf32>, tensor<6x6x12xf32>) -> tensor<6x12xf32>
  return
}

// CHECK-LABEL: @bias_add(
func.func @bias_add(%a0: tensor<6x6x6xf32>, %a1: tensor<6xf32>) {
  // CHECK-NEXT: tfm.bias_add %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.bias_add %a0, %a1 : (tensor<6x6x6xf32>, tensor<6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @bias_grad(
func.func @bias_grad(%a0: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.bias_grad %{{.*}} : (tensor<6x6x6xf32>) -> tensor<6xf32>
  %r = tfm.bias_grad %a0 : (tensor<6x6x6xf32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: @add(
func.func @add(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.add %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.add %a0, %a1 : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @accumulate(
func.func @accumulate(%a0: tensor<6x6xf32>, %a1: tensor<6x6xf32>) {
  // CHECK-NEXT: tfm.accumulate %{{.*}}, %{{.*}} : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %r = tfm.accumulate %a0, %a1 : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @scale(
func.func @scale(%a0: tensor<6x6xf32>, %a1: tensor<f32>) {
  // CHECK-NEXT: tfm.scale %{{.*}}, %{{.*}} : (tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>
  %r = tfm.scale %a0, %a1 : (tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @gelu(
func.func @gelu(%a0: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.gelu %{{.*}} {form = #tfm.gelu_form<tanh>} : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.gelu %a0 {form = #tfm.gelu_form<tanh>} : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @gelu_grad(
func.func @gelu_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.gelu_grad %{{.*}}, %{{.*}} {form = #tfm.gelu_form<tanh>} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.gelu_grad %a0, %a1 {form = #tfm.gelu_form<tanh>} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @relu(
func.func @relu(%a0: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.relu %{{.*}} : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.relu %a0 : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @relu_grad(
func.func @relu_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.relu_grad %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.relu_grad %a0, %a1 : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @silu(
func.func @silu(%a0: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.silu %{{.*}} : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.silu %a0 : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @silu_grad(
func.func @silu_grad(%a0: tensor<6x6x6xf32>, %a1: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.silu_grad %{{.*}}, %{{.*}} : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.silu_grad %a0, %a1 : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @residual(
func.func @residual(%a0: tensor<6x6x6xf32>) {
  // CHECK-NEXT: tfm.residual %{{.*}} : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  %r = tfm.residual %a0 : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return
}

// CHECK-LABEL: @attention(
func.func @attention(
    %a0: tensor<6x6x6x6x2xf32>, %a1: tensor<6x6x6x2xf32>, %a2: tensor<6x6x6x2xf32>, %a3: tensor<6x6xi32>, %a4: tensor<6x6xi32>, %a5: tensor<i32>, %a6: tensor<6xi32>, %a7: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal = false, key = 0 : i32, rate = 0.000000e+00 : f32, scale = 5.000000e-01 : f32} : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>) -> (tensor<6x6x6x6x2xf32>, tensor<6x6x6x6xf32>)
  %r:2 = tfm.attention %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {scale = 0.5 : f32, causal = false, rate = 0.0 : f32, key = 0 : i32} : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>) -> (tensor<6x6x6x6x2xf32>, tensor<6x6x6x6xf32>)
  return
}

// CHECK-LABEL: @attention_grad(
func.func @attention_grad(
    %a0: tensor<6x6x6x6x2xf32>, %a1: tensor<6x6x6x6x2xf32>, %a2: tensor<6x6x6x2xf32>, %a3: tensor<6x6x6x2xf32>, %a4: tensor<6x6x6x6x2xf32>, %a5: tensor<6x6x6x6xf32>, %a6: tensor<6x6xi32>, %a7: tensor<6x6xi32>, %a8: tensor<i32>, %a9: tensor<6xi32>, %a10: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal = true, key = 7 : i32, rate = 2.500000e-01 : f32, scale = 5.000000e-01 : f32} : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x6x2xf32>, tensor<6x6x6x6xf32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>) -> (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>)
  %r:3 = tfm.attention_grad %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10 {scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 7 : i32} : (tensor<6x6x6x6x2xf32>, tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x6x2xf32>, tensor<6x6x6x6xf32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<i32>, tensor<6xi32>, tensor<6x6xi32>) -> (tensor<6x6x6x6x2xf32>, tensor<6x6x6x2xf32>, tensor<6x6x6x2xf32>)
  return
}

// CHECK-LABEL: @row_max(
func.func @row_max(%a0: tensor<6x6x12xf32>, %a1: tensor<12xi32>) {
  // CHECK-NEXT: tfm.row_max %{{.*}}, %{{.*}} {classes = 11 : i64} : (tensor<6x6x12xf32>, tensor<12xi32>) -> tensor<6x6xf32>
  %r = tfm.row_max %a0, %a1 {classes = 11 : i64} : (tensor<6x6x12xf32>, tensor<12xi32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @exp_sum(
func.func @exp_sum(%a0: tensor<6x6x12xf32>, %a1: tensor<6x6xf32>, %a2: tensor<12xi32>) {
  // CHECK-NEXT: tfm.exp_sum %{{.*}}, %{{.*}}, %{{.*}} {classes = 11 : i64} : (tensor<6x6x12xf32>, tensor<6x6xf32>, tensor<12xi32>) -> tensor<6x6xf32>
  %r = tfm.exp_sum %a0, %a1, %a2 {classes = 11 : i64} : (tensor<6x6x12xf32>, tensor<6x6xf32>, tensor<12xi32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @exp_sum_grad(
func.func @exp_sum_grad(%a0: tensor<6x6xf32>, %a1: tensor<6x6x12xf32>, %a2: tensor<6x6xf32>, %a3: tensor<12xi32>) {
  // CHECK-NEXT: tfm.exp_sum_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {classes = 11 : i64} : (tensor<6x6xf32>, tensor<6x6x12xf32>, tensor<6x6xf32>, tensor<12xi32>) -> tensor<6x6x12xf32>
  %r = tfm.exp_sum_grad %a0, %a1, %a2, %a3 {classes = 11 : i64} : (tensor<6x6xf32>, tensor<6x6x12xf32>, tensor<6x6xf32>, tensor<12xi32>) -> tensor<6x6x12xf32>
  return
}

// CHECK-LABEL: @pick(
func.func @pick(%a0: tensor<6x6x12xf32>, %a1: tensor<6x6xi32>, %a2: tensor<12xi32>) {
  // CHECK-NEXT: tfm.pick %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6x12xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6xf32>
  %r = tfm.pick %a0, %a1, %a2 : (tensor<6x6x12xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @pick_grad(
func.func @pick_grad(%a0: tensor<6x6xf32>, %a1: tensor<6x6xi32>, %a2: tensor<12xi32>) {
  // CHECK-NEXT: tfm.pick_grad %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6x12xf32>
  %r = tfm.pick_grad %a0, %a1, %a2 : (tensor<6x6xf32>, tensor<6x6xi32>, tensor<12xi32>) -> tensor<6x6x12xf32>
  return
}

// CHECK-LABEL: @nll(
func.func @nll(%a0: tensor<6x6xf32>, %a1: tensor<6x6xf32>, %a2: tensor<6x6xf32>, %a3: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.nll %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xi32>) -> tensor<6x6xf32>
  %r = tfm.nll %a0, %a1, %a2, %a3 : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xi32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @nll_grad(
func.func @nll_grad(%a0: tensor<6x6xf32>, %a1: tensor<6x6xf32>, %a2: tensor<6x6xi32>) {
  // CHECK-NEXT: tfm.nll_grad %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xi32>) -> (tensor<6x6xf32>, tensor<6x6xf32>)
  %r:2 = tfm.nll_grad %a0, %a1, %a2 : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xi32>) -> (tensor<6x6xf32>, tensor<6x6xf32>)
  return
}

// CHECK-LABEL: @sum_all(
func.func @sum_all(%a0: tensor<6x6xf32>) {
  // CHECK-NEXT: tfm.sum_all %{{.*}} : (tensor<6x6xf32>) -> tensor<f32>
  %r = tfm.sum_all %a0 : (tensor<6x6xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @broadcast(
func.func @broadcast(%a0: tensor<f32>) {
  // CHECK-NEXT: tfm.broadcast %{{.*}} : (tensor<f32>) -> tensor<6x6xf32>
  %r = tfm.broadcast %a0 : (tensor<f32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @count_valid(
func.func @count_valid(%a0: tensor<6x6x6xi32>) {
  // CHECK-NEXT: tfm.count_valid %{{.*}} : (tensor<6x6x6xi32>) -> tensor<f32>
  %r = tfm.count_valid %a0 : (tensor<6x6x6xi32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @sum_squares(
func.func @sum_squares(%a0: tensor<6x6xf32>) {
  // CHECK-NEXT: tfm.sum_squares %{{.*}} : (tensor<6x6xf32>) -> tensor<f32>
  %r = tfm.sum_squares %a0 : (tensor<6x6xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @sqrt(
func.func @sqrt(%a0: tensor<f32>) {
  // CHECK-NEXT: tfm.sqrt %{{.*}} : (tensor<f32>) -> tensor<f32>
  %r = tfm.sqrt %a0 : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @reciprocal(
func.func @reciprocal(%a0: tensor<f32>) {
  // CHECK-NEXT: tfm.reciprocal %{{.*}} : (tensor<f32>) -> tensor<f32>
  %r = tfm.reciprocal %a0 : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @clip_factor(
func.func @clip_factor(%a0: tensor<f32>) {
  // CHECK-NEXT: tfm.clip_factor %{{.*}} {max_norm = 5.000000e-01 : f32} : (tensor<f32>) -> tensor<f32>
  %r = tfm.clip_factor %a0 {max_norm = 0.5 : f32} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @count_step(
func.func @count_step(%a0: tensor<f32>, %a1: tensor<f32>) {
  // CHECK-NEXT: tfm.count_step %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = tfm.count_step %a0, %a1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @bias_correction(
func.func @bias_correction(%a0: tensor<f32>) {
  // CHECK-NEXT: tfm.bias_correction %{{.*}} {beta = 9.000000e-01 : f64} : (tensor<f32>) -> tensor<f32>
  %r = tfm.bias_correction %a0 {beta = 0.9 : f64} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @sgd(
func.func @sgd(
    %a0: tensor<6x6xf32>, %a1: tensor<6x6xf32>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // CHECK-NEXT: tfm.sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {weight_decay = 1.000000e-01 : f32} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<6x6xf32>
  %r = tfm.sgd %a0, %a1, %a2, %a3, %a4 {weight_decay = 0.1 : f32} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: @adamw(
func.func @adamw(
    %a0: tensor<6x6xf32>, %a1: tensor<6x6xf32>, %a2: tensor<6x6xf32>, %a3: tensor<6x6xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>) {
  // CHECK-NEXT: tfm.adamw %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 0.899999976 : f32, beta2 = 0.949999988 : f32, epsilon = 9.99999993E-9 : f32, weight_decay = 1.000000e-01 : f32} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>)
  %r:3 = tfm.adamw %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8 {beta1 = 0.9 : f32, beta2 = 0.95 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.1 : f32} : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>)
  return
}
