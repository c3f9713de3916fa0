// RUN: mpc-opt %s --mpc-print-parameter-count | FileCheck %s
// RUN: mpc-opt %s --mpc-print-parameter-count -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir

// Of what a checkpoint holds, not of the padding to 14 rows; inputs do not count.
// CHECK: {{^}}parameters: 57{{$}}
// CHECK-NOT: {{.}}

// IR: func.func @forward

func.func @forward(
    %table: tensor<14x4xf32> {tfm.parameter = #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>},
    %bias: tensor<5xf32> {tfm.parameter = #tfm.parameter<"b", [ffn], [5], constant = 0.0, decay = false>},
    %ids: tensor<2x8xi32> {tfm.binding = #tfm.binding<batch "ids">}) {
  return
}
