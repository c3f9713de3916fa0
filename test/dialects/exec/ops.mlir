// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s -mlir-print-op-generic | mpc-opt | FileCheck %s

// CHECK: exec.target cpu "x86_64-unknown-linux-gnu" features ["avx2", "fma"]
exec.target cpu "x86_64-unknown-linux-gnu" features ["avx2", "fma"]
// CHECK: exec.kernel @kernel_0 "bias_add gelu" extent 32
exec.kernel @kernel_0 "bias_add gelu" extent 32

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
// CHECK: exec.role stage 0 mesh #mesh persistent 4096 slot 128 x 2 transient 65536
exec.role stage 0 mesh <["dp"=2, "tp"=2]> persistent 4096 slot 128 x 2 transient 65536 {
  // CHECK: exec.state master "w" : tensor<8x4xf32, #{{.*}}> logical [7, 4] at <persistent + 0, 4x4xf32> initially <normal 2.000000e-02 of "w">
  exec.state master "w" : tensor<8x4xf32, #dist.sharding<#mesh, [{"tp"}, {}]>> logical [7, 4] at <persistent + 0, 4x4xf32> initially <normal 2.0e-02 of "w">
  // CHECK: exec.state counter "step" : tensor<f32> logical [] at <persistent + 64, f32> initially <constant 0.000000e+00>
  exec.state counter "step" : tensor<f32> logical [] at <persistent + 64, f32> initially <constant 0.0>
  // CHECK: exec.state constant "rows" : tensor<16xi32> logical [16] at <persistent + 128, 16xi32> initially <iota>
  exec.state constant "rows" : tensor<16xi32> logical [16] at <persistent + 128, 16xi32> initially <iota>
  // CHECK: exec.state constant "later" : tensor<16xi32> logical [16] at <persistent + 192, 16xi32> initially <iota from -2.000000e+00>
  exec.state constant "later" : tensor<16xi32> logical [16] at <persistent + 192, 16xi32> initially <iota from -2.0>
  // CHECK: exec.state batch "ids" : tensor<2x8xi32> logical [2, 8] at <slot + 64, 2x8xi32> loads ids
  exec.state batch "ids" : tensor<2x8xi32> logical [2, 8] at <slot + 64, 2x8xi32> loads ids

  // CHECK: exec.list @first phase forward_backward variant first piece 1 {
  exec.list @first phase forward_backward variant first piece 1 {
    // CHECK-NEXT: exec.gemm <transient + 0, 2x8x4xf32> * <persistent + 0, 4x4xf32> transposed -> <transient + 256, 16x4xf32> rows 16 columns 4 inner 4 from "h.0.mlp.c_fc"
    exec.gemm <transient + 0, 2x8x4xf32> * <persistent + 0, 4x4xf32> transposed -> <transient + 256, 16x4xf32> rows 16 columns 4 inner 4 from "h.0.mlp.c_fc"
    // CHECK-NEXT: exec.gemm <transient + 0, 16x4xf32> transposed * <transient + 256, 16x4xf32, rows every 12> -> accumulate <transient + 0, 4x4xf32> rows 4 columns 4 inner 16
    exec.gemm <transient + 0, 16x4xf32> transposed * <transient + 256, 16x4xf32, rows every 12> -> accumulate <transient + 0, 4x4xf32> rows 4 columns 4 inner 16
    // CHECK-NEXT: exec.gemm <transient + 0, 2x8x2x1x4xf32> * <transient + 512, 2x8x2x4xf32> transposed -> <transient + 1024, 2x2x1x8x8xf32> rows 8 columns 8 inner 4 batch [2, 2] strides [64, 4, 8] [64, 4, 8] [128, 64, 8] from "h.0.attn"
    exec.gemm <transient + 0, 2x8x2x1x4xf32> * <transient + 512, 2x8x2x4xf32> transposed -> <transient + 1024, 2x2x1x8x8xf32> rows 8 columns 8 inner 4 batch [2, 2] strides [64, 4, 8] [64, 4, 8] [128, 64, 8] from "h.0.attn"
    // CHECK-NEXT: exec.attention query <transient + 0, 2x8x2x1x4xf32> key <transient + 512, 2x8x2x4xf32> value <transient + 1024, 2x8x2x4xf32> positions <slot + 0, 2x8xi32> <slot + 0, 2x8xi32> seed <persistent + 0, i32> samples <slot + 64, 2xi32> heads <persistent + 64, 2x1xi32> output <transient + 2048, 2x8x2x1x4xf32> logsumexp <transient + 4096, 2x8x2x1xf32> workspace <transient + 8192, 128xf32> scale 5.000000e-01 causal dropout 1.000000e-01 key 7
    exec.attention query <transient + 0, 2x8x2x1x4xf32> key <transient + 512, 2x8x2x4xf32> value <transient + 1024, 2x8x2x4xf32> positions <slot + 0, 2x8xi32> <slot + 0, 2x8xi32> seed <persistent + 0, i32> samples <slot + 64, 2xi32> heads <persistent + 64, 2x1xi32> output <transient + 2048, 2x8x2x1x4xf32> logsumexp <transient + 4096, 2x8x2x1xf32> workspace <transient + 8192, 128xf32> scale 0.5 causal dropout 0.1 key 7
    // CHECK-NEXT: exec.attention_grad query {{.*}} logsumexp <transient + 4096, 2x8x2x1xf32> output_grad <transient + 2048, 2x8x2x1x4xf32> query_grad <transient + 0, 2x8x2x1x4xf32> key_grad <transient + 512, 2x8x2x4xf32> value_grad <transient + 1024, 2x8x2x4xf32> scale 5.000000e-01 dropout 0.000000e+00 key 0
    exec.attention_grad query <transient + 0, 2x8x2x1x4xf32> key <transient + 512, 2x8x2x4xf32> value <transient + 1024, 2x8x2x4xf32> positions <slot + 0, 2x8xi32> <slot + 0, 2x8xi32> seed <persistent + 0, i32> samples <slot + 64, 2xi32> heads <persistent + 64, 2x1xi32> output <transient + 2048, 2x8x2x1x4xf32> logsumexp <transient + 4096, 2x8x2x1xf32> output_grad <transient + 2048, 2x8x2x1x4xf32> query_grad <transient + 0, 2x8x2x1x4xf32> key_grad <transient + 512, 2x8x2x4xf32> value_grad <transient + 1024, 2x8x2x4xf32> scale 0.5 dropout 0.0 key 0
    // CHECK-NEXT: exec.launch @kernel_0 (<transient + 0, 2x8x4xf32>, <persistent + 0, 4xf32>) -> (<transient + 0, 2x8x4xf32>) from "a + b"
    exec.launch @kernel_0 (<transient + 0, 2x8x4xf32>, <persistent + 0, 4xf32>) -> (<transient + 0, 2x8x4xf32>) from "a + b"
    // CHECK-NEXT: exec.start 0 all_reduce reducing max over <{"tp"}> <transient + 0, 4xf32> -> <transient + 0, 4xf32>
    exec.start 0 all_reduce reducing max over <{"tp"}> <transient + 0, 4xf32> -> <transient + 0, 4xf32>
    // CHECK-NEXT: exec.start 1 reduce_scatter reducing sum over <{"dp", "tp"}> <transient + 64, 2x8xf32> along 1 -> <transient + 128, 2x2xf32>
    exec.start 1 reduce_scatter reducing sum over <{"dp", "tp"}> <transient + 64, 2x8xf32> along 1 -> <transient + 128, 2x2xf32>
    // CHECK-NEXT: exec.start 2 all_gather over <{"dp"}> <transient + 192, 2x2xf32> -> <transient + 256, 2x4xf32> along 1
    exec.start 2 all_gather over <{"dp"}> <transient + 192, 2x2xf32> -> <transient + 256, 2x4xf32> along 1
    // CHECK-NEXT: exec.start 3 all_to_all over <{"tp"}> <transient + 320, 2x4xf32> along 1 -> <transient + 384, 4x2xf32>
    exec.start 3 all_to_all over <{"tp"}> <transient + 320, 2x4xf32> along 1 -> <transient + 384, 4x2xf32>
    // CHECK-NEXT: exec.wait 3
    exec.wait 3
    exec.wait 0
    exec.wait 1
    // CHECK: exec.wait 2 from "x"
    exec.wait 2 from "x"
    // CHECK-NEXT: exec.shard <transient + 0, 8x2xf32> along 0 over <{"tp"}> -> <transient + 64, 4x2xf32>
    exec.shard <transient + 0, 8x2xf32> along 0 over <{"tp"}> -> <transient + 64, 4x2xf32>
    // CHECK-NEXT: exec.keep_on_first <transient + 0, f32> over <{"tp"}> -> <transient + 64, f32>
    exec.keep_on_first <transient + 0, f32> over <{"tp"}> -> <transient + 64, f32>
    // CHECK-NEXT: exec.copy <transient + 0, 4xbf16> -> <persistent + 64, 4xbf16>
    exec.copy <transient + 0, 4xbf16> -> <persistent + 64, 4xbf16>
    // CHECK-NEXT: exec.fill 1.500000e+00 -> <transient + 0, 4xf16>
    exec.fill 1.5 -> <transient + 0, 4xf16>
  }
  // CHECK: exec.list @empty phase update variant only {
  exec.list @empty phase update variant only {
  }
  // CHECK: exec.run @first microbatch 3 slot 1 load_batch
  exec.run @first microbatch 3 slot 1 load_batch
  // CHECK: exec.run @empty microbatch 0 slot 0{{$}}
  exec.run @empty microbatch 0 slot 0
  // CHECK: exec.observe "grad:w" of master "w" after 1 from "h.0"
  exec.observe "grad:w" of master "w" after 1 from "h.0"
}

