// RUN: split-file %s %t
// RUN: not mpc-translate --export-plan %t/left.mlir -o %t.plan 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: mpc-translate --import-spec %examples/tiny_gpt.textproto -o %t/imported.mlir
// RUN: not mpc-translate --export-plan %t/imported.mlir -o %t.plan 2>&1 | FileCheck %s --check-prefix=IMPORTED
// RUN: not mpc-translate --export-plan %t/untrained.mlir -o %t.plan 2>&1 | FileCheck %s --check-prefix=UNTRAINED
// RUN: not mpc-translate --export-plan %t/garbage.mlir -o %t.plan 2>&1 | FileCheck %s --check-prefix=GARBAGE
// RUN: not ls %t.plan

// A model that was never compiled: one line that says so, without the model in it.
// IMPORTED: {{^}}{{.*}}imported.mlir: error: at forward: 'func.func' op is left, expected exec ops only, as in a module compiled by mpc-opt --mpc-compile{{$}}
// IMPORTED-NOT: {{.}}

//--- left.mlir
// LEFT: error: 'func.func' op is left, expected exec ops only
func.func private @kernel_0()
//--- untrained.mlir
// UNTRAINED: error: 'builtin.module' op has no tfm.training, which a plan needs
exec.target cpu "x86_64-unknown-linux-gnu" features []
exec.role stage 0 mesh <[]> persistent 0 slot 0 x 0 transient 0 {
}
//--- garbage.mlir
// GARBAGE: error: custom op 'this' is unknown
this is no module
