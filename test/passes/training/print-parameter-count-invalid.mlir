// RUN: mpc-opt %s --mpc-print-parameter-count -verify-diagnostics -o /dev/null
// RUN: not mpc-opt %s --mpc-print-parameter-count -o /dev/null 2>/dev/null

// expected-error@+1 {{has no function @forward; parameters are counted in a model as it was imported}}
module {
  func.func @update() {
    return
  }
}
