// RUN: mpc-opt %s --mpc-print-stash -verify-diagnostics -o /dev/null | FileCheck %s --allow-empty
// RUN: not mpc-opt %s --mpc-print-stash -o /dev/null 2>/dev/null

// CHECK-NOT: {{.}}
// expected-error @+1 {{has no @forward_backward, expected a module after mpc-training and before mpc-pipeline}}
module {
}
