// RUN: mpc-opt %s -split-input-file -mpc-form-kernels | FileCheck %s

// Between two products one kernel; the same kernel for both layers.
// CHECK-LABEL: func @layers
// CHECK: %[[H0:.*]] = tfm.linear
// CHECK-NEXT: %[[A0:.*]] = call @kernel_0(%[[H0]], %{{.*}})
// CHECK-NEXT: %[[H1:.*]] = tfm.linear %[[A0]]
// CHECK-NEXT: %[[A1:.*]] = call @kernel_0(%[[H1]], %{{.*}})
// CHECK-NEXT: return %[[A1]]
// CHECK: func private @kernel_0(%[[X:.*]]: tensor<2x4x8xf32>, %[[B:.*]]: tensor<8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = tfm.bias_add %[[X]], %[[B]]
// CHECK-NEXT: %[[OUT:.*]] = tfm.relu %[[SUM]]
// CHECK-NEXT: return %[[OUT]]
// CHECK-NOT: func private
func.func @layers(%x: tensor<2x4x8xf32>, %w: tensor<8x8xf32>, %b0: tensor<8xf32>,
    %b1: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %1 = tfm.bias_add %0, %b0 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %2 = tfm.relu %1 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %3 = tfm.linear %2, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %4 = tfm.bias_add %3, %b1 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %5 = tfm.relu %4 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %5 : tensor<2x4x8xf32>
}

// -----

// An attribute makes a different kernel; a value used outside is a result.
// CHECK-LABEL: func @norms
// CHECK: %[[A:.*]]:2 = call @kernel_0
// CHECK: %[[P:.*]] = tfm.linear %[[A]]#1
// CHECK: call @kernel_1(%[[P]]
// CHECK: func private @kernel_0({{.*}}) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
// CHECK: tfm.add
// CHECK: tfm.layer_norm {{.*}}epsilon = 1.0
// CHECK: func private @kernel_1
// CHECK-NEXT: tfm.layer_norm {{.*}}epsilon = 2.0
func.func @norms(%x: tensor<2x4x8xf32>, %w: tensor<8xf32>, %ww: tensor<8x8xf32>)
    -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = tfm.add %x, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1, %mean, %rstd = tfm.layer_norm %0, %w, %w {epsilon = 1.0 : f32}
    : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %2 = tfm.linear %1, %ww : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %3, %mean1, %rstd1 = tfm.layer_norm %2, %w, %w {epsilon = 2.0 : f32}
    : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %0, %3 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// -----

// A product that needs the first op and feeds the last keeps them apart.
// CHECK-LABEL: func @no_cycle
// CHECK: %[[A:.*]] = call @kernel_0
// CHECK: %[[P:.*]] = tfm.linear %[[A]]
// CHECK: call @kernel_1(%[[A]], %[[P]])
func.func @no_cycle(%x: tensor<2x4x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tfm.relu %x : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = tfm.linear %0, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %2 = tfm.add %0, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}

// -----

// Column sums walk the rows of their operand; they end with the accumulation.
// CHECK-LABEL: func @column_sums
// CHECK: %[[G:.*]] = call @kernel_0
// CHECK: %[[S:.*]] = call @kernel_1(%[[G]], %{{.*}})
// CHECK: func private @kernel_0
// CHECK-NEXT: tfm.relu_grad
// CHECK-NEXT: return
// CHECK: func private @kernel_1
// CHECK-NEXT: tfm.bias_grad
// CHECK-NEXT: tfm.accumulate
// CHECK-NEXT: return
func.func @column_sums(%g: tensor<2x4x8xf32>, %x: tensor<2x4x8xf32>,
    %acc: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<8xf32>) {
  %0 = tfm.relu_grad %g, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = tfm.bias_grad %0 : (tensor<2x4x8xf32>) -> tensor<8xf32>
  %2 = tfm.accumulate %acc, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %2 : tensor<2x4x8xf32>, tensor<8xf32>
}

