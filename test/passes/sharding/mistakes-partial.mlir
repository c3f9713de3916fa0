// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

// Ops given addends where they need the value.

// A bias added to a partial sum is added once by every rank.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#whole = #dist.sharding<#mesh, [{}]>
func.func @mistake(%x: tensor<2x4x6xf32, #sum>, %bias: tensor<6xf32, #whole>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"tp"} but 'bias' over {}; the op is linear in them only jointly [C4]}}
  %r = tfm.bias_add %x, %bias : (tensor<2x4x6xf32, #sum>, tensor<6xf32, #whole>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// So is the residual stream.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
func.func @mistake(%a: tensor<2x4x6xf32, #whole>, %b: tensor<2x4x6xf32, #sum>) {
  // expected-error @+1 {{operand 'b' is a partial sum over {"tp"} but 'a' over {}; the op is linear in them only jointly [C4]}}
  %r = tfm.add %a, %b : (tensor<2x4x6xf32, #whole>, tensor<2x4x6xf32, #sum>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// An accumulator that is whole cannot take a partial gradient.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#whole = #dist.sharding<#mesh, [{}, {}]>
func.func @mistake(%acc: tensor<4x4xf32, #whole>, %g: tensor<4x4xf32, #sum>) {
  // expected-error @+1 {{operand 'addend' is a partial sum over {"dp"} but 'accumulator' over {}; the op is linear in them only jointly [C4]}}
  %r = tfm.accumulate %acc, %g : (tensor<4x4xf32, #whole>, tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return
}

// -----

// Addends of different groups do not add up.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#dp = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#tp = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%a: tensor<4x4xf32, #dp>, %b: tensor<4x4xf32, #tp>) {
  // expected-error @+1 {{operand 'a' is a partial sum over {"dp"} but 'b' over {"tp"}; the op is linear in them only jointly [C4]}}
  %r = tfm.add %a, %b : (tensor<4x4xf32, #dp>, tensor<4x4xf32, #tp>) -> tensor<4x4xf32, #dp>
  return
}

// -----

// Gelu of a sum is not the sum of gelus.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<2x4x6xf32, #sum>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.gelu %x {form = #tfm.gelu_form<tanh>} : (tensor<2x4x6xf32, #sum>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// Nor is relu.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<2x4x6xf32, #sum>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.relu %x : (tensor<2x4x6xf32, #sum>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// Gelu's gradient is linear in the cotangent, not in gelu's input.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#whole = #dist.sharding<#mesh, [{}, {}, {}]>
func.func @mistake(%g: tensor<2x4x6xf32, #whole>, %x: tensor<2x4x6xf32, #sum>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.gelu_grad %g, %x {form = #tfm.gelu_form<tanh>}
    : (tensor<2x4x6xf32, #whole>, tensor<2x4x6xf32, #sum>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// A norm of a partial sum.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#h = #dist.sharding<#mesh, [{}]>
#row = #dist.sharding<#mesh, [{}, {}]>
func.func @mistake(%x: tensor<2x4x6xf32, #sum>, %w: tensor<6xf32, #h>, %b: tensor<6xf32, #h>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r:3 = tfm.layer_norm %x, %w, %b {epsilon = 1.0e-5 : f32}
    : (tensor<2x4x6xf32, #sum>, tensor<6xf32, #h>, tensor<6xf32, #h>)
      -> (tensor<2x4x6xf32, #sum>, tensor<2x4xf32, #row>, tensor<2x4xf32, #row>)
  return
}

// -----

// Attention is not linear in its queries.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}, {}, {}, {}], sum = {"tp"}>
#kv = #dist.sharding<#mesh, [{}, {}, {}, {}]>
#two = #dist.sharding<#mesh, [{}, {}]>
#one = #dist.sharding<#mesh, [{}]>
#none = #dist.sharding<#mesh, []>
func.func @mistake(%q: tensor<2x4x2x1x4xf32, #sum>,
                  %k: tensor<2x4x2x4xf32, #kv>,
                  %v: tensor<2x4x2x4xf32, #kv>,
                  %p: tensor<2x4xi32, #two>,
                  %t: tensor<2x4xi32, #two>,
                  %seed: tensor<i32, #none>,
                  %n: tensor<2xi32, #one>,
                  %h: tensor<2x1xi32, #two>) {
  // expected-error @+1 {{operand 'q' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r:2 = tfm.attention %q, %k, %v, %p, %t, %seed, %n, %h {scale = 0.5 : f32, causal = true, rate = 0.0 : f32, key = 0 : i32}
    : (tensor<2x4x2x1x4xf32, #sum>, tensor<2x4x2x4xf32, #kv>, tensor<2x4x2x4xf32, #kv>, tensor<2x4xi32, #two>, tensor<2x4xi32, #two>, tensor<i32, #none>, tensor<2xi32, #one>, tensor<2x1xi32, #two>)
      -> (tensor<2x4x2x1x4xf32, #sum>, tensor<2x4x2x1xf32, #kv>)
  return
}

// -----

// The norm of a gradient before the gradient is reduced.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#s = #dist.sharding<#mesh, [], sum = {"dp"}>
func.func @mistake(%g: tensor<4x4xf32, #sum>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.sum_squares %g : (tensor<4x4xf32, #sum>) -> tensor<f32, #s>
  return
}

// -----

// The root of a sum of squares that is not added up.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#s = #dist.sharding<#mesh, [], sum = {"dp"}>
func.func @mistake(%x: tensor<f32, #s>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.sqrt %x : (tensor<f32, #s>) -> tensor<f32, #s>
  return
}

// -----

// Clipping by one rank's share of the norm.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#s = #dist.sharding<#mesh, [], sum = {"dp"}>
#r = #dist.sharding<#mesh, []>
func.func @mistake(%norm: tensor<f32, #s>) {
  // expected-error @+1 {{operand 'norm' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.clip_factor %norm {max_norm = 1.0 : f32} : (tensor<f32, #s>) -> tensor<f32, #r>
  return
}

// -----

// Dividing by one rank's count of valid tokens.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#s = #dist.sharding<#mesh, [], sum = {"dp"}>
#r = #dist.sharding<#mesh, []>
func.func @mistake(%n: tensor<f32, #s>) {
  // expected-error @+1 {{operand 'x' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.reciprocal %n : (tensor<f32, #s>) -> tensor<f32, #r>
  return
}

// -----

// An optimizer given a gradient that is not reduced.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#w = #dist.sharding<#mesh, [{}, {}]>
#g = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#r = #dist.sharding<#mesh, []>
func.func @mistake(%p: tensor<4x4xf32, #w>,
                  %g: tensor<4x4xf32, #g>,
                  %clip: tensor<f32, #r>,
                  %lr: tensor<f32, #r>,
                  %v: tensor<f32, #r>) {
  // expected-error @+1 {{operand 'gradient' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.sgd %p, %g, %clip, %lr, %v {weight_decay = 0.0 : f32}
    : (tensor<4x4xf32, #w>, tensor<4x4xf32, #g>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>)
      -> tensor<4x4xf32, #w>
  return
}

// -----

// The same of Adam's.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#w = #dist.sharding<#mesh, [{}, {}]>
#g = #dist.sharding<#mesh, [{}, {}], sum = {"dp"}>
#r = #dist.sharding<#mesh, []>
func.func @mistake(%p: tensor<4x4xf32, #w>,
                  %m: tensor<4x4xf32, #w>,
                  %n: tensor<4x4xf32, #w>,
                  %g: tensor<4x4xf32, #g>,
                  %clip: tensor<f32, #r>,
                  %lr: tensor<f32, #r>,
                  %c: tensor<f32, #r>,
                  %d: tensor<f32, #r>,
                  %v: tensor<f32, #r>) {
  // expected-error @+1 {{operand 'gradient' is a partial sum over {"dp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r:3 = tfm.adamw %p, %m, %n, %g, %clip, %lr, %c, %d, %v {beta1 = 0.9 : f32, beta2 = 0.95 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.1 : f32}
    : (tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #g>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>)
      -> (tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #w>)
  return
}

// -----

// A maximum over the vocabulary used before it is one.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#m = #dist.sharding<#mesh, [{}, {}], max = {"tp"}>
#v = #dist.sharding<#mesh, [{"tp"}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<2x4x12xf32, #x>, %m: tensor<2x4xf32, #m>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{operand 'max' is a partial maximum over {"tp"}, expected a reshard to reduce it first [C4]}}
  %r = tfm.exp_sum %x, %m, %rows {classes = 12 : i64}
    : (tensor<2x4x12xf32, #x>, tensor<2x4xf32, #m>, tensor<12xi32, #v>) -> tensor<2x4xf32, #sum>
  return
}

// -----

// The likelihood of a label that only one rank has found.
#mesh = #dist.mesh<["tp"=2]>
#r = #dist.sharding<#mesh, [{}, {}]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%e: tensor<2x4xf32, #r>,
                  %m: tensor<2x4xf32, #r>,
                  %pick: tensor<2x4xf32, #sum>,
                  %labels: tensor<2x4xi32, #r>) {
  // expected-error @+1 {{operand 'pick' is a partial sum over {"tp"}, and the op is not linear in it; expected a reshard to reduce it first [C4]}}
  %r = tfm.nll %e, %m, %pick, %labels
    : (tensor<2x4xf32, #r>, tensor<2x4xf32, #r>, tensor<2x4xf32, #sum>, tensor<2x4xi32, #r>)
      -> tensor<2x4xf32, #sum>
  return
}

// -----

// A product of two sums has terms that no rank computes.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#w = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{operand 'w' is a partial sum over axis "tp", and so is 'x', a factor of it [C4]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #x>
  return
}

// -----

// An axis over which addends lie cannot split the weight too.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
#w = #dist.sharding<#mesh, [{"tp"}, {}]>
#y = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{operand 'x' is a partial sum over axis "tp", over which factor 'o0' is split [C4]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #y>
  return
}

// -----

// What a linear op makes of a partial sum is partial.
#mesh = #dist.mesh<["tp"=2]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
#whole = #dist.sharding<#mesh, [{}, {}]>
#r = #dist.sharding<#mesh, []>
func.func @mistake(%x: tensor<2x4xf32, #sum>, %f: tensor<f32, #r>) {
  // expected-error @+1 {{result 'out' is a partial sum over axis "tp" since 'x' is a partial sum over it, its type does not say so [C5]}}
  %r = tfm.scale %x, %f : (tensor<2x4xf32, #sum>, tensor<f32, #r>) -> tensor<2x4xf32, #whole>
  return
}
