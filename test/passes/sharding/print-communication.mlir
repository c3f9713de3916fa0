// RUN: mpc-opt %s -mpc-print-communication | FileCheck %s
// RUN: mpc-opt %s --mpc-print-communication -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir

// IR: func.func @reduce

#mesh = #dist.mesh<["dp"=2, "tp"=3]>
#sum = #dist.sharding<#mesh, [{}, {}], sum = {"tp"}>
#sum_all = #dist.sharding<#mesh, [{}, {}], sum = {"dp", "tp"}>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#columns = #dist.sharding<#mesh, [{}, {"tp"}]>
#whole = #dist.sharding<#mesh, [{}, {}]>

// CHECK:      {{^}}function kind axes reshards bytes{{$}}

// 24 bytes each time: 2 · 2/3 · 24 · 2, and 2 · 5/6 · 24.
// CHECK-NEXT: {{^}}reduce all-reduce tp 2 64{{$}}
// CHECK-NEXT: {{^}}reduce all-reduce dp,tp 1 40{{$}}
func.func @reduce(%x: tensor<2x3xf32, #sum>, %y: tensor<2x3xf32, #sum_all>) {
  %0 = dist.reshard %x : tensor<2x3xf32, #sum> -> tensor<2x3xf32, #whole>
  %1 = dist.reshard %y : tensor<2x3xf32, #sum_all> -> tensor<2x3xf32, #whole>
  %2 = dist.reshard %x : tensor<2x3xf32, #sum> -> tensor<2x3xf32, #whole>
  return
}

// Only functions with reshards have lines, and only changes that take anything.
func.func @silent(%x: tensor<3x3xf32, #whole>) -> tensor<3x3xf32, #whole> {
  %0 = dist.reshard %x : tensor<3x3xf32, #whole> -> tensor<3x3xf32, #whole>
  return %0 : tensor<3x3xf32, #whole>
}

// One of each kind, of 36 bytes; bf16 is half of it. Both local ones are one line.
// CHECK-NEXT: {{^}}split reduce-scatter tp 1 24{{$}}
// CHECK-NEXT: {{^}}split all-gather tp 1 12{{$}}
// CHECK-NEXT: {{^}}split all-to-all tp 1 8{{$}}
// CHECK-NEXT: {{^}}split local tp 2 0{{$}}
func.func @split(%x: tensor<3x3xf32, #sum>, %y: tensor<3x3xbf16, #rows>,
                 %z: tensor<3x3xf32, #rows>, %w: tensor<3x3xf32, #whole>) {
  %0 = dist.reshard %x : tensor<3x3xf32, #sum> -> tensor<3x3xf32, #columns>
  %1 = dist.reshard %y : tensor<3x3xbf16, #rows> -> tensor<3x3xbf16, #whole>
  %2 = dist.reshard %z : tensor<3x3xf32, #rows> -> tensor<3x3xf32, #columns>
  %3 = dist.reshard %w : tensor<3x3xf32, #whole> -> tensor<3x3xf32, #columns>
  %4 = dist.reshard %w : tensor<3x3xf32, #whole> -> tensor<3x3xf32, #sum>
  return
}

// What remains of a sum after a scatter is reduced: one reshard in two lines. Of a
// scalar in three ranks' ring 5 1/3 bytes go, rounded up.
#candidates = #dist.sharding<#mesh, [{}], max = {"tp"}>
#part = #dist.sharding<#mesh, [{"tp"}]>
#both = #dist.sharding<#mesh, [{}], sum = {"dp", "tp"}>
#scalar_sum = #dist.sharding<#mesh, [], sum = {"tp"}>
#scalar = #dist.sharding<#mesh, []>
// CHECK-NEXT: {{^}}twice reduce-scatter tp 1 8{{$}}
// CHECK-NEXT: {{^}}twice all-reduce dp 1 4{{$}}
// CHECK-NEXT: {{^}}twice all-reduce tp 2 22{{$}}
// CHECK-NEXT: {{^}}twice local tp 1 0{{$}}
// CHECK-NOT:  {{.}}
func.func @twice(%x: tensor<3xf32, #both>, %y: tensor<3xf32, #candidates>,
                 %z: tensor<f32, #scalar_sum>) {
  %0 = dist.reshard %x : tensor<3xf32, #both> -> tensor<3xf32, #part>
  %1 = dist.reshard %y : tensor<3xf32, #candidates> -> tensor<3xf32, #part>
  %2 = dist.reshard %z : tensor<f32, #scalar_sum> -> tensor<f32, #scalar>
  return
}
