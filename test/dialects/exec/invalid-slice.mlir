// RUN: mpc-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error@+1 {{slice of 'i64', expected f32, bf16, f16 or i32}}
"test.slice_c1"() {slice = #exec.slice<transient + 0, 4xi64>} : () -> ()

// -----

// expected-error@+1 {{slice of 'tensor<0xf32>', expected sizes of at least 1}}
"test.slice_c1"() {slice = #exec.slice<transient + 0, 0xf32>} : () -> ()

// -----

// expected-error@+1 {{slice at offset 4, expected a multiple of 64}}
"test.slice_c2"() {slice = #exec.slice<transient + 4, 4xf32>} : () -> ()

// -----

// expected-error@+1 {{slice at offset -64, expected a multiple of 64}}
"test.slice_c2"() {slice = #exec.slice<transient + -64, 4xf32>} : () -> ()

// -----

// expected-error@+1 {{slice at offset 2, expected a multiple of 4}}
"test.slice_c2"() {slice = #exec.slice<transient + 2, 2x4xf32, rows every 12>} : () -> ()

// -----

// expected-error@+1 {{slice of 'tensor<2x4xf32>' with rows every 3 elements, expected at least the last size}}
"test.slice_c3"() {slice = #exec.slice<transient + 0, 2x4xf32, rows every 3>} : () -> ()

// -----

// expected-error@+1 {{slice of 'tensor<f32>' with rows every 3 elements, expected at least the last size}}
"test.slice_c3"() {slice = #exec.slice<transient + 0, f32, rows every 3>} : () -> ()

// -----

// expected-error@+1 {{region "stack", expected persistent, slot or transient}}
"test.region"() {slice = #exec.slice<stack + 0, f32>} : () -> ()

// -----

// expected-error@+1 {{initial value "uniform", expected normal, constant or iota}}
"test.initial"() {initial = #exec.initial<uniform 1.0>} : () -> ()

// -----

// expected-error@+1 {{has attribute "exec.variant" = #exec.variant<first>, expected one that the exec dialect defines for functions}}
module attributes {exec.variant = #exec.variant<first>} {
}

// -----

// expected-error@+1 {{has attribute "exec.compiled" = 32 : i64, expected one that the exec dialect defines for functions}}
func.func private @kernel() attributes {exec.compiled = 32}
