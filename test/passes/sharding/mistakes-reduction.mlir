// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

// Reductions that are missing, doubled or misplaced. Each would train, to wrong
// numbers; each is a type error.

// A missing reduction: a row-parallel product is a partial sum.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{}, {"tp"}]>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since it splits factor 'c0', its type does not say so [C5]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #whole>
  return
}

// -----

// A double reduction: the summands are whole already, a second all-reduce of the
// result would multiply it by the number of ranks.
#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
func.func @mistake(%a: tensor<2x4x6xf32, #whole>, %b: tensor<2x4x6xf32, #whole>) {
  // expected-error @+1 {{result 'out' is typed as partial over axis "tp", over which nothing is reduced [C5]}}
  %r = tfm.add %a, %b : (tensor<2x4x6xf32, #whole>, tensor<2x4x6xf32, #whole>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// A reduction over the wrong axis: the product sums over tp, not dp.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"dp"}>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since it splits factor 'c0', its type does not say so [C5]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// A reduction over too many axes.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{}, {"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"dp", "tp"}>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{result 'out' is typed as partial over axis "dp", over which nothing is reduced [C5]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// Megatron's g forgotten in backward: the cotangent of a column-parallel
// product's input is a partial sum.
#mesh = #dist.mesh<["tp"=2]>
#g = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{"tp"}, {}]>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
func.func @mistake(%g: tensor<2x4x8xf32, #g>, %w: tensor<8x6xf32, #w>) {
  // expected-error @+1 {{result 'x_grad' is a partial sum over axis "tp" since it splits factor 'o0', its type does not say so [C5]}}
  %r = tfm.linear_input_grad %g, %w : (tensor<2x4x8xf32, #g>, tensor<8x6xf32, #w>) -> tensor<2x4x6xf32, #whole>
  return
}

// -----

// A weight's gradient not reduced over the data-parallel ranks.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#g = #dist.sharding<#mesh, [{"dp"}, {}, {}]>
#whole = #dist.sharding<#mesh, [{}, {}]>
func.func @mistake(%g: tensor<2x4x8xf32, #g>, %x: tensor<2x4x6xf32, #g>) {
  // expected-error @+1 {{result 'w_grad' is a partial sum over axis "dp" since it splits factor 'b', its type does not say so [C5]}}
  %r = tfm.linear_weight_grad %g, %x : (tensor<2x4x8xf32, #g>, tensor<2x4x6xf32, #g>) -> tensor<8x6xf32, #whole>
  return
}

// -----

// A bias' gradient reduced over tp too, where every rank has the whole of it.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#g = #dist.sharding<#mesh, [{"dp"}, {}, {}]>
#sum = #dist.sharding<#mesh, [{}], sum = {"dp", "tp"}>
func.func @mistake(%g: tensor<2x4x6xf32, #g>) {
  // expected-error @+1 {{result 'bias_grad' is typed as partial over axis "tp", over which nothing is reduced [C5]}}
  %r = tfm.bias_grad %g : (tensor<2x4x6xf32, #g>) -> tensor<6xf32, #sum>
  return
}

// -----

// Sequence parallelism: each rank sees its own positions, so a norm's gradients
// are partial sums, which Megatron once left out.
#mesh = #dist.mesh<["tp"=2]>
#g = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
#row = #dist.sharding<#mesh, [{}, {"tp"}]>
#whole = #dist.sharding<#mesh, [{}]>
func.func @mistake(%g: tensor<2x4x6xf32, #g>,
                  %x: tensor<2x4x6xf32, #g>,
                  %m: tensor<2x4xf32, #row>,
                  %v: tensor<2x4xf32, #row>) {
  // expected-error @+1 {{result 'weight_grad' is a partial sum over axis "tp" since it splits factor 's', its type does not say so [C5]}}
  %r:2 = tfm.layer_norm_param_grad %g, %x, %m, %v
    : (tensor<2x4x6xf32, #g>, tensor<2x4x6xf32, #g>, tensor<2x4xf32, #row>, tensor<2x4xf32, #row>)
      -> (tensor<6xf32, #whole>, tensor<6xf32, #whole>)
  return
}

// -----

// A table split over its rows: a rank knows only some of the ids.
#mesh = #dist.mesh<["tp"=2]>
#t = #dist.sharding<#mesh, [{"tp"}, {}]>
#v = #dist.sharding<#mesh, [{"tp"}]>
#ids = #dist.sharding<#mesh, [{}, {}]>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
func.func @mistake(%t: tensor<12x6xf32, #t>, %ids: tensor<2x4xi32, #ids>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since it splits factor 'V', its type does not say so [C5]}}
  %r = tfm.embedding %t, %ids, %rows
    : (tensor<12x6xf32, #t>, tensor<2x4xi32, #ids>, tensor<12xi32, #v>) -> tensor<2x4x6xf32, #whole>
  return
}

// -----

// A table's gradient with tokens split over dp is a sum over dp, and not over tp,
// which splits its rows.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#g = #dist.sharding<#mesh, [{"dp"}, {}, {}]>
#ids = #dist.sharding<#mesh, [{"dp"}, {}]>
#v = #dist.sharding<#mesh, [{"tp"}]>
#sum = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @mistake(%g: tensor<2x4x6xf32, #g>, %ids: tensor<2x4xi32, #ids>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{result 'table_grad' is a partial sum over axis "dp" since it splits factor 'b', its type does not say so [C5]}}
  %r = tfm.embedding_grad %g, %ids, %rows
    : (tensor<2x4x6xf32, #g>, tensor<2x4xi32, #ids>, tensor<12xi32, #v>) -> tensor<12x6xf32, #sum>
  return
}

// -----

// The largest logit of a split row is a maximum, not a sum.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#v = #dist.sharding<#mesh, [{"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<2x4x12xf32, #x>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{result 'out' is a partial maximum, its type says otherwise [C5]}}
  %r = tfm.row_max %x, %rows {classes = 12 : i64}
    : (tensor<2x4x12xf32, #x>, tensor<12xi32, #v>) -> tensor<2x4xf32, #sum>
  return
}

// -----

// A softmax's denominator over a split vocabulary.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#v = #dist.sharding<#mesh, [{"tp"}]>
#whole = #dist.sharding<#mesh, [{}, {}]>
func.func @mistake(%x: tensor<2x4x12xf32, #x>, %m: tensor<2x4xf32, #whole>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since it splits factor 'V', its type does not say so [C5]}}
  %r = tfm.exp_sum %x, %m, %rows {classes = 12 : i64}
    : (tensor<2x4x12xf32, #x>, tensor<2x4xf32, #whole>, tensor<12xi32, #v>) -> tensor<2x4xf32, #whole>
  return
}

// -----

// A sum that is typed as a maximum.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{"tp"}, {}]>
#max = #dist.sharding<#mesh, [], max = {"tp"}>
func.func @mistake(%x: tensor<2x4xf32, #x>) {
  // expected-error @+1 {{result 'out' is a partial sum, its type says otherwise [C5]}}
  %r = tfm.sum_all %x : (tensor<2x4xf32, #x>) -> tensor<f32, #max>
  return
}

// -----

// A loss that every data-parallel rank takes for the whole.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#x = #dist.sharding<#mesh, [{"dp"}, {}]>
#whole = #dist.sharding<#mesh, []>
func.func @mistake(%x: tensor<2x4xf32, #x>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "dp" since it splits factor 'd0', its type does not say so [C5]}}
  %r = tfm.sum_all %x : (tensor<2x4xf32, #x>) -> tensor<f32, #whole>
  return
}

// -----

// Tokens counted on each rank for itself, as in a mean of means.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#x = #dist.sharding<#mesh, [{}, {"dp"}, {}]>
#whole = #dist.sharding<#mesh, []>
func.func @mistake(%labels: tensor<2x2x4xi32, #x>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "dp" since it splits factor 'd1', its type does not say so [C5]}}
  %r = tfm.count_valid %labels : (tensor<2x2x4xi32, #x>) -> tensor<f32, #whole>
  return
}

// -----

// The norm of a parameter that is split: each rank has its share of the squares.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{"tp"}, {}]>
#whole = #dist.sharding<#mesh, []>
func.func @mistake(%x: tensor<4x4xf32, #x>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since it splits factor 'd0', its type does not say so [C5]}}
  %r = tfm.sum_squares %x : (tensor<4x4xf32, #x>) -> tensor<f32, #whole>
  return
}

// -----

// The norm of a parameter that is not split must not be added up over the ranks.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}]>
#sum = #dist.sharding<#mesh, [], sum = {"tp"}>
func.func @mistake(%x: tensor<4x4xf32, #x>) {
  // expected-error @+1 {{result 'out' is typed as partial over axis "tp", over which nothing is reduced [C5]}}
  %r = tfm.sum_squares %x : (tensor<4x4xf32, #x>) -> tensor<f32, #sum>
  return
}

// -----

// A constant is never partial: its addends would sum to a multiple.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}], sum = {"tp"}>
func.func @mistake() {
  // expected-error @+1 {{result 'result' is typed as partial over axis "tp", over which nothing is reduced [C5]}}
  %r = dist.iota : tensor<8xi32, #sum>
  return
}

// -----

// Nor is what is broadcast from a whole value.
#mesh = #dist.mesh<["tp"=2]>
#whole = #dist.sharding<#mesh, []>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<f32, #whole>) {
  // expected-error @+1 {{result 'out' is typed as partial over axis "tp", over which nothing is reduced [C5]}}
  %r = tfm.broadcast %x : (tensor<f32, #whole>) -> tensor<2x4xf32, #sum>
  return
}
