// RUN: mpc-opt %s --mpc-build-training-step | FileCheck %s

// The prologue hands the masters on and counts the tokens of all microbatches.
// CHECK-LABEL: func.func @prologue(
// CHECK-SAME:    %[[WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<master "wte">, tfm.parameter = #tfm.parameter<"wte"
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<master "b">, tfm.parameter = #tfm.parameter<"b"
// CHECK-SAME:    %[[LABELS:[a-z0-9]+]]: tensor<2x2x8xi32> {tfm.binding = #tfm.binding<batch "step.labels">})
// CHECK-SAME:    -> (tensor<13x4xf32> {tfm.binding = #tfm.binding<compute "wte">}, tensor<4xf32> {tfm.binding = #tfm.binding<compute "b">},
// CHECK-SAME:    tensor<f32> {tfm.binding = #tfm.binding<metric "valid_tokens">}, tensor<f32> {tfm.binding = #tfm.binding<carry "inverse_count">})
// CHECK-NEXT:    %[[VALID:.*]] = tfm.count_valid %[[LABELS]] {phase = #dist.phase<prologue>}
// CHECK-NEXT:    %[[INVERSE:.*]] = tfm.reciprocal %[[VALID]] {phase = #dist.phase<prologue>}
// CHECK-NEXT:    return %[[WTE]], %[[B]], %[[VALID]], %[[INVERSE]]