// CHECK: func.func private @kernel_1() attributes {exec.compiled = #exec.compiled<extent 32 in_place [0 to 1, 2 to 0]>}
func.func private @kernel_1() attributes {exec.compiled = #exec.compiled<extent 32 in_place [0 to 1, 2 to 0]>}
// CHECK: func.func private @f() attributes {exec.variant = #exec.variant<middle>}
func.func private @f() attributes {exec.variant = #exec.variant<middle>}

// Messages between stages.

// CHECK: exec.channel @activation_0_1 from 0 to 1
// CHECK: exec.send_start <persistent + 0, 4xf32> to @activation_0_1 from "h.0"
// CHECK: exec.send_wait @activation_0_1
// CHECK: exec.receive_start <slot + 0, 4xf32> of @activation_0_1
// CHECK: exec.receive_wait @activation_0_1 from "h.1"
exec.channel @activation_0_1 from 0 to 1
exec.role stage 2 mesh <[]> persistent 64 slot 64 x 2 transient 0 {
  exec.state incoming "activation_0_1#0" : tensor<4xf32> logical [4] at <slot + 0, 4xf32>
  exec.list @send phase transfer variant only {
    exec.send_start <persistent + 0, 4xf32> to @activation_0_1 from "h.0"
    exec.send_wait @activation_0_1
    exec.receive_start <slot + 0, 4xf32> of @activation_0_1
    exec.receive_wait @activation_0_1 from "h.1"
  }
  exec.run @send microbatch 0 slot 1
}
