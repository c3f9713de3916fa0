// RUN: mpc-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{'exec.kernel' op has extent 0, expected at least 1}}
exec.kernel @kernel_c1 "gelu" extent 0

// -----

// expected-error@+1 {{'exec.role' op has size -1, expected at least 0}}
exec.role stage 0 mesh <[]> persistent -1 slot 0 x 0 transient 0 { // role_c1
}

// -----

// expected-note@+1 {{in this role}}
exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 64 { // role_c2
  exec.list @f phase update variant only {
    // expected-error@+1 {{'exec.copy' op has slice #exec.slice<transient + 64, 4xf32>, which ends behind the 64 bytes of its region}}
    exec.copy <transient + 0, 4xf32> -> <transient + 64, 4xf32>
  }
}

// -----

// The last row of strided rows has no gap behind it: 4 · (8 + 4) bytes.
// expected-note@+1 {{in this role}}
exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 47 { // role_c2
  exec.list @f phase update variant only {
    // expected-error@+1 {{which ends behind the 47 bytes of its region}}
    exec.fill 0.0 -> <transient + 0, 2x4xf32, rows every 8>
  }
}

// -----

// Without slots there is no slot region.
// expected-note@+1 {{in this role}}
exec.role stage 0 mesh <[]> persistent 0 slot 64 x 0 transient 0 { // role_c2
  // expected-error@+1 {{'exec.state' op has slice #exec.slice<slot + 0, 4xi32>, which ends behind the 0 bytes of its region}}
  exec.state batch "samples" : tensor<4xi32> logical [4] at <slot + 0, 4xi32> loads samples
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // role_c3
  exec.state carry "a" : tensor<f32> logical [] at <persistent + 0, f32>
  exec.state metric "a" : tensor<f32> logical [] at <persistent + 0, f32>
  // expected-error@+1 {{'exec.state' op is a second carry "a"}}
  exec.state carry "a" : tensor<f32> logical [] at <persistent + 0, f32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // role_c4
  exec.state carry "a" : tensor<f32> logical [] at <persistent + 0, f32>
  // expected-error@+1 {{'exec.observe' op observes metric "a", which the role does not have}}
  exec.observe "a" of metric "a" after 0
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // role_c5
  exec.state carry "a" : tensor<f32> logical [] at <persistent + 0, f32>
  exec.list @f phase update variant only {
  }
  exec.run @f microbatch 0 slot 0
  // expected-error@+1 {{'exec.observe' op is final after entry 1 of the schedule, which has 1}}
  exec.observe "a" of carry "a" after 1
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 64 x 2 transient 0 { // role_c6
  exec.list @f phase update variant only {
  }
  exec.run @f microbatch 0 slot 1
  // expected-error@+1 {{'exec.run' op uses slot 2, there are 2}}
  exec.run @f microbatch 0 slot 2
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // run_c1
  exec.state carry "a" : tensor<f32> logical [] at <persistent + 0, f32>
  // expected-error@+1 {{'exec.run' op runs @f, which is no exec.list of the role}}
  exec.run @f microbatch 0 slot 0
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // run_c2
  exec.list @f phase update variant only {
  }
  // expected-error@+1 {{'exec.run' op has microbatch -1 and slot 0, expected at least 0}}
  exec.run @f microbatch -1 slot 0
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // list_c1
  exec.list @f phase update variant only {
    // expected-error@+1 {{'builtin.module' op is not a command}}
    builtin.module {
    }
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 64 { // list_c2
  exec.list @f phase update variant only {
    exec.start 0 all_reduce reducing sum over <{"tp"}> <transient + 0, f32> -> <transient + 0, f32>
    // expected-error@+1 {{'exec.start' op uses handle 0, which is under way}}
    exec.start 0 all_reduce reducing sum over <{"tp"}> <transient + 0, f32> -> <transient + 0, f32>
  }
}

// -----

exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 64 { // list_c2
  exec.list @f phase update variant only {
    // expected-error@+1 {{'exec.wait' op waits for handle 0, which is not under way}}
    exec.wait 0
  }
}

// -----

exec.role stage 0 mesh <["tp"=2]> persistent 0 slot 0 x 0 transient 64 { // list_c2
  exec.list @f phase update variant only {
    // expected-error@+1 {{'exec.start' op starts handle 1, which is not waited for}}
    exec.start 1 all_reduce reducing sum over <{"tp"}> <transient + 0, f32> -> <transient + 0, f32>
  }
}

// -----

// expected-error@+1 {{'exec.channel' op goes from stage 1 to 1, expected two stages}}
exec.channel @same from 1 to 1 // channel_c1

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 {
  exec.list @send phase transfer variant only {
    // expected-error@+1 {{'exec.send_start' op uses @nowhere, which is no exec.channel of the module}}
    exec.send_start <persistent + 0, f32> to @nowhere // send_start_c1
  }
}
