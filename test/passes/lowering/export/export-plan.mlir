// RUN: mpc-translate --export-plan %s -o %t.plan
// RUN: protoc --decode=mpc.plan.Plan --proto_path=%runtime/plan plan.proto < %t.plan | FileCheck %s
// RUN: mpc-run inspect %t.plan | FileCheck %s --check-prefix=INSPECT
//
// Every kind of command; the runtime's reader accepts them all.
// INSPECT: tiny, 28 parameters

// CHECK:      version: 1
// CHECK-NEXT: compiler_version: "{{[0-9.]+}}"
// CHECK-NEXT: strategy: "tp=2 dp=2 microbatches=3 sequence_parallel=true zero=1 strict=true"
// CHECK-NEXT: model_hash: "abc"
// CHECK-NEXT: model_name: "tiny"
// CHECK-NEXT: parameter_count: 28

// Each set of axes is a group once, in the order of its first use.
// CHECK:      groups {
// CHECK-NEXT:   axes: 0
// CHECK-NEXT: }
// CHECK-NEXT: groups {
// CHECK-NEXT:   axes: 1
// CHECK-NEXT: }
// CHECK-NEXT: groups {
// CHECK-NEXT:   axes: 0
// CHECK-NEXT:   axes: 1
// CHECK-NEXT: }
// CHECK-NEXT: target {
// CHECK-NEXT:   device: DEVICE_KIND_CPU
// CHECK-NEXT:   triple: "x86_64-unknown-linux-gnu"
// CHECK-NEXT:   cpu_features: "avx2"
// CHECK-NEXT:   cpu_features: "fma"
// CHECK-NEXT:   object: "\001\002\003\004"
// CHECK-NEXT:   kernels {
// CHECK-NEXT:     symbol: "kernel_0"
// CHECK-NEXT:     extent: 3
// CHECK-NEXT:     description: "gelu"
// CHECK:      training {
// CHECK-NEXT:   sequence_length: 2
// CHECK-NEXT:   global_batch: 12
// CHECK-NEXT:   microbatches: 3
// CHECK-NEXT:   vocabulary: 7
// CHECK-NEXT:   learning_rate {
// CHECK-NEXT:     learning_rate: 0.5
// CHECK-NEXT:     min_learning_rate: 0.25
// CHECK-NEXT:     warmup_steps: 7
// CHECK-NEXT:     decay_steps: 9
// CHECK-NEXT:   }
// CHECK-NEXT:   masking {
// CHECK-NEXT:     mask_token: 4
// CHECK-NEXT:     pad_token: 0
// CHECK-NEXT:     special_tokens: 5
// CHECK-NEXT:     special_tokens: 6
// CHECK-NEXT:     rate: 0.25
// CHECK-NEXT:     mask_share: 0.5
// CHECK-NEXT:     random_share: 0.125

// CHECK:      persistent_bytes: 512
// CHECK-NEXT: slot_bytes: 128
// CHECK-NEXT: slots: 1
// CHECK-NEXT: transient_bytes: 4096
// CHECK-NEXT: states {
// CHECK-NEXT:   name: "w"
// CHECK-NEXT:   kind: STATE_KIND_MASTER
// CHECK:        global_sizes: 8
// CHECK-NEXT:   global_sizes: 4
// CHECK-NEXT:   logical_sizes: 7
// CHECK-NEXT:   logical_sizes: 4
// CHECK-NEXT:   sharding {
// CHECK-NEXT:     dimensions {
// CHECK-NEXT:       axes: 1
// CHECK-NEXT:     }
// CHECK-NEXT:     dimensions {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK:        normal {
// CHECK-NEXT:     key: "w"
// CHECK-NEXT:     standard_deviation: 0.02
// CHECK:        kind: STATE_KIND_ACCUMULATOR
// CHECK:        partial_axes: 0
// CHECK-NEXT:   reduction: REDUCTION_SUM
// CHECK:        kind: STATE_KIND_METRIC
// CHECK:        constant: 0
// CHECK:        kind: STATE_KIND_CONSTANT
// CHECK:        iota {
// CHECK-NEXT:     start: -2
// CHECK:        region: REGION_SLOT
// CHECK:        batch_input: BATCH_INPUT_IDS
// CHECK:        batch_input: BATCH_INPUT_LABELS
// CHECK:        batch_input: BATCH_INPUT_TOKEN_TYPES

