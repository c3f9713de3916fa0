// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -split-input-file

// Splits that do not fit together.

// A column-parallel weight and an input split as for a row-parallel one.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#w = #dist.sharding<#mesh, [{"tp"}, {}]>
#y = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{operand 'w' splits factor 'c0' over {}, expected {"tp"} as in 'x' [C1]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #y>
  return
}

// -----

// A result that claims to be whole.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {}]>
#w = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @mistake(%x: tensor<2x4x8xf32, #x>, %w: tensor<6x8xf32, #w>) {
  // expected-error @+1 {{result 'out' splits factor 'o0' over {}, expected {"tp"} as in 'w' [C1]}}
  %r = tfm.linear %x, %w : (tensor<2x4x8xf32, #x>, tensor<6x8xf32, #w>) -> tensor<2x4x6xf32, #x>
  return
}

// -----

// The same axes in another order are other pieces.
#mesh = #dist.mesh<["a"=2, "b"=2]>
#ab = #dist.sharding<#mesh, [{"a", "b"}, {}]>
#ba = #dist.sharding<#mesh, [{"b", "a"}, {}]>
func.func @mistake(%a: tensor<8x4xf32, #ab>, %b: tensor<8x4xf32, #ba>) {
  // expected-error @+1 {{operand 'b' splits factor 'd0' over {"b", "a"}, expected {"a", "b"} as in 'a' [C1]}}
  %r = tfm.add %a, %b : (tensor<8x4xf32, #ab>, tensor<8x4xf32, #ba>) -> tensor<8x4xf32, #ab>
  return
}

// -----

// The rows of a product and the columns of its weight over one axis.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
#w = #dist.sharding<#mesh, [{"tp"}, {}]>
#g = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
func.func @mistake(%g: tensor<2x4x8xf32, #g>, %w: tensor<8x6xf32, #w>) {
  // expected-error @+1 {{operand 'w' splits factor 'o0' over {"tp"}, expected {} as in 'out_grad' [C1]}}
  %r = tfm.linear_input_grad %g, %w : (tensor<2x4x8xf32, #g>, tensor<8x6xf32, #w>) -> tensor<2x4x6xf32, #x>
  return
}

// -----

// Two loops over one axis: tokens of a rank with rows of a rank.
#mesh = #dist.mesh<["tp"=2]>
#g = #dist.sharding<#mesh, [{"tp"}, {}, {}]>
#ids = #dist.sharding<#mesh, [{"tp"}, {}]>
#rows = #dist.sharding<#mesh, [{"tp"}]>
#t = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @mistake(%g: tensor<2x4x6xf32, #g>, %ids: tensor<2x4xi32, #ids>, %rows: tensor<12xi32, #rows>) {
  // expected-error @+1 {{operand 'rows' splits factor 'V' over axis "tp", over which 'out_grad' splits factor 'b' [C2]}}
  %r = tfm.embedding_grad %g, %ids, %rows
    : (tensor<2x4x6xf32, #g>, tensor<2x4xi32, #ids>, tensor<12xi32, #rows>) -> tensor<12x6xf32, #t>
  return
}

// -----

// The batch and the vocabulary over the same ranks. (In `linear` any two factors share
// a tensor, whose sharding could not even be written.)
#mesh = #dist.mesh<["tp"=2]>
#t = #dist.sharding<#mesh, [{"tp"}, {}]>
#v = #dist.sharding<#mesh, [{"tp"}]>
#ids = #dist.sharding<#mesh, [{"tp"}, {}]>
#x = #dist.sharding<#mesh, [{"tp"}, {}, {}]>
func.func @mistake(%t: tensor<12x6xf32, #t>, %ids: tensor<2x4xi32, #ids>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{operand 'ids' splits factor 'b' over axis "tp", over which 'table' splits factor 'V' [C2]}}
  %r = tfm.embedding %t, %ids, %rows
    : (tensor<12x6xf32, #t>, tensor<2x4xi32, #ids>, tensor<12xi32, #v>) -> tensor<2x4x6xf32, #x>
  return
}

// -----

// A norm needs the whole row.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {}, {"tp"}]>
#h = #dist.sharding<#mesh, [{"tp"}]>
#row = #dist.sharding<#mesh, [{}, {}]>
func.func @mistake(%x: tensor<2x4x6xf32, #x>, %w: tensor<6xf32, #h>, %b: tensor<6xf32, #h>) {
  // expected-error @+1 {{operand 'x' splits factor 'h' over {"tp"}, the op needs it whole [C3]}}
  %r:3 = tfm.layer_norm %x, %w, %b {epsilon = 1.0e-5 : f32}
    : (tensor<2x4x6xf32, #x>, tensor<6xf32, #h>, tensor<6xf32, #h>)
      -> (tensor<2x4x6xf32, #x>, tensor<2x4xf32, #row>, tensor<2x4xf32, #row>)
  return
}

// -----

// Attention needs all keys of a query.
#mesh = #dist.mesh<["tp"=2]>
#q = #dist.sharding<#mesh, [{}, {}, {}, {}, {}]>
#kv = #dist.sharding<#mesh, [{}, {"tp"}, {}, {}]>
#l = #dist.sharding<#mesh, [{}, {}, {}, {}]>
#two = #dist.sharding<#mesh, [{}, {}]>
#t = #dist.sharding<#mesh, [{}, {"tp"}]>
#one = #dist.sharding<#mesh, [{}]>
#none = #dist.sharding<#mesh, []>
func.func @mistake(%q: tensor<2x4x2x1x4xf32, #q>,
                  %k: tensor<2x4x2x4xf32, #kv>,
                  %v: tensor<2x4x2x4xf32, #kv>,
                  %p: tensor<2x4xi32, #two>,
                  %t: tensor<2x4xi32, #t>,
                  %seed: tensor<i32, #none>,
                  %n: tensor<2xi32, #one>,
                  %h: tensor<2x1xi32, #two>) {
  // expected-error @+1 {{operand 'k' splits factor 't' over {"tp"}, the op needs it whole [C3]}}
  %r:2 = tfm.attention %q, %k, %v, %p, %t, %seed, %n, %h {scale = 0.5 : f32, causal = true, rate = 0.0 : f32, key = 0 : i32}
    : (tensor<2x4x2x1x4xf32, #q>, tensor<2x4x2x4xf32, #kv>, tensor<2x4x2x4xf32, #kv>, tensor<2x4xi32, #two>, tensor<2x4xi32, #t>, tensor<i32, #none>, tensor<2xi32, #one>, tensor<2x1xi32, #two>)
      -> (tensor<2x4x2x1x4xf32, #q>, tensor<2x4x2x1xf32, #l>)
  return
}

// -----

// Dropout that draws for its own piece of the sequence as if it were the first.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
#p = #dist.sharding<#mesh, [{}, {}]>
#n = #dist.sharding<#mesh, [{}]>
#none = #dist.sharding<#mesh, []>
func.func @mistake(%x: tensor<2x4x6xf32, #x>,
                  %seed: tensor<i32, #none>,
                  %samples: tensor<2xi32, #n>,
                  %positions: tensor<2x4xi32, #p>,
                  %features: tensor<6xi32, #n>) {
  // expected-error @+1 {{operand 'positions' splits factor 's' over {}, expected {"tp"} as in 'x' [C1]}}
  %r = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 1 : i32}
    : (tensor<2x4x6xf32, #x>, tensor<i32, #none>, tensor<2xi32, #n>, tensor<2x4xi32, #p>, tensor<6xi32, #n>)
      -> tensor<2x4x6xf32, #x>
  return
}

// -----

// Heads numbered from 0 on every rank.
#mesh = #dist.mesh<["tp"=2]>
#q = #dist.sharding<#mesh, [{}, {}, {"tp"}, {}, {}]>
#kv = #dist.sharding<#mesh, [{}, {}, {"tp"}, {}]>
#two = #dist.sharding<#mesh, [{}, {}]>
#one = #dist.sharding<#mesh, [{}]>
#none = #dist.sharding<#mesh, []>
func.func @mistake(%q: tensor<2x4x2x1x4xf32, #q>,
                  %k: tensor<2x4x2x4xf32, #kv>,
                  %v: tensor<2x4x2x4xf32, #kv>,
                  %p: tensor<2x4xi32, #two>,
                  %t: tensor<2x4xi32, #two>,
                  %seed: tensor<i32, #none>,
                  %n: tensor<2xi32, #one>,
                  %h: tensor<2x1xi32, #two>) {
  // expected-error @+1 {{operand 'heads' splits factor 'k' over {}, expected {"tp"} as in 'q' [C1]}}
  %r:2 = tfm.attention %q, %k, %v, %p, %t, %seed, %n, %h {scale = 0.5 : f32, causal = true, rate = 0.5 : f32, key = 0 : i32}
    : (tensor<2x4x2x1x4xf32, #q>, tensor<2x4x2x4xf32, #kv>, tensor<2x4x2x4xf32, #kv>, tensor<2x4xi32, #two>, tensor<2x4xi32, #two>, tensor<i32, #none>, tensor<2xi32, #one>, tensor<2x1xi32, #two>)
      -> (tensor<2x4x2x1x4xf32, #q>, tensor<2x4x2x1xf32, #kv>)
  return
}

// -----

// A split table whose ranks all number their rows from 0.
#mesh = #dist.mesh<["tp"=2]>
#t = #dist.sharding<#mesh, [{"tp"}, {}]>
#v = #dist.sharding<#mesh, [{}]>
#ids = #dist.sharding<#mesh, [{}, {}]>
#sum = #dist.sharding<#mesh, [{}, {}, {}], sum = {"tp"}>
func.func @mistake(%t: tensor<12x6xf32, #t>, %ids: tensor<2x4xi32, #ids>, %rows: tensor<12xi32, #v>) {
  // expected-error @+1 {{operand 'rows' splits factor 'V' over {}, expected {"tp"} as in 'table' [C1]}}
  %r = tfm.embedding %t, %ids, %rows
    : (tensor<12x6xf32, #t>, tensor<2x4xi32, #ids>, tensor<12xi32, #v>) -> tensor<2x4x6xf32, #sum>
  return
}

// -----

// A replicated gradient and split moments, as when ZeRO forgets to scatter.
#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#w = #dist.sharding<#mesh, [{"dp"}, {}]>
#g = #dist.sharding<#mesh, [{}, {}]>
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
  // expected-error @+1 {{operand 'gradient' splits factor 'd0' over {}, expected {"dp"} as in 'parameter' [C1]}}
  %r:3 = tfm.adamw %p, %m, %n, %g, %clip, %lr, %c, %d, %v {beta1 = 0.9 : f32, beta2 = 0.95 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.1 : f32}
    : (tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #g>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>, tensor<f32, #r>)
      -> (tensor<4x4xf32, #w>, tensor<4x4xf32, #w>, tensor<4x4xf32, #w>)
  return
}

// -----

// Two meshes in one op.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}]>
#y = #dist.sharding<#dist.mesh<["tp"=4]>, [{}]>
func.func @mistake(%a: tensor<4xf32, #x>, %b: tensor<4xf32, #y>) {
  // expected-error @+1 {{operand 'b' is sharded over #dist.mesh<["tp"=4]>, expected #dist.mesh<["tp"=2]>}}
  %r = tfm.add %a, %b : (tensor<4xf32, #x>, tensor<4xf32, #y>) -> tensor<4xf32, #x>
  return
}

// -----

// A tensor without a sharding among others that have one.
#mesh = #dist.mesh<["tp"=2]>
#x = #dist.sharding<#mesh, [{}]>
func.func @mistake(%a: tensor<4xf32, #x>, %b: tensor<4xf32>) {
  // expected-error @+1 {{operand 'b' has no sharding, other operands or results do}}
  %r = tfm.add %a, %b : (tensor<4xf32, #x>, tensor<4xf32>) -> tensor<4xf32, #x>
  return
}
