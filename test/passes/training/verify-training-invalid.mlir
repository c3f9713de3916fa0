// RUN: mpc-opt %s --mpc-verify-training --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-verify-training --split-input-file -o /dev/null 2>/dev/null

// expected-error@+1 {{module has no function @update}}
module {
func.func @prologue() {
  return
}
func.func @forward_backward() {
  return
}
}

// -----

// The function it all came from is gone.
func.func @prologue() {
  return
}
func.func @forward_backward() {
  return
}
func.func @update() {
  return
}
// expected-error@+1 {{@forward is none of @prologue, @forward_backward, @update}}
func.func @forward() {
  return
}

// -----

func.func @prologue() {
  return
}
func.func @forward_backward() {
  return
}
func.func @update() {
  return
}
// expected-error@+1 {{'builtin.module' op stands beside the functions of a training step, expected only functions}}
module {
}

// -----

func.func @prologue() {
  return
}
func.func @forward_backward() {
  return
}
// expected-error@+1 {{@update has 0 blocks, expected a body of 1}}
func.func private @update()

// -----

func.func @prologue() {
  return
}
func.func @forward_backward() {
  return
}
// expected-error@+1 {{argument #1 has no tfm.binding}}
func.func @update(%a: tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}, %b: tensor<f32>) {
  return
}

// -----

func.func @prologue() {
  return
}
func.func @update() {
  return
}
// expected-error@+1 {{result #0 has no tfm.binding}}
func.func @forward_backward(%a: tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @prologue() {
  return
}
func.func @update() {
  return
}
// expected-error@+1 {{argument #1 is bound to #tfm.binding<metric "loss">, and so is argument #0}}
func.func @forward_backward(%a: tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}, %b: tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}) {
  return
}

// -----

func.func @prologue() {
  return
}
func.func @update() {
  return
}
// expected-error@+1 {{result #1 is bound to #tfm.binding<metric "loss">, and so is result #0}}
func.func @forward_backward(%a: tensor<f32> {tfm.binding = #tfm.binding<metric "a">}) -> (tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}, tensor<f32> {tfm.binding = #tfm.binding<metric "loss">}) {
  return %a, %a : tensor<f32>, tensor<f32>
}

// -----

// State has one type; the same name of another kind is other state.
// expected-note@+1 {{as in @prologue}}
func.func @prologue(%a: tensor<4xf32> {tfm.binding = #tfm.binding<master "w">, tfm.parameter = #tfm.parameter<"w", [hidden], [4], constant = 0.0, decay = true>}) -> (tensor<4xf32> {tfm.binding = #tfm.binding<compute "w">}) {
  return %a : tensor<4xf32>
}
func.func @forward_backward() {
  return
}
// expected-error@+1 {{argument #1 (#tfm.binding<compute "w">) is 'tensor<5xf32>', expected 'tensor<4xf32>'}}
func.func @update(%a: tensor<3xf32> {tfm.binding = #tfm.binding<accumulator "w">}, %b: tensor<5xf32> {tfm.binding = #tfm.binding<compute "w">}) {
  return
}

// -----

// expected-error@+1 {{argument #0 is the master of "w" and has no tfm.parameter}}
func.func @prologue(%a: tensor<4xf32> {tfm.binding = #tfm.binding<master "w">}) {
  return
}
func.func @forward_backward() {
  return
}
func.func @update() {
  return
}
