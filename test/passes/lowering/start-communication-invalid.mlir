// RUN: mpc-opt %s --mpc-start-reductions --split-input-file --verify-diagnostics
// RUN: mpc-opt %s --mpc-start-gathers --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-start-gathers --split-input-file -o /dev/null 2>/dev/null

#whole = #dist.sharding<#dist.mesh<[]>, [{}]>

// expected-error@+1 {{has no exec.variant; expected `mpc-specialize-microbatches` to have run}}
func.func @update(
    %w: tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<master "w">}) {
  return
}

// -----

// expected-error@+1 {{argument #0 lacks tfm.binding or the sharded type dist.global}}
func.func @update(%w: tensor<8xf32> {tfm.binding = #tfm.binding<master "w">})
    attributes {exec.variant = #exec.variant<only>} {
  return
}

// -----

#whole = #dist.sharding<#dist.mesh<[]>, [{}]>

// expected-error@+1 {{result #0 lacks tfm.binding or the sharded type dist.global}}
func.func @update(
    %w: tensor<8xf32> {dist.global = tensor<8xf32, #whole>, tfm.binding = #tfm.binding<master "w">})
    -> tensor<8xf32> attributes {exec.variant = #exec.variant<only>} {
  return %w : tensor<8xf32>
}

// -----

// expected-error@+1 {{has 0 blocks, expected 1}}
func.func private @update() attributes {exec.variant = #exec.variant<only>}
