//===- Passes.td - the lowering phase ----------------------*- tablegen -*-===//
#ifndef MPC_PASSES_LOWERING_PASSES_TD
#define MPC_PASSES_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitAccumulationsPass
    : Pass<"mpc-split-accumulations", "::mlir::ModuleOp"> {
  let summary = "Adds each part of a gradient to its accumulator by itself";
  let description = [{
    Requires: `mpc-verify-partitioned`.
    Ensures: no `tfm.accumulate` of a sum that nothing else uses: `accumulator + (a + b)`
    has become `(accumulator + a) + b`, each addition where its addend is computed.
    Preserves: values, up to the order of these additions.

    The gradient of a tied table is a sum of parts far from each other; none of them
    has to be kept until the last is there.

    ```mlir
    func.func @f(%acc: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>)
        -> tensor<8xf32> {
      %0 = tfm.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %1 = tfm.accumulate %acc, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def SpecializeMicrobatchesPass
    : Pass<"mpc-specialize-microbatches", "::mlir::ModuleOp"> {
  let summary = "Makes a @forward_backward for the first and one for later microbatches";
  let description = [{
    Requires: `mpc-verify-partitioned`; the functions of a step.
    Ensures: each function has an `exec.variant`. A function of a microbatch that
    accumulates, such as @forward_backward, is for the first (or only) microbatch:
    accumulators that it takes as arguments are written, not read. With more than one
    microbatch there is @forward_backward_middle, what it was, for all others.
    Preserves: what a step computes from accumulators of zero.

    ```mlir
    func.func @forward_backward(%acc: tensor<8xf32>, %g: tensor<8xf32>)
        -> tensor<8xf32> {
      %0 = tfm.accumulate %acc, %g  // becomes %g
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

def StartGathersPass : Pass<"mpc-start-gathers", "::mlir::ModuleOp"> {
  let summary = "Gathers parameters in the first forward pass that reads them";
  let description = [{
    Requires: `mpc-specialize-microbatches`.
    Ensures: where @prologue gathers the pieces of a parameter, and one function of a
    microbatch is the first to read it, that function gathers it, for the first
    microbatch, before all else and in the order in which parameters are read. So a
    gather is under way until its parameter is needed. Such functions get a variant
    for the first microbatch. Gathered is the master, or, in another precision, a
    piece that @prologue keeps.
    Preserves: what a step computes.

    ```mlir
    func.func @forward_backward(%w: tensor<8xf32>) -> tensor<8xf32> {
      // takes a tensor<4xf32> and begins with its dist.all_gather
      return %w : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

def StartReductionsPass : Pass<"mpc-start-reductions", "::mlir::ModuleOp"> {
  let summary = "Reduces gradients in the backward pass of the last microbatch";
  let description = [{
    Requires: `mpc-specialize-microbatches`.
    Ensures: where @update reduces accumulators over ranks before all else, and one
    function makes them, that function does, for the last microbatch, as soon as they
    are complete. So the collective is under way while the rest of the backward pass is
    computed. @update gets the GRADIENT of the parameter instead. With several
    microbatches, such functions get a variant `last`.
    Preserves: what a step computes.

    ```mlir
    func.func @forward_backward(%acc: tensor<8xf32>, %g: tensor<8xf32>)
        -> tensor<8xf32> {
      %0 = tfm.accumulate %acc, %g
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>  // returns its dist.all_reduce
    }
    ```
  }];
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

def HoistDropoutKeysPass
    : Pass<"mpc-hoist-dropout-keys", "::mlir::ModuleOp"> {
  let summary = "Turns the keys of dropout ops into seeds";
  let description = [{
    Requires: `mpc-verify-partitioned`.
    Ensures: dropout that becomes a kernel has key 0 and a seed of its own, the step's
    seed ^ key, which one kernel computes for all ops of a function.
    Preserves: every value.

    Otherwise the kernels of different layers would differ in the key alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormKernelsPass : Pass<"mpc-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Outlines ops that share a loop over rows as kernels";
  let description = [{
    Requires: `mpc-verify-partitioned`.
    Ensures: every `tfm` op but products, their accumulation and attention stands in a
    private function @kernel_N, and the functions of the step call these. Equal
    functions are one. With `reference` of the strategy every `tfm` op is a kernel of
    its own, products and attention too.
    Preserves: every value.

    Two ops share a kernel if one reads the other's result row by row, the rows being
    the leading dimensions of all that they compute, and if no op outside stands
    between them. See KernelGroups.h.

    ```mlir
    func.func @f(%x: tensor<2x4x8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
      %0 = tfm.bias_add %x, %b  // with the next op in @kernel_0
        : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
      %1 = tfm.relu %0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
      return %1 : tensor<2x4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def CompileKernelsPass : Pass<"mpc-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles the kernels into one shared object";
  let description = [{
    Requires: `mpc-form-kernels`.
    Ensures: each kernel function has `exec.compiled`, and an `exec.target` holds the
    object that exports them all. The kernels' bodies stay, for what they tell of
    themselves.
    Preserves: what a step computes.
  }];
  let options = [
    Option<"cpu", "cpu", "::mpc::kernels::Cpu",
           /*default=*/"::mpc::kernels::Cpu::Baseline",
           "the machine to compile for", [{::llvm::cl::values(
             clEnumValN(::mpc::kernels::Cpu::Baseline, "baseline",
                        "x86-64-v3: AVX2 and FMA"),
             clEnumValN(::mpc::kernels::Cpu::Native, "native",
                        "this machine"))}]>,
  ];
}

def AssignMemoryPass : Pass<"mpc-assign-memory", "::mlir::ModuleOp"> {
  let summary = "Places every value and turns functions into command lists";
  let description = [{
    Requires: `mpc-specialize-microbatches`, `mpc-form-kernels`; kernels are compiled
    (`exec.compiled`).
    Ensures: the module holds `exec` ops only, a role a stage. State lies in the
    persistent region; batch inputs of one microbatch, what forward keeps for
    backward and what arrived for both in the slot region; all else in the transient
    region, which the lists share. State that a function takes and returns is updated
    in place; what cannot be is copied at the end of the list. Outgoing state is sent
    and incoming state received by lists of their own, between the runs that the
    schedule of the strategy asks for.
    Preserves: what a step computes.
  }];
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

def VerifyExecPass : Pass<"mpc-verify-exec", "::mlir::ModuleOp"> {
  let summary = "Fails unless the module can be exported as a plan";
  let description = [{
    Requires: nothing.
    Ensures: the module holds one `exec.target`, kernels, channels and one `exec.role`
    for each stage, and no other op; the target has an object if there are kernels.
    Preserves: everything.
  }];
}

#endif // MPC_PASSES_LOWERING_PASSES_TD
