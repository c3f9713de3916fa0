// RUN: mpc-opt %s -split-input-file -verify-diagnostics

#mesh = #dist.mesh<["tp"=2]>
exec.role stage 0 mesh <["tp"=2]> persistent 64 slot 0 x 0 transient 0 { // state_c1
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<persistent + 0, 8xf32>, expected a 'tensor<4xf32>'}}
  exec.state master "w" : tensor<8xf32, #dist.sharding<#mesh, [{"tp"}]>> logical [8] at <persistent + 0, 8xf32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 64 { // state_c1
  // expected-error@+1 {{'exec.state' op has type 'f32', expected a tensor}}
  exec.state carry "a" : f32 logical [] at <persistent + 0, f32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 64 { // state_c2
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<transient + 0, f32>, expected a dense persistent slice}}
  exec.state carry "a" : tensor<f32> logical [] at <transient + 0, f32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 64 x 1 transient 0 { // state_c2
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<slot + 0, f32>, expected a dense persistent slice}}
  exec.state carry "a" : tensor<f32> logical [] at <slot + 0, f32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // state_c2
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<persistent + 0, 2x2xf32, rows every 4>, expected a dense persistent slice}}
  exec.state carry "a" : tensor<2x2xf32> logical [2, 2] at <persistent + 0, 2x2xf32, rows every 4>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // state_c3
  // expected-error@+1 {{'exec.state' op has 1 logical sizes, its type is 'tensor<2x2xf32>'}}
  exec.state carry "a" : tensor<2x2xf32> logical [2] at <persistent + 0, 2x2xf32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // state_c3
  // expected-error@+1 {{'exec.state' op has logical size 3, expected 1 to 2}}
  exec.state carry "a" : tensor<2xf32> logical [3] at <persistent + 0, 2xf32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // state_c4
  // expected-error@+1 {{'exec.state' op is loaded, expected a batch input}}
  exec.state carry "a" : tensor<2xi32> logical [2] at <persistent + 0, 2xi32> loads ids
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 0 x 0 transient 0 { // state_c4
  // expected-error@+1 {{'exec.state' op is a batch input that is not loaded}}
  exec.state batch "ids" : tensor<2xi32> logical [2] at <persistent + 0, 2xi32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 64 x 1 transient 0 { // state_c2
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<persistent + 0, f32>, expected a dense slice of the slot}}
  exec.state stash "0#0" : tensor<f32> logical [] at <persistent + 0, f32>
}

// -----

exec.role stage 0 mesh <[]> persistent 64 slot 64 x 1 transient 0 { // state_c2
  // expected-error@+1 {{'exec.state' op lies at #exec.slice<slot + 0, f32>, expected a dense persistent slice}}
  exec.state outgoing "activation_0_1#0" : tensor<f32> logical [] at <slot + 0, f32>
}