// CHECK:      lists {
// CHECK-NEXT:   name: "first"
// CHECK-NEXT:   phase: PHASE_FORWARD_BACKWARD
// CHECK-NEXT:   variant: VARIANT_FIRST
// CHECK:        location: "h.0"
// CHECK-NEXT:   gemm {
// CHECK-NEXT:     rows: 4
// CHECK-NEXT:     columns: 2
// CHECK-NEXT:     inner: 8
// CHECK-NEXT:     transpose_left: true
// CHECK-NEXT:     accumulate: true
// CHECK-NEXT:     left {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       type: DATA_TYPE_F32
// CHECK-NEXT:       sizes: 8
// CHECK-NEXT:       sizes: 4
// CHECK-NEXT:       row_stride: 12
// CHECK-NEXT:     }
// CHECK:        attention {
// CHECK-NEXT:     scale: 0.5
// CHECK-NEXT:     causal: true
// CHECK-NEXT:     dropout: 0.1
// CHECK-NEXT:     dropout_key: 4000000000
// CHECK-NEXT:     query {
// CHECK:          offset_bytes: 64
// CHECK:          offset_bytes: 128
// CHECK:          query_positions {
// CHECK:          key_positions {
// CHECK:          seed {
// CHECK:          samples {
// CHECK:          heads {
// CHECK:          output {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 192
// CHECK:          logsumexp {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 256
// CHECK:          workspace {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 320
// CHECK:        attention_grad {
// CHECK-NEXT:     forward {
// CHECK:          output_grad {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 384
// CHECK:          query_grad {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 448
// CHECK:          key_grad {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 512
// CHECK:          value_grad {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 576
// CHECK:        kernel {
// CHECK-NEXT:     kernel: 1
// CHECK-NEXT:     inputs {
// CHECK:          inputs {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 64
// CHECK:          outputs {
// CHECK-NEXT:       region: REGION_TRANSIENT
// CHECK-NEXT:       offset_bytes: 128
// CHECK:          kind: COLLECTIVE_KIND_ALL_REDUCE
// CHECK-NEXT:     reduction: REDUCTION_SUM
// CHECK-NEXT:     source {
// CHECK:          kind: COLLECTIVE_KIND_REDUCE_SCATTER
// CHECK-NEXT:     reduction: REDUCTION_MAX
// CHECK-NEXT:     group: 1
// CHECK-NEXT:     source {
// CHECK:          handle: 1
// CHECK:          kind: COLLECTIVE_KIND_ALL_GATHER
// CHECK-NEXT:     source {
// CHECK:          kind: COLLECTIVE_KIND_ALL_TO_ALL
// CHECK-NEXT:     group: 1
// CHECK-NEXT:     source_dimension: 1
// CHECK-NEXT:     source {
// CHECK:          handle: 3
// CHECK:        collective_wait {
// CHECK-NEXT:   }
// CHECK:        collective_wait {
// CHECK-NEXT:     handle: 1
// CHECK:        fill {
// CHECK-NEXT:     value: 2
// CHECK:      name: "update"
// CHECK-NEXT: phase: PHASE_UPDATE
// CHECK-NEXT: variant: VARIANT_ONLY
// CHECK-NEXT: chunk: 1
// CHECK:        shard {
// CHECK-NEXT:     group: 1
// CHECK-NEXT:     dimension: 1
// CHECK:        keep_on_first {
// CHECK-NEXT:     group: 2
// CHECK:        copy {
// CHECK:      schedule {
// CHECK-NEXT:   microbatch: 2
// CHECK-NEXT:   load_batch: true
// CHECK-NEXT: }
// CHECK-NEXT: schedule {
// CHECK-NEXT:   list: 1
// CHECK-NEXT: }
// CHECK-NEXT: observables {
// CHECK-NEXT:   name: "grad:w"
// CHECK-NEXT:   state: 1
// CHECK-NEXT:   location: "h.0"
// CHECK-NEXT: }
// CHECK-NEXT: observables {
// CHECK-NEXT:   name: "loss"
// CHECK-NEXT:   state: 2
// CHECK-NEXT:   schedule_entry: 1
// CHECK:      remarks {
// CHECK-NEXT:   text: "attention stays whole"

#mesh = #dist.mesh<["dp"=2, "tp"=2]>
#r0 = #dist.sharding<#mesh, []>
#rows = #dist.sharding<#mesh, [{"tp"}, {}]>
#sum = #dist.sharding<#mesh, [{"tp"}, {}], sum = {"dp"}>
#b2 = #dist.sharding<#mesh, [{"dp"}, {}]>

