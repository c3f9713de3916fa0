// RUN: mpc-opt %s -split-input-file -verify-diagnostics

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @gemm_c1 phase update variant only {
    // expected-error@+1 {{'exec.gemm' op has right #exec.slice<transient + 64, 4x3xf32> of 12 elements, expected 8}}
    exec.gemm <transient + 0, 2x4xf32> * <transient + 64, 4x3xf32> -> <transient + 128, 2x2xf32> rows 2 columns 2 inner 4
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @gemm_c3 phase update variant only {
    // expected-error@+1 {{'exec.gemm' op has a batch of 1 dimensions and 1 strides of right, expected 2}}
    exec.gemm <transient + 0, 2x2x4xf32> * <transient + 64, 2x4x2xf32> -> <transient + 128, 2x2x2xf32> rows 2 columns 2 inner 4 batch [2] strides [8, 4] [8] [4, 2]
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @gemm_c4 phase update variant only {
    // expected-error@+1 {{'exec.gemm' op reaches 17 elements into left #exec.slice<transient + 0, 2x2x4xf32>, expected at most 16}}
    exec.gemm <transient + 0, 2x2x4xf32> * <transient + 64, 2x4x2xf32> -> <transient + 128, 2x2x2xf32> rows 2 columns 2 inner 4 batch [2] strides [9, 4] [8, 2] [4, 2]
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @gemm_c2 phase update variant only {
    // expected-error@+1 {{'exec.gemm' op multiplies 'bf16' and 'f32' into 'f32', expected floats of one type, into that or f32}}
    exec.gemm <transient + 0, 2x4xbf16> * <transient + 64, 4x2xf32> -> <transient + 128, 2x2xf32> rows 2 columns 2 inner 4
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @gemm_c2_destination phase update variant only {
    // expected-error@+1 {{'exec.gemm' op multiplies 'f32' and 'f32' into 'bf16'}}
    exec.gemm <transient + 0, 2x4xf32> * <transient + 64, 4x2xf32> -> <transient + 128, 2x2xbf16> rows 2 columns 2 inner 4
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @attention_c1 phase update variant only {
    // expected-error@+1 {{'exec.attention' op has value #exec.slice<transient + 0, 1x2x1x2xf32>, expected sizes [1, 1, 1, 2]}}
    exec.attention query <transient + 0, 1x1x1x1x2xf32> key <transient + 0, 1x1x1x2xf32> value <transient + 0, 1x2x1x2xf32> positions <transient + 0, 1x1xi32> <transient + 0, 1x1xi32> seed <transient + 0, i32> samples <transient + 0, 1xi32> heads <transient + 0, 1x1xi32> output <transient + 0, 1x1x1x1x2xf32> logsumexp <transient + 0, 1x1x1x1xf32> scale 1.0 dropout 0.0 key 0
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @attention_c1_query phase update variant only {
    // expected-error@+1 {{'exec.attention' op has query #exec.slice<transient + 0, 1x1x1x2xf32>, expected [b, s, kv, group, d]}}
    exec.attention query <transient + 0, 1x1x1x2xf32> key <transient + 0, 1x1x1x2xf32> value <transient + 0, 1x1x1x2xf32> positions <transient + 0, 1x1xi32> <transient + 0, 1x1xi32> seed <transient + 0, i32> samples <transient + 0, 1xi32> heads <transient + 0, 1x1xi32> output <transient + 0, 1x1x1x2xf32> logsumexp <transient + 0, 1x1x1x1xf32> scale 1.0 dropout 0.0 key 0
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @attention_grad_c1 phase update variant only {
    // expected-error@+1 {{'exec.attention_grad' op has key_grad #exec.slice<transient + 0, 1x1x2x2xf32>, expected sizes [1, 1, 1, 2]}}
    exec.attention_grad query <transient + 0, 1x1x1x1x2xf32> key <transient + 0, 1x1x1x2xf32> value <transient + 0, 1x1x1x2xf32> positions <transient + 0, 1x1xi32> <transient + 0, 1x1xi32> seed <transient + 0, i32> samples <transient + 0, 1xi32> heads <transient + 0, 1x1xi32> output <transient + 0, 1x1x1x1x2xf32> logsumexp <transient + 0, 1x1x1x1xf32> output_grad <transient + 0, 1x1x1x1x2xf32> query_grad <transient + 0, 1x1x1x1x2xf32> key_grad <transient + 0, 1x1x2x2xf32> value_grad <transient + 0, 1x1x1x2xf32> scale 1.0 dropout 0.0 key 0
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @launch_c1 phase update variant only {
    // expected-error@+1 {{'exec.launch' op launches @launch_c1, which is no exec.kernel of the module}}
    exec.launch @launch_c1 (<transient + 0, f32>) -> (<transient + 64, f32>)
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c1 phase update variant only {
    // expected-error@+1 {{'exec.start' op is an all_reduce without a reduction}}
    exec.start 0 all_reduce over <{"tp"}> <transient + 0, f32> -> <transient + 0, f32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c1 phase update variant only {
    // expected-error@+1 {{'exec.start' op is an all_gather with a reduction}}
    exec.start 0 all_gather reducing sum over <{"tp"}> <transient + 0, 2xf32> -> <transient + 64, 4xf32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c2 phase update variant only {
    // expected-error@+1 {{'exec.start' op names axis "dp", which #dist.mesh<["tp"=2]> does not have}}
    exec.start 0 all_reduce reducing sum over <{"dp"}> <transient + 0, f32> -> <transient + 0, f32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c2 phase update variant only {
    // expected-error@+1 {{'exec.start' op names no axis, expected at least one of #dist.mesh<["tp"=2]>}}
    exec.start 0 all_reduce reducing sum over <{}> <transient + 0, f32> -> <transient + 0, f32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c3 phase update variant only {
    // expected-error@+1 {{'exec.start' op has destination #exec.slice<transient + 64, 2x2xf32>, expected a 'tensor<4x1xf32>'}}
    exec.start 0 all_to_all over <{"tp"}> <transient + 0, 2x2xf32> along 1 -> <transient + 64, 2x2xf32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c3 phase update variant only {
    // expected-error@+1 {{'exec.start' op names dimension 1 of #exec.slice<transient + 0, 4xf32>, expected one below 1}}
    exec.start 0 reduce_scatter reducing sum over <{"tp"}> <transient + 0, 4xf32> along 1 -> <transient + 64, 2xf32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @start_c3 phase update variant only {
    // expected-error@+1 {{'exec.start' op cuts dimension 0 of #exec.slice<transient + 0, 3xf32> into 2 pieces, which does not divide}}
    exec.start 0 reduce_scatter reducing sum over <{"tp"}> <transient + 0, 3xf32> -> <transient + 64, 1xf32>
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @shard_c2 phase update variant only {
    // expected-error@+1 {{'exec.shard' op has destination #exec.slice<transient + 64, 4xf32>, expected a 'tensor<2xf32>'}}
    exec.shard <transient + 0, 4xf32> along 0 over <{"tp"}> -> <transient + 64, 4xf32>
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @keep_on_first_c2 phase update variant only {
    // expected-error@+1 {{'exec.keep_on_first' op has destination #exec.slice<transient + 64, 2xf32>, expected a 'tensor<4xf32>'}}
    exec.keep_on_first <transient + 0, 4xf32> over <{"tp"}> -> <transient + 64, 2xf32>
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 512 {
  exec.list @copy_c1 phase update variant only {
    // expected-error@+1 {{'exec.copy' op copies #exec.slice<transient + 0, 4xf32> to #exec.slice<transient + 64, 2x2xf32>, expected one type}}
    exec.copy <transient + 0, 4xf32> -> <transient + 64, 2x2xf32>
  }
}
