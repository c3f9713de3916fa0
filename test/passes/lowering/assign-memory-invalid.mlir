// RUN: mpc-opt %s -mpc-assign-memory -split-input-file -verify-diagnostics
// RUN: not mpc-opt %s -mpc-assign-memory -split-input-file -o /dev/null

// expected-error@+1 {{'builtin.module' op lacks a function of the step: forward_backward of piece 0}}
module {
  func.func @prologue() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{'func.func' op has no exec.variant}}
  func.func @prologue() {
    return
  }
}

// -----

module {
  // expected-error@+1 {{'func.func' op is a kernel that has not been compiled}}
  func.func private @kernel_0() {
    return
  }
}

// -----

module {
  // expected-error@+1 {{'func.func' op has an argument or result without tfm.binding}}
  func.func @prologue(%x: tensor<f32>) attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{'func.func' op binds #tfm.binding<carry "x"> without dist.global, the sharded type of the whole}}
  func.func @prologue(%x: tensor<f32> {tfm.binding = #tfm.binding<carry "x">})
      attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

#none = #dist.sharding<#dist.mesh<[]>, [{}]>
module {
  func.func @prologue(
      %x: tensor<2xf32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<2xf32, #none>})
      attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  // expected-error@+1 {{'func.func' op binds #tfm.binding<carry "x"> to a 'tensor<4xf32, #dist.sharding<#dist.mesh<[]>, [{}]>>', elsewhere it is a 'tensor<2xf32}}
  func.func @update(
      %x: tensor<4xf32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<4xf32, #none>})
      attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

#one = #dist.sharding<#dist.mesh<[]>, []>
#two = #dist.sharding<#dist.mesh<["tp"=2]>, []>
module {
  // expected-error@+1 {{'func.func' op has state over #dist.mesh<["tp"=2]> and over #dist.mesh<[]>, expected one mesh}}
  func.func @prologue(
      %x: tensor<f32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<f32, #one>},
      %y: tensor<f32> {tfm.binding = #tfm.binding<carry "y">, dist.global = tensor<f32, #two>})
      attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

#none = #dist.sharding<#dist.mesh<[]>, [{}]>
module {
  // expected-error@+1 {{'func.func' op binds the batch input "images", expected ids, labels, positions, samples or token_types, or one of them after step.}}
  func.func @prologue(
      %x: tensor<2xf32> {tfm.binding = #tfm.binding<batch "images">, dist.global = tensor<2xf32, #none>})
      attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

module {
  func.func @prologue() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    // expected-error@+1 {{'dist.iota' op does not know its sharded type}}
    %0 = dist.iota : tensor<4xi32>
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

#one = #dist.sharding<#dist.mesh<[]>, []>
module {
  func.func @prologue(
      %x: tensor<f32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<f32, #one>})
      -> (tensor<f32> {tfm.binding = #tfm.binding<carry "y">, dist.global = tensor<f32, #one>})
      attributes {exec.variant = #exec.variant<only>} {
    // expected-error@+1 {{'tfm.sqrt' op is neither in a kernel nor a command}}
    %0 = tfm.sqrt %x : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}

// -----

#one = #dist.sharding<#dist.mesh<[]>, []>
module {
  func.func @prologue(
      %x: tensor<f32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<f32, #one>},
      %y: tensor<f32> {tfm.binding = #tfm.binding<carry "y">, dist.global = tensor<f32, #one>})
      -> (tensor<f32> {tfm.binding = #tfm.binding<carry "x">, dist.global = tensor<f32, #one>},
          tensor<f32> {tfm.binding = #tfm.binding<carry "y">, dist.global = tensor<f32, #one>})
      attributes {exec.variant = #exec.variant<only>} {
    // expected-error@+1 {{'func.return' op exchanges pieces of state, which the memory plan has no order of copies for}}
    return %y, %x : tensor<f32>, tensor<f32>
  }
  func.func @forward_backward() attributes {exec.variant = #exec.variant<only>} {
    return
  }
  func.func @update() attributes {exec.variant = #exec.variant<only>} {
    return
  }
}