// The forward pass as it was, then the backward pass: the iota is used again, a
// value used twice has one sum, and the table's two shares are added before they
// are accumulated.
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME:    %[[WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<compute "wte">},
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<compute "b">},
// CHECK-SAME:    %[[WTE_SUM:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<accumulator "wte">},
// CHECK-SAME:    %[[B_SUM:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<accumulator "b">},
// CHECK-SAME:    %[[LOSS_SUM:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<carry "loss_sum">},
// CHECK-SAME:    %[[IDS:[a-z0-9]+]]: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
// CHECK-SAME:    %[[LABELS:[a-z0-9]+]]: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">},
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<i32> {tfm.binding = #tfm.binding<input_scalar "seed">},
// CHECK-SAME:    %[[INVERSE:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<carry "inverse_count">})
// CHECK-SAME:    -> (tensor<13x4xf32> {tfm.binding = #tfm.binding<accumulator "wte">},
// CHECK-SAME:    tensor<4xf32> {tfm.binding = #tfm.binding<accumulator "b">}, tensor<f32> {tfm.binding = #tfm.binding<carry "loss_sum">})
// CHECK-NEXT:    %[[ROWS:.*]] = dist.iota : tensor<13xi32>
// CHECK-NEXT:    %[[X:.*]] = tfm.embedding %[[WTE]], %[[IDS]], %[[ROWS]] :
// CHECK-NEXT:    %[[R:.*]] = tfm.residual %[[X]] :
// CHECK-NEXT:    %[[Y:.*]] = tfm.bias_add %[[R]], %[[B]] :
// CHECK-NEXT:    %[[G:.*]] = tfm.gelu %[[Y]] {{.*}} :
// CHECK-NEXT:    %[[Z:.*]] = tfm.add %[[R]], %[[G]] :
// CHECK-NEXT:    %[[LOGITS:.*]] = tfm.linear %[[Z]], %[[WTE]] :
// CHECK-NEXT:    %[[MAX:.*]] = tfm.row_max %[[LOGITS]], %[[ROWS]]
// CHECK-NEXT:    %[[SUM:.*]] = tfm.exp_sum %[[LOGITS]], %[[MAX]], %[[ROWS]]
// CHECK-NEXT:    %[[PICK:.*]] = tfm.pick %[[LOGITS]], %[[LABELS]], %[[ROWS]]
// CHECK-NEXT:    %[[NLL:.*]] = tfm.nll %[[SUM]], %[[MAX]], %[[PICK]], %[[LABELS]]
// CHECK-NEXT:    %[[LOSS:.*]] = tfm.sum_all %[[NLL]] :
// CHECK-NEXT:    %[[NEW_LOSS_SUM:.*]] = tfm.accumulate %[[LOSS_SUM]], %[[LOSS]] :
// CHECK-NEXT:    %[[DNLL:.*]] = tfm.broadcast %[[INVERSE]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DSUM:.*]], %[[DPICK:.*]] = tfm.nll_grad %[[DNLL]], %[[SUM]], %[[LABELS]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DL1:.*]] = tfm.pick_grad %[[DPICK]], %[[LABELS]], %[[ROWS]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DL2:.*]] = tfm.exp_sum_grad %[[DSUM]], %[[LOGITS]], %[[MAX]], %[[ROWS]] {classes = 13 : i64, phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DL:.*]] = tfm.add %[[DL1]], %[[DL2]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DZ:.*]] = tfm.linear_input_grad %[[DL]], %[[WTE]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DWTE1:.*]] = tfm.linear_weight_grad %[[DL]], %[[Z]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    %[[DY:.*]] = tfm.gelu_grad %[[DZ]], %[[Y]] {form = #tfm.gelu_form<tanh>, phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DB:.*]] = tfm.bias_grad %[[DY]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    %[[NEW_B:.*]] = tfm.accumulate %[[B_SUM]], %[[DB]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    %[[DR:.*]] = tfm.add %[[DZ]], %[[DY]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DX:.*]] = tfm.residual %[[DR]] {phase = #dist.phase<backward>}
// CHECK-NEXT:    %[[DWTE2:.*]] = tfm.embedding_grad %[[DX]], %[[IDS]], %[[ROWS]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    %[[DWTE:.*]] = tfm.add %[[DWTE1]], %[[DWTE2]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    %[[NEW_WTE:.*]] = tfm.accumulate %[[WTE_SUM]], %[[DWTE]] {phase = #dist.phase<weight>}
// CHECK-NEXT:    return %[[NEW_WTE]], %[[NEW_B]], %[[NEW_LOSS_SUM]]

// Decay is off for the parameter that says so.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[G_WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<accumulator "wte">},
// CHECK-SAME:    %[[G_B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<accumulator "b">},
// CHECK-SAME:    %[[P_WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<master "wte">, tfm.parameter = #tfm.parameter<"wte"
// CHECK-SAME:    %[[P_B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<master "b">, tfm.parameter = #tfm.parameter<"b"
// CHECK-SAME:    %[[M_WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<moment1 "wte">},
// CHECK-SAME:    %[[M_B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<moment1 "b">},
// CHECK-SAME:    %[[V_WTE:[a-z0-9]+]]: tensor<13x4xf32> {tfm.binding = #tfm.binding<moment2 "wte">},
// CHECK-SAME:    %[[V_B:[a-z0-9]+]]: tensor<4xf32> {tfm.binding = #tfm.binding<moment2 "b">},
// CHECK-SAME:    %[[LOSS_SUM:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<carry "loss_sum">},
// CHECK-SAME:    %[[INVERSE:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<carry "inverse_count">},
// CHECK-SAME:    %[[VALID:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<metric "valid_tokens">},
// CHECK-SAME:    %[[STEP:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<counter "step">},
// CHECK-SAME:    %[[LR:[a-z0-9]+]]: tensor<f32> {tfm.binding = #tfm.binding<input_scalar "learning_rate">})
// CHECK-SAME:    -> (tensor<13x4xf32> {tfm.binding = #tfm.binding<master "wte">}, tensor<4xf32> {tfm.binding = #tfm.binding<master "b">},
// CHECK-SAME:    tensor<13x4xf32> {tfm.binding = #tfm.binding<moment1 "wte">}, tensor<4xf32> {tfm.binding = #tfm.binding<moment1 "b">},
// CHECK-SAME:    tensor<13x4xf32> {tfm.binding = #tfm.binding<moment2 "wte">}, tensor<4xf32> {tfm.binding = #tfm.binding<moment2 "b">},
// CHECK-SAME:    tensor<f32> {tfm.binding = #tfm.binding<counter "step">}, tensor<f32> {tfm.binding = #tfm.binding<metric "loss">},
// CHECK-SAME:    tensor<f32> {tfm.binding = #tfm.binding<metric "grad_norm">})
// CHECK-NEXT:    %[[S0:.*]] = tfm.sum_squares %[[G_WTE]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[S1:.*]] = tfm.sum_squares %[[G_B]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[S:.*]] = tfm.add %[[S0]], %[[S1]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[NORM:.*]] = tfm.sqrt %[[S]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[CLIP:.*]] = tfm.clip_factor %[[NORM]] {max_norm = 1.000000e+00 : f32, phase = #dist.phase<update>}
// CHECK-NEXT:    %[[NEW_STEP:.*]] = tfm.count_step %[[STEP]], %[[VALID]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[LOSS:.*]] = tfm.scale %[[LOSS_SUM]], %[[INVERSE]] {phase = #dist.phase<update>}
// CHECK-NEXT:    %[[C1:.*]] = tfm.bias_correction %[[NEW_STEP]] {beta = 9.000000e-01 : f64, phase = #dist.phase<update>}
// CHECK-NEXT:    %[[C2:.*]] = tfm.bias_correction %[[NEW_STEP]] {beta = 0.94999999999999996 : f64, phase = #dist.phase<update>}
// CHECK-NEXT:    %[[NP_WTE:.*]], %[[NM_WTE:.*]], %[[NV_WTE:.*]] = tfm.adamw %[[P_WTE]], %[[M_WTE]], %[[V_WTE]], %[[G_WTE]], %[[CLIP]], %[[LR]], %[[C1]], %[[C2]], %[[VALID]]
// CHECK-SAME:    {beta1 = 0.899999976 : f32, beta2 = 0.949999988 : f32, epsilon = 9.99999993E-9 : f32, phase = #dist.phase<update>, weight_decay = 1.000000e-01 : f32}
// CHECK-NEXT:    %[[NP_B:.*]], %[[NM_B:.*]], %[[NV_B:.*]] = tfm.adamw %[[P_B]], %[[M_B]], %[[V_B]], %[[G_B]], %[[CLIP]], %[[LR]], %[[C1]], %[[C2]], %[[VALID]]
// CHECK-SAME:    weight_decay = 0.000000e+00 : f32}
// CHECK-NEXT:    return %[[NP_WTE]], %[[NP_B]], %[[NM_WTE]], %[[NM_B]], %[[NV_WTE]], %[[NV_B]], %[[NEW_STEP]], %[[LOSS]], %[[NORM]]

// CHECK-NOT: @forward(

// A tied table, a bias, a value used twice (the residual), a norm without decay.
module attributes {
    tfm.training = #tfm.training<sequence_length = 8, global_batch = 4,
      optimizer = adamw, learning_rate = 1.0e-3, min_learning_rate = 0.0,
      warmup_steps = 0, decay_steps = 10, beta1 = 0.9, beta2 = 0.95,
      epsilon = 1.0e-8, weight_decay = 0.1, clip_norm = 1.0, vocabulary = 13,
      vocabulary_multiple = 1>,
    tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
      sequence_parallel = false, zero = 0, strict = false, reference = false>} {
  func.func @forward(
      %wte: tensor<13x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
      %b: tensor<4xf32> {tfm.parameter = #tfm.parameter<"b", [hidden], [4], constant = 0.0, decay = false>},
      %ids: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">},
      %labels: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "labels">},
      %seed: tensor<i32> {tfm.binding = #tfm.binding<input_scalar "seed">}) -> tensor<f32> {
    %rows = dist.iota : tensor<13xi32>
    %x = tfm.embedding %wte, %ids, %rows : (tensor<13x4xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8x4xf32>
    %r = tfm.residual %x : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %y = tfm.bias_add %r, %b : (tensor<2x8x4xf32>, tensor<4xf32>) -> tensor<2x8x4xf32>
    %g = tfm.gelu %y {form = #tfm.gelu_form<tanh>} : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %z = tfm.add %r, %g : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %logits = tfm.linear %z, %wte : (tensor<2x8x4xf32>, tensor<13x4xf32>) -> tensor<2x8x13xf32>
    %max = tfm.row_max %logits, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %sum = tfm.exp_sum %logits, %max, %rows {classes = 13 : i64} : (tensor<2x8x13xf32>, tensor<2x8xf32>, tensor<13xi32>) -> tensor<2x8xf32>
    %pick = tfm.pick %logits, %labels, %rows : (tensor<2x8x13xf32>, tensor<2x8xi32>, tensor<13xi32>) -> tensor<2x8xf32>
    %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
    %loss = tfm.sum_all %nll : (tensor<2x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
