//===- Passes.td - the partition phase ---------------------*- tablegen -*-===//
#ifndef MPC_PASSES_PARTITION_PASSES_TD
#define MPC_PASSES_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"mpc-partition", "::mlir::ModuleOp"> {
  let summary = "Turns sharded types into what one rank holds";
  let description = [{
    Requires: `mpc-verify-shardings`.
    Ensures: types are local and without encoding; each `dist.reshard` has become
    collectives and local ops; `dist.iota` remembers its sharded type, and so does
    every argument and result of a function, as `dist.global`.
    Preserves: every value, in the sense of the shardings. Mechanical: nothing is
    decided here.

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    #sum = #dist.sharding<#mesh, [{} ], sum = {"tp"}>
    #whole = #dist.sharding<#mesh, [{} ]>
    func.func @f(%x: tensor<8xf32, #sum>) -> tensor<8xf32, #whole> {
      %0 = dist.reshard %x  // becomes dist.all_reduce over tp
        : tensor<8xf32, #sum> -> tensor<8xf32, #whole>
      return %0 : tensor<8xf32, #whole>
    }
    ```
  }];
}

def VerifyPartitionedPass
    : Pass<"mpc-verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "Fails if anything is left of the sharded form";
  let description = [{
    Requires: nothing.
    Ensures: no tensor has an encoding; there is no `dist.reshard` or `dist.pin`.
    Preserves: everything.
  }];
}

#endif // MPC_PASSES_PARTITION_PASSES_TD
