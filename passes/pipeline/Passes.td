//===- Passes.td - the pipeline phase ----------------------*- tablegen -*-===//
#ifndef MPC_PASSES_PIPELINE_PASSES_TD
#define MPC_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignStagesPass : Pass<"mpc-assign-stages", "::mlir::ModuleOp"> {
  let summary = "Cuts the forward pass into pieces, one or more a stage";
  let description = [{
    Requires: `tfm.strategy`, and @forward with `tfm.residual` ops that say which layer
    reads the stream.
    Ensures: with `pp` above 1 every op that depends on a parameter has a `stage`, the
    number of its piece in depth order: what comes before layer 0 is in the first
    piece, what comes after the last layer in the last one. The layers of each piece
    are those of the strategy's `stages`, or such that the most expensive piece is as
    cheap as can be (multiplications of products and attention; embedding and head
    count). What depends on batch inputs alone has no stage: each stage computes it.
    Preserves: every value.

    ```mlir
    module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 2,
        sequence_parallel = false, zero = 0, strict = false, reference = false, pp = 2>} {
      func.func @forward(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
        %0 = tfm.residual %x {layer = 0 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
        %1 = tfm.relu %0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
        %2 = tfm.residual %1 {layer = 1 : i64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
        return %2 : tensor<2x4x8xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mpc::tfm::TfmDialect"];
}

def SplitStagesPass : Pass<"mpc-split-stages", "::mlir::ModuleOp"> {
  let summary = "Makes each function of a step one function a stage";
  let description = [{
    Requires: the three functions of a step, sharded and verified, whose ops have
    stages.
    Ensures: with `pp` above 1 each stage has a prologue and an update, and each piece
    a forward and a backward function (and a weight function, if the schedule runs
    weight gradients by themselves), which `exec.part` names. What a piece keeps from
    one of its functions to a later one is state of kind `stash`. What another piece
    reads is `outgoing` there and `incoming` here; it goes from piece to neighbour
    only, so a value used further on is relayed. Names of messages are
    channel#number. Only parameters go straight to where they are read: one that
    several stages read has its master, moments and gradient on the first of them; the
    others get a copy with the prologue and send
    their gradient with the update. Scalars of the update that depend on several
    stages are sums over `pp`, of which each stage contributes its addend
    (`dist.contribute`).
    Preserves: every value.
  }];
  let dependentDialects = ["::mpc::dist::DistDialect", "::mpc::exec::ExecDialect"];
}

#endif // MPC_PASSES_PIPELINE_PASSES_TD
