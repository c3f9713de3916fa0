// RUN: mpc-opt %s -split-input-file --mpc-sharding | FileCheck %s

// A row-parallel product is a partial sum, reduced once where it is used.
// CHECK-LABEL: func.func @row_parallel(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x4x8xf32, #s_r_r_r>, %[[W:[a-z0-9]+]]: tensor<6x8xf32, #s_r_tp>
// CHECK-NEXT:    %[[PIECE:.*]] = dist.reshard %[[X]] : tensor<2x4x8xf32, #s_r_r_r> -> tensor<2x4x8xf32, #s_r_r_tp>
// CHECK-NEXT:    %[[Y:.*]] = tfm.linear %[[PIECE]], %[[W]] : {{.*}} -> tensor<2x4x6xf32, #s_r_r_r_sum_tp>
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %[[Y]] : tensor<2x4x6xf32, #s_r_r_r_sum_tp> -> tensor<2x4x6xf32, #s_r_r_r>
// CHECK-NEXT:    return %[[WHOLE]]
#mesh = #dist.mesh<["tp"=2]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
func.func @row_parallel(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32> {dist.pin = #columns})
    -> tensor<2x4x6xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

// A column-parallel product, something pointwise and a row-parallel product need
// one reduction; the bias is added after it.
// CHECK-LABEL: func.func @block(
// CHECK:         tfm.linear {{.*}} -> tensor<2x4x16xf32, #s_r_r_tp>
// CHECK-NEXT:    tfm.bias_add {{.*}} -> tensor<2x4x16xf32, #s_r_r_tp>
// CHECK-NEXT:    tfm.gelu {{.*}} -> tensor<2x4x16xf32, #s_r_r_tp>
// CHECK-NEXT:    %[[SUM:.*]] = tfm.linear {{.*}} -> tensor<2x4x8xf32, #s_r_r_r_sum_tp>
// CHECK-NEXT:    %[[WHOLE:.*]] = dist.reshard %[[SUM]] : tensor<2x4x8xf32, #s_r_r_r_sum_tp> -> tensor<2x4x8xf32, #s_r_r_r>
// CHECK-NEXT:    tfm.bias_add %[[WHOLE]]
// CHECK-NOT:     dist.reshard
#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#row = #dist.sharding<#mesh, [{"tp"}]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
func.func @block(%x: tensor<2x4x8xf32>,
    %w1: tensor<16x8xf32> {dist.pin = #rows}, %b1: tensor<16xf32> {dist.pin = #row},
    %w2: tensor<8x16xf32> {dist.pin = #columns}, %b2: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tfm.linear %x, %w1 : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
  %1 = tfm.bias_add %0, %b1 : (tensor<2x4x16xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  %2 = tfm.gelu %1 {form = #tfm.gelu_form<tanh>} : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %3 = tfm.linear %2, %w2 : (tensor<2x4x16xf32>, tensor<8x16xf32>) -> tensor<2x4x8xf32>
  %4 = tfm.bias_add %3, %b2 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return %4 : tensor<2x4x8xf32>
}

// -----

// A pin of a split sequence makes the reduction a scatter.
// CHECK-LABEL: func.func @scatter(
// CHECK:         %[[Y:.*]] = tfm.linear {{.*}} -> tensor<2x4x6xf32, #s_r_r_r_sum_tp>
// CHECK-NEXT:    %[[PIECE:.*]] = dist.reshard %[[Y]] : tensor<2x4x6xf32, #s_r_r_r_sum_tp> -> tensor<2x4x6xf32, #s_r_tp_r>
// CHECK-NEXT:    return %[[PIECE]]
#mesh = #dist.mesh<["tp"=2]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#sequence = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
func.func @scatter(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32> {dist.pin = #columns, tfm.binding = #tfm.binding<compute "w">})
    -> tensor<2x4x6xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  %1 = dist.pin %0 : tensor<2x4x6xf32> to #sequence
  return %1 : tensor<2x4x6xf32>
}

// -----

// A parameter's claim is stronger than that of an input: the input is moved.
// CHECK-LABEL: func.func @parameter_first(
// CHECK:         dist.reshard %{{.*}} : tensor<2x4x8xf32, #s_r_r_tp> -> tensor<2x4x8xf32, #s_r_r_r>
// CHECK-NEXT:    tfm.linear {{.*}} -> tensor<2x4x6xf32, #s_r_r_tp>
#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
func.func @parameter_first(%x: tensor<2x4x8xf32> {dist.pin = #x},
    %w: tensor<6x8xf32> {dist.pin = #rows, tfm.binding = #tfm.binding<compute "w">})
    -> tensor<2x4x6xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

// A partial sum passes through an add only if both its terms are partial alike.
// CHECK-LABEL: func.func @terms(
// CHECK:         %[[A:.*]] = tfm.linear {{.*}} -> tensor<2x4x6xf32, #s_r_r_r_sum_tp>
// CHECK:         %[[B:.*]] = tfm.linear {{.*}} -> tensor<2x4x6xf32, #s_r_r_r_sum_tp>
// CHECK-NEXT:    %[[C:.*]] = tfm.add %[[A]], %[[B]] : {{.*}} -> tensor<2x4x6xf32, #s_r_r_r_sum_tp>
// CHECK-NEXT:    %[[D:.*]] = dist.reshard %[[C]]
// CHECK-NEXT:    tfm.add %[[D]], %{{.*}} : {{.*}} -> tensor<2x4x6xf32, #s_r_r_r>
// CHECK-NOT:     dist.reshard
#mesh = #dist.mesh<["tp"=2]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
func.func @terms(%x: tensor<2x4x8xf32> {dist.pin = #x}, %v: tensor<6x8xf32> {dist.pin = #columns},
    %w: tensor<6x8xf32> {dist.pin = #columns}, %y: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %0 = tfm.linear %x, %v : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  %1 = tfm.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  %2 = tfm.add %0, %1 : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %3 = tfm.add %2, %y : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %3 : tensor<2x4x6xf32>
}

// -----

// An accumulator stays partial from microbatch to microbatch.
// CHECK-LABEL: func.func @accumulator(
// CHECK-SAME:    %[[ACC:[a-z0-9]+]]: tensor<6x8xf32, #s_r_r_sum_dp> {tfm.binding = #tfm.binding<accumulator "w">}
// CHECK-SAME:    -> (tensor<6x8xf32, #s_r_r_sum_dp> {tfm.binding = #tfm.binding<accumulator "w">})
// CHECK-NEXT:    %[[G:.*]] = tfm.linear_weight_grad
// CHECK-NEXT:    %[[NEW:.*]] = tfm.accumulate %[[ACC]], %[[G]] : {{.*}} -> tensor<6x8xf32, #s_r_r_sum_dp>
// CHECK-NEXT:    return %[[NEW]]
#mesh = #dist.mesh<["dp"=2]>
#batch = #dist.sharding<#mesh, [{"dp"}, {}, {}]>
func.func @accumulator(%g: tensor<2x4x6xf32> {dist.pin = #batch}, %x: tensor<2x4x8xf32> {dist.pin = #batch},
    %acc: tensor<6x8xf32> {tfm.binding = #tfm.binding<accumulator "w">})
    -> (tensor<6x8xf32> {tfm.binding = #tfm.binding<accumulator "w">}) {
  %0 = tfm.linear_weight_grad %g, %x : (tensor<2x4x6xf32>, tensor<2x4x8xf32>) -> tensor<6x8xf32>
  %1 = tfm.accumulate %acc, %0 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// -----

// The squares of a split and of a whole gradient are joined by one all-reduce: the
// whole one's become addends first.
// CHECK-LABEL: func.func @norm(
// CHECK:         %[[A:.*]] = tfm.sum_squares {{.*}} -> tensor<f32, #s_sum_tp>
// CHECK:         %[[B:.*]] = tfm.sum_squares {{.*}} -> tensor<f32, #s>
// CHECK-NEXT:    %[[C:.*]] = dist.reshard %[[B]] : tensor<f32, #s> -> tensor<f32, #s_sum_tp>
// CHECK-NEXT:    %[[D:.*]] = tfm.add %[[A]], %[[C]]
// CHECK-NEXT:    %[[E:.*]] = dist.reshard %[[D]] : tensor<f32, #s_sum_tp> -> tensor<f32, #s>
// CHECK-NEXT:    tfm.sqrt %[[E]]
// CHECK-NOT:     dist.reshard
#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @norm(%x: tensor<6x8xf32> {dist.pin = #rows}, %y: tensor<8xf32>) -> tensor<f32> {
  %0 = tfm.sum_squares %x : (tensor<6x8xf32>) -> tensor<f32>
  %1 = tfm.sum_squares %y : (tensor<8xf32>) -> tensor<f32>
  %2 = tfm.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = tfm.sqrt %2 : (tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Rows are numbered again for each use that wants them otherwise.
// CHECK-LABEL: func.func @iota(
// CHECK-DAG:     dist.iota : tensor<12xi32, #s_tp>
// CHECK-DAG:     dist.iota : tensor<12xi32, #s_r>
// CHECK-NOT:     dist.iota
// CHECK-NOT:     dist.reshard {{.*}}xi32
#mesh = #dist.mesh<["tp"=2]>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @iota(%t: tensor<12x4xf32> {dist.pin = #rows}, %u: tensor<12x4xf32>, %ids: tensor<2x4xi32>)
    -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %rows = dist.iota : tensor<12xi32>
  %0 = tfm.embedding %t, %ids, %rows : (tensor<12x4xf32>, tensor<2x4xi32>, tensor<12xi32>) -> tensor<2x4x4xf32>
  %1 = tfm.embedding %u, %ids, %rows : (tensor<12x4xf32>, tensor<2x4xi32>, tensor<12xi32>) -> tensor<2x4x4xf32>
  return %0, %1 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// -----

// An argument that nothing uses is replicated.
// CHECK-LABEL: func.func @unused_argument(
// CHECK-SAME:    %{{.*}}: tensor<8xf32, #s_tp> {dist.pin = #s_tp}, %{{.*}}: tensor<4xi32, #s_r>)
#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}]>
func.func @unused_argument(%x: tensor<8xf32> {dist.pin = #split}, %y: tensor<4xi32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// A reshard at the return has the phase of the op whose result is returned, and of the
// function's last op where an argument is.
// CHECK-LABEL: func.func @prologue(
// CHECK:         %[[W:.*]] = dist.reshard %{{.*}} {phase = #dist.phase<prologue>} : tensor<8xf32, #s_dp> -> tensor<8xf32, #s_r>
// CHECK-NEXT:    %[[N:.*]] = dist.reshard %{{.*}} {phase = #dist.phase<prologue>} : tensor<f32, #s_sum_dp> -> tensor<f32, #s>
// CHECK-NEXT:    return %[[W]], %[[N]]
#mesh = #dist.mesh<["dp"=2]>
#split = #dist.sharding<#mesh, [{"dp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @reader(%w: tensor<8xf32> {dist.pin = #whole, tfm.binding = #tfm.binding<compute "w">}) {
  return
}
func.func @prologue(%w: tensor<8xf32> {dist.pin = #split}, %labels: tensor<4xi32> {dist.pin = #split})
    -> (tensor<8xf32> {tfm.binding = #tfm.binding<compute "w">}, tensor<f32> {tfm.binding = #tfm.binding<metric "valid_tokens">}) {
  %0 = tfm.count_valid %labels {phase = #dist.phase<prologue>} : (tensor<4xi32>) -> tensor<f32>
  return %w, %0 : tensor<8xf32>, tensor<f32>
}