// -----

// A bias computed by rows of its own is no part of the rows that it is added to,
// though sizes agree.
// CHECK-LABEL: func @other_rows
// CHECK: call @kernel_0
// CHECK: call @kernel_1
func.func @other_rows(%x: tensor<4x4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4x4xf32> {
  %0 = tfm.add %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tfm.bias_add %x, %0 : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  return %1 : tensor<4x4x4xf32>
}

// -----

// Sums over whole tensors stand alone, scalars form one kernel.
// CHECK-LABEL: func @norm
// CHECK: %[[A:.*]] = call @kernel_0(%{{.*}})
// CHECK: %[[B:.*]] = call @kernel_0(%{{.*}})
// CHECK: call @kernel_1(%[[A]], %[[B]])
// CHECK: func private @kernel_0
// CHECK-NEXT: tfm.sum_squares
// CHECK-NEXT: return
// CHECK: func private @kernel_1
// CHECK-NEXT: tfm.add
// CHECK-NEXT: tfm.sqrt
// CHECK-NEXT: return
func.func @norm(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<f32> {
  %0 = tfm.sum_squares %a : (tensor<8xf32>) -> tensor<f32>
  %1 = tfm.sum_squares %b : (tensor<8xf32>) -> tensor<f32>
  %2 = tfm.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = tfm.sqrt %2 : (tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// A product that adds itself to its accumulator is no kernel; one used twice is
// added by a kernel. The scatter into a table adds to what is there, and no more.
// CHECK-LABEL: func @accumulations
// CHECK: %[[P:.*]] = tfm.linear_weight_grad
// CHECK: tfm.accumulate %{{.*}}, %[[P]]
// CHECK: %[[Q:.*]] = tfm.linear_weight_grad
// CHECK: call @kernel_0(%{{.*}}, %[[Q]])
// CHECK: %[[T:.*]] = call @kernel_1
// CHECK: call @kernel_2(%[[T]])
// CHECK: func private @kernel_0
// CHECK-NEXT: tfm.accumulate
// CHECK-NEXT: return
// CHECK: func private @kernel_1
// CHECK-NEXT: tfm.embedding_grad
// CHECK-NEXT: tfm.accumulate
// CHECK-NEXT: return
// CHECK: func private @kernel_2
// CHECK-NEXT: tfm.relu
func.func @accumulations(%g: tensor<2x4x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>,
    %c: tensor<8x8xf32>, %ids: tensor<2x4xi32>, %rows: tensor<8xi32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = tfm.linear_weight_grad %g, %g : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
  %1 = tfm.accumulate %a, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = tfm.linear_weight_grad %g, %g : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
  %3 = tfm.accumulate %b, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = tfm.embedding_grad %g, %ids, %rows : (tensor<2x4x8xf32>, tensor<2x4xi32>, tensor<8xi32>) -> tensor<8x8xf32>
  %5 = tfm.accumulate %c, %4 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = tfm.relu %5 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2, %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Loss and its gradient are one kernel, since nothing stands between.
// CHECK-LABEL: func @loss
// CHECK: %[[L:.*]]:2 = call @kernel_0
// CHECK: call @kernel_1(%[[L]]#0)
// CHECK: func private @kernel_0
// CHECK: tfm.row_max
// CHECK: tfm.exp_sum
// CHECK: tfm.pick
// CHECK: tfm.nll
// CHECK: tfm.nll_grad
// CHECK: tfm.exp_sum_grad
// CHECK: tfm.pick_grad
// CHECK: tfm.add
// CHECK: func private @kernel_1
// CHECK-NEXT: tfm.sum_all
func.func @loss(%x: tensor<2x4x8xf32>, %labels: tensor<2x4xi32>, %rows: tensor<8xi32>,
    %scale: tensor<f32>) -> (tensor<f32>, tensor<2x4x8xf32>) {
  %max = tfm.row_max %x, %rows {classes = 8 : i64} : (tensor<2x4x8xf32>, tensor<8xi32>) -> tensor<2x4xf32>
  %sum = tfm.exp_sum %x, %max, %rows {classes = 8 : i64}
    : (tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<8xi32>) -> tensor<2x4xf32>
  %pick = tfm.pick %x, %labels, %rows
    : (tensor<2x4x8xf32>, tensor<2x4xi32>, tensor<8xi32>) -> tensor<2x4xf32>
  %nll = tfm.nll %sum, %max, %pick, %labels
    : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
  %loss = tfm.sum_all %nll : (tensor<2x4xf32>) -> tensor<f32>
  %g = tfm.broadcast %scale : (tensor<f32>) -> tensor<2x4xf32>
  %gs, %gp = tfm.nll_grad %g, %sum, %labels
    : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %0 = tfm.exp_sum_grad %gs, %x, %max, %rows {classes = 8 : i64}
    : (tensor<2x4xf32>, tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<8xi32>) -> tensor<2x4x8xf32>
  %1 = tfm.pick_grad %gp, %labels, %rows
    : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<8xi32>) -> tensor<2x4x8xf32>
  %2 = tfm.add %0, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %loss, %2 : tensor<f32>, tensor<2x4x8xf32>
}

// -----

// Between the products of unfused attention one kernel, forward and backward.
// CHECK-LABEL: func @unfused_attention
// CHECK: %[[S:.*]] = tfm.attention_scores
// CHECK-NEXT: %[[P:.*]]:2 = call @kernel_0(%[[S]],
// CHECK-NEXT: tfm.attention_context %[[P]]#1
// CHECK-NEXT: %[[G:.*]] = tfm.attention_scores
// CHECK-NEXT: %[[SG:.*]] = call @kernel_1(%[[G]], {{.*}}%[[P]]#0
// CHECK-NEXT: tfm.attention_key_grad %[[SG]]
func.func @unfused_attention(%q: tensor<1x2x1x1x4xf32>, %k: tensor<1x2x1x4xf32>, %p: tensor<1x2xi32>,
    %seed: tensor<i32>, %n: tensor<1xi32>, %h: tensor<1x1xi32>) -> tensor<1x2x1x4xf32> {
  %0 = tfm.attention_scores %q, %k : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x1x1x2x2xf32>
  %1 = tfm.masked_softmax %0, %p, %p {scale = 1.0 : f32, causal = true}
    : (tensor<1x1x1x2x2xf32>, tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x1x1x2x2xf32>
  %2 = tfm.attention_dropout %1, %seed, %n, %h, %p, %p {rate = 0.5 : f32, key = 0 : i32}
    : (tensor<1x1x1x2x2xf32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
    -> tensor<1x1x1x2x2xf32>
  %3 = tfm.attention_context %2, %k : (tensor<1x1x1x2x2xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x1x1x4xf32>
  %4 = tfm.attention_scores %3, %k {phase = #dist.phase<backward>}
    : (tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x1x1x2x2xf32>
  %5 = tfm.attention_dropout %4, %seed, %n, %h, %p, %p {rate = 0.5 : f32, key = 0 : i32, phase = #dist.phase<backward>}
    : (tensor<1x1x1x2x2xf32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
    -> tensor<1x1x1x2x2xf32>
  %6 = tfm.masked_softmax_grad %5, %1 {scale = 1.0 : f32, phase = #dist.phase<backward>}
    : (tensor<1x1x1x2x2xf32>, tensor<1x1x1x2x2xf32>) -> tensor<1x1x1x2x2xf32>
  %7 = tfm.attention_key_grad %6, %q {phase = #dist.phase<backward>}
    : (tensor<1x1x1x2x2xf32>, tensor<1x2x1x1x4xf32>) -> tensor<1x2x1x4xf32>
  return %7 : tensor<1x2x1x4xf32>
}