module attributes {
    tfm.model_name = "tiny", tfm.model_hash = "abc", tfm.remarks = ["attention stays whole"],
    tfm.strategy = #tfm.strategy<tp = 2, dp = 2, microbatches = 3, sequence_parallel = true,
      zero = 1, strict = true, reference = false>,
    tfm.masking = #tfm.masking<mask_token = 4, pad_token = 0, special_tokens = [5, 6],
      rate = 0.25 : f64, mask_share = 0.5 : f64, random_share = 0.125 : f64>,
    tfm.training = #tfm.training<sequence_length = 2, global_batch = 12, optimizer = sgd,
      learning_rate = 0.5 : f64, min_learning_rate = 0.25 : f64, warmup_steps = 7, decay_steps = 9,
      beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.1 : f64,
      clip_norm = 1.0 : f64, vocabulary = 7, vocabulary_multiple = 1>} {
exec.target cpu "x86_64-unknown-linux-gnu" features ["avx2", "fma"] object dense_resource<kernels> : tensor<4xi8>
exec.kernel @kernel_0 "gelu" extent 3
exec.kernel @kernel_1 "bias_add" extent 4
exec.role stage 0 mesh <["dp"=2, "tp"=2]> persistent 512 slot 128 x 1 transient 4096 {
  exec.state master "w" : tensor<8x4xf32, #rows> logical [7, 4] at <persistent + 0, 4x4xf32> initially <normal 0.02 of "w">
  exec.state accumulator "w" : tensor<8x4xf32, #sum> logical [7, 4] at <persistent + 64, 4x4xf32>
  exec.state metric "loss" : tensor<f32, #r0> logical [] at <persistent + 128, f32> initially <constant 0.0>
  exec.state constant "rows" : tensor<16xi32> logical [16] at <persistent + 192, 16xi32> initially <iota from -2.0>
  exec.state batch "ids" : tensor<4x2xi32, #b2> logical [4, 2] at <slot + 0, 2x2xi32> loads ids
  exec.state batch "step.labels" : tensor<4x2xi32, #b2> logical [4, 2] at <persistent + 256, 2x2xi32> loads labels
  exec.state batch "token_types" : tensor<4x2xi32, #b2> logical [4, 2] at <slot + 64, 2x2xi32> loads token_types
  exec.list @first phase forward_backward variant first {
    exec.gemm <transient + 0, 8x4xf32, rows every 12> transposed * <persistent + 0, 8x2xf32> -> accumulate <transient + 512, 4x2xf32> rows 4 columns 2 inner 8 from "h.0"
    exec.attention query <transient + 0, 2x2x1x1x4xf32> key <transient + 64, 2x2x1x4xf32> value <transient + 128, 2x2x1x4xf32> positions <slot + 0, 2x2xi32> <slot + 0, 2x2xi32> seed <persistent + 192, i32> samples <persistent + 192, 2xi32> heads <persistent + 192, 1x1xi32> output <transient + 192, 2x2x1x1x4xf32> logsumexp <transient + 256, 2x2x1x1xf32> workspace <transient + 320, 4xf32> scale 0.5 causal dropout 0.1 key 4000000000
    exec.attention_grad query <transient + 0, 2x2x1x1x4xf32> key <transient + 64, 2x2x1x4xf32> value <transient + 128, 2x2x1x4xf32> positions <slot + 0, 2x2xi32> <slot + 0, 2x2xi32> seed <persistent + 192, i32> samples <persistent + 192, 2xi32> heads <persistent + 192, 1x1xi32> output <transient + 192, 2x2x1x1x4xf32> logsumexp <transient + 256, 2x2x1x1xf32> workspace <transient + 320, 4xf32> output_grad <transient + 384, 2x2x1x1x4xf32> query_grad <transient + 448, 2x2x1x1x4xf32> key_grad <transient + 512, 2x2x1x4xf32> value_grad <transient + 576, 2x2x1x4xf32> scale 0.5 causal dropout 0.1 key 4000000000
    exec.launch @kernel_1 (<transient + 0, 4xf32>, <transient + 64, 4xf32>) -> (<transient + 128, 4xf32>)
    exec.start 0 all_reduce reducing sum over <{"dp"}> <transient + 0, 8xf32> -> <transient + 0, 8xf32>
    exec.start 1 reduce_scatter reducing max over <{"tp"}> <transient + 64, 8xf32> -> <transient + 128, 4xf32>
    exec.start 2 all_gather over <{"dp"}> <transient + 192, 4xf32> -> <transient + 256, 8xf32>
    exec.start 3 all_to_all over <{"tp"}> <transient + 320, 2x4xf32> along 1 -> <transient + 384, 4x2xf32>
    exec.wait 0
    exec.wait 1
    exec.wait 2
    exec.wait 3
    exec.fill 2.0 -> <transient + 0, 4xf32>
  }
  exec.list @update phase update variant only piece 1 {
    exec.shard <transient + 0, 2x8xf32> along 1 over <{"tp"}> -> <transient + 64, 2x4xf32>
    exec.keep_on_first <transient + 0, f32> over <{"dp", "tp"}> -> <transient + 64, f32>
    exec.copy <transient + 64, f32> -> <persistent + 128, f32>
  }
  exec.run @first microbatch 2 slot 0 load_batch
  exec.run @update microbatch 0 slot 0
  exec.observe "grad:w" of accumulator "w" after 0 from "h.0"
  exec.observe "loss" of metric "loss" after 1
}
}

{-#
  dialect_resources: {
    builtin: {
      kernels: "0x0400000001020304"
    }
  }
#-}
