//===- Passes.td - the sharding phase ----------------------*- tablegen -*-===//
#ifndef MPC_PASSES_SHARDING_PASSES_TD
#define MPC_PASSES_SHARDING_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpreadShardingsPass
    : Pass<"mpc-spread-shardings", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor a sharding, from pins and rules";
  let description = [{
    Requires: the functions of a training step in the global view, or any functions
    of ops with sharding rules, whose pins name one mesh; without any pin nothing is
    done.
    Ensures: every ranked tensor has a sharding, every op satisfies C1 to C6 of
    ShardingRule.h, each change of sharding is a `dist.reshard`, no `dist.pin` is
    left, and all arguments and results bound to one state have one type.
    Preserves: every value, and functions that are sharded already.

    Types and reshards are made together, since the IR between the two would not
    verify; a pass that wants other shardings inserts `dist.pin` before this one.

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    func.func @f(%x: tensor<2x4x8xf32>,
                 %w: tensor<6x8xf32> {dist.pin = #dist.sharding<#mesh, [{}, {"tp"} ]>})
        -> tensor<2x4x6xf32> {
      %0 = tfm.linear %x, %w  // partial over tp, reduced at the return
        : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
      return %0 : tensor<2x4x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mpc::dist::DistDialect"];
}

def OptimizeReshardsPass
    : Pass<"mpc-optimize-reshards", "::mlir::ModuleOp"> {
  let summary = "Gets the same values with fewer reshards and fewer bytes";
  let description = [{
    Requires: sharded types that satisfy C1 to C6 of ShardingRule.h; what has none is
    left alone.
    Ensures: within a phase and stage, none of these is left:
      - a reshard to its own type, or of which nothing is used;
      - two reshards of one value to one type;
      - a reshard of a reshard that has no other use, where the direct way costs no
        more;
      - a reduction or gather of a value of which another reshard, of the same value,
        holds the result whole: a reduce-scatter beside an all-reduce takes its piece
        of it;
      - reshards of a pointwise op's operands that cost less behind it: the sum of two
        reductions is the reduction of the sum (the rule's linear groups allow it), and
        what is gathered for an op and then split again is not gathered.
    Preserves: every value up to the order of its sums, all types of arguments and
    results, and reshards of different phases: a gather that backward repeats stays.
    The bytes that a rank sends, counted as partitioning would lower the reshards, never
    grow.

    Spreading writes no reshard twice; other passes and hands may, and need not mind.

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    #whole = #dist.sharding<#mesh, [{} ]>
    #sum = #dist.sharding<#mesh, [{} ], sum = {"tp"}>
    func.func @f(%x: tensor<8xf32, #sum>, %y: tensor<8xf32, #sum>) -> tensor<8xf32, #whole> {
      %0 = dist.reshard %x : tensor<8xf32, #sum> -> tensor<8xf32, #whole>
      %1 = dist.reshard %y : tensor<8xf32, #sum> -> tensor<8xf32, #whole>
      %2 = tfm.add %0, %1  // added as it is, and reduced once
        : (tensor<8xf32, #whole>, tensor<8xf32, #whole>) -> tensor<8xf32, #whole>
      return %2 : tensor<8xf32, #whole>
    }
    ```
  }];
  let dependentDialects = ["::mpc::dist::DistDialect"];
}

def VerifyShardingsPass
    : Pass<"mpc-verify-shardings", "::mlir::ModuleOp"> {
  let summary = "Fails if a module cannot be partitioned as it stands";
  let description = [{
    Requires: nothing.
    Ensures: the world is closed: functions have one block; every op with a ranked
    tensor implements ShardingRuleOpInterface or is `dist.reshard` or a return; every
    ranked tensor has a sharding, all over one mesh; C1 to C6 hold; all arguments and
    results bound to one state have one type.
    Preserves: everything.
  }];
}

def PrintCommunicationPass
    : Pass<"mpc-print-communication", "::mlir::ModuleOp"> {
  let summary = "Prints what each function of a sharded module communicates";
  let description = [{
    Requires: `mpc-verify-shardings`.
    Ensures: nothing; prints a table on standard output, one line for each function,
    kind of communication and mesh axes: how many reshards take it, and how many
    bytes a rank sends for them in one run of the function. A reshard that takes two
    kinds is in two lines. mpc-opt prints no IR beside it unless -o says where to.
    Preserves: everything.

    Bytes are those of a ring of the n ranks that the axes span, rounded up for each
    reshard; size is the larger of what a rank holds before and after:

      - all-reduce: 2(n - 1)/n · size
      - reduce-scatter, all-gather, all-to-all: (n - 1)/n · size
      - local: 0

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    #sum = #dist.sharding<#mesh, [{} ], sum = {"tp"}>
    #whole = #dist.sharding<#mesh, [{} ]>
    func.func @f(%x: tensor<8xf32, #sum>) -> tensor<8xf32, #whole> {
      %0 = dist.reshard %x  // f  all-reduce  tp  1  32
        : tensor<8xf32, #sum> -> tensor<8xf32, #whole>
      return %0 : tensor<8xf32, #whole>
    }
    ```
  }];
}

def PrintStashPass : Pass<"mpc-print-stash", "::mlir::ModuleOp"> {
  let summary = "Prints what forward keeps for backward";
  let description = [{
    Requires: @forward_backward.
    Ensures: nothing; prints a table on standard output, one line for each value that
    an op of phase forward makes and one of a later phase reads, in program order: where
    in the model it is from, the op (and which of several results), the type of what a
    rank holds of it, and its bytes. Then, in lines `sum`, the bytes of each layer and
    of all. mpc-opt prints no IR beside it unless -o says where to.
    Preserves: everything.

    After `mpc-sharding` these are what pipeline stages stash for each microbatch in
    flight; before it, what one rank alone would keep. Parameters and batch inputs are
    there anyway and do not count; nor does `dist.iota`.

    ```mlir
    func.func @forward_backward(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tfm.gelu %x {form = #tfm.gelu_form<tanh>} : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tfm.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tfm.relu_grad %1, %0 {phase = #dist.phase<backward>}  // tfm.gelu  8xf32  32
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    }
    ```
  }];
}

#endif // MPC_PASSES_SHARDING_PASSES_TD
