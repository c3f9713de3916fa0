// RUN: mpc-opt %s -mpc-verify-exec -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -mpc-verify-exec -split-input-file -o /dev/null

module {
  exec.target cpu "x86_64-unknown-linux-gnu" features []
  exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 0 {
  }
  // expected-error@+1 {{'func.func' op is left, expected exec ops only}}
  func.func private @kernel_0()
}

// -----

module {
  exec.target cpu "x86_64-unknown-linux-gnu" features []
  // expected-error@+1 {{'exec.target' op is a second target}}
  exec.target cpu "x86_64-unknown-linux-gnu" features []
}

// -----

module {
  exec.target cpu "x86_64-unknown-linux-gnu" features []
  // expected-error@+1 {{'exec.role' op is for stage 1, expected stage 0}}
  exec.role stage 1 mesh <[]> persistent 0 slot 0 x 0 transient 0 {
  }
}

// -----

// expected-error@+1 {{'builtin.module' op has no exec.target}}
module {
  exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 0 {
  }
}

// -----

// expected-error@+1 {{'builtin.module' op has no exec.role}}
module {
  exec.target cpu "x86_64-unknown-linux-gnu" features []
}

// -----

module {
  exec.target cpu "x86_64-unknown-linux-gnu" features []
  // expected-error@+1 {{'exec.kernel' op stands without an object of the target}}
  exec.kernel @kernel_0 "gelu" extent 1
  exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 0 {
  }
}
