// RUN: not mpc-opt %s --mpc-compile="tp=0" 2>&1 | FileCheck %s --check-prefix=TP
// RUN: not mpc-opt %s --mpc-compile="dp=-2" 2>&1 | FileCheck %s --check-prefix=DP
// RUN: not mpc-opt %s --mpc-compile="microbatches=0" 2>&1 | FileCheck %s --check-prefix=MICROBATCHES
// RUN: not mpc-opt %s --mpc-compile="tp=1048576 dp=2" 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not mpc-opt %s --mpc-compile="zero=2" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mpc-opt %s --mpc-compile="sequence_parallel=true" 2>&1 | FileCheck %s --check-prefix=SEQUENCE
// RUN: not mpc-opt %s --mpc-compile="reference=true tp=2" 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not mpc-opt %s --mpc-compile="attention=flash" 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: not mpc-opt %s --mpc-compile="attention=unfused reference=true" 2>&1 | FileCheck %s --check-prefix=NAIVE
// RUN: not mpc-opt %s --mpc-compile="strategy-file=%t.missing" 2>&1 | FileCheck %s --check-prefix=FILE

// TP: error: tp=0 is out of range; expected 1 to 1048576
// DP: error: dp=-2 is out of range; expected 1 to 1048576
// MICROBATCHES: error: microbatches=0 is out of range; expected 1 to 1048576
// RANKS: error: tp=1048576, pp=1 and dp=2 make 2097152 ranks; expected at most 1048576
// ZERO: error: zero=2 is not supported; expected 0 or 1
// SEQUENCE: error: sequence_parallel needs tensor parallelism: it splits the sequence over the tp ranks, and tp=1; expected tp of at least 2
// REFERENCE: error: the reference plan is for one rank; found tp=2, pp=1 and dp=1, expected only microbatches beside it
// ATTENTION: error: attention=flash is not known; expected fused or unfused
// NAIVE: error: the reference plan runs tfm.attention by its definition; found attention=unfused, expected only microbatches beside it
// FILE: mpc-opt: error: cannot open input file '{{.*}}.missing'
module {
}
