// RUN: mpc-opt %s --mpc-print-stash | FileCheck %s

// What a later phase reads of forward, as one rank holds it: not arguments, not what
// only forward reads or the function returns, not numbers of places.
// CHECK:      {{^}}from op type bytes{{$}}
// CHECK-NEXT: {{^}}h.0.mlp.act tfm.gelu 2x4xf32 32{{$}}
// CHECK-NEXT: {{^}}h.0.mlp.dropout tfm.relu 4x4xbf16 32{{$}}
// CHECK-NEXT: {{^}}h.11.ln tfm.layer_norm#mean 1x4xf32 16{{$}}
// CHECK-NEXT: {{^}}ln_f tfm.silu 4x4xf32 64{{$}}
// CHECK-NEXT: {{^}}h.0 sum 64{{$}}
// CHECK-NEXT: {{^}}h.11 sum 16{{$}}
// CHECK-NEXT: {{^}}ln_f sum 64{{$}}
// CHECK-NEXT: {{^}}all sum 144{{$}}
// CHECK-NOT:  {{.}}
#mesh = #dist.mesh<["tp"=2]>
#split = #dist.sharding<#mesh, [{"tp"}, {}]>
func.func @forward_backward(%x: tensor<4x4xf32, #split>, %n: tensor<4x4xbf16>, %y: tensor<1x4x4xf32>, %w: tensor<4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32, #split>) {
  %iota = dist.iota : tensor<4xi32>
  %0 = tfm.gelu %x {form = #tfm.gelu_form<tanh>} : (tensor<4x4xf32, #split>) -> tensor<4x4xf32, #split> loc("h.0.mlp.act")
  %1 = tfm.relu %n : (tensor<4x4xbf16>) -> tensor<4x4xbf16> loc("h.0.mlp.dropout")
  %norm, %mean, %rstd = tfm.layer_norm %y, %w, %w {epsilon = 1.0e-5 : f32}
    : (tensor<1x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) loc("h.11.ln")
  %2 = tfm.bias_grad %norm : (tensor<1x4x4xf32>) -> tensor<4x4xf32> loc("h.11.ln")
  %3 = tfm.silu %2 : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("ln_f")
  %4 = tfm.silu %3 : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("ln_f")
  %5 = tfm.gelu_grad %x, %0 {form = #tfm.gelu_form<tanh>, phase = #dist.phase<backward>}
    : (tensor<4x4xf32, #split>, tensor<4x4xf32, #split>) -> tensor<4x4xf32, #split>
  %6 = tfm.relu_grad %n, %1 {phase = #dist.phase<recompute>} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %7 = tfm.relu_grad %3, %3 {phase = #dist.phase<weight>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = tfm.add %mean, %mean {phase = #dist.phase<backward>} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %4, %5 : tensor<4x4xf32>, tensor<4x4xf32, #split>
}
