//===- Passes.td - the planning phase ----------------------*- tablegen -*-===//
#ifndef MPC_PASSES_PLANNING_PASSES_TD
#define MPC_PASSES_PLANNING_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetStrategyPass : Pass<"mpc-set-strategy", "::mlir::ModuleOp"> {
  let summary = "Writes the strategy and the model's hash into the module";
  let description = [{
    Requires: an imported model.
    Ensures: the module has `tfm.strategy` (what the options of `mpc-compile` say, over
    what the spec carried, over one rank and one microbatch) and `tfm.model_hash`, a
    hash of the module without its strategy. A strategy that contradicts itself is
    one error. Every later pass reads only the attribute.
    Preserves: every value.
  }];
  let dependentDialects = ["::mpc::tfm::TfmDialect"];
}

def ApplyStrategyPass : Pass<"mpc-apply-strategy", "::mlir::ModuleOp"> {
  let summary = "Pins parameters, batch inputs and the residual stream";
  let description = [{
    Requires: the functions of a training step (`mpc-verify-training`) and
    `tfm.strategy`.
    Ensures: state has `dist.pin` as the strategy says: vocabulary, key-value heads and
    the feed-forward dimension over `tp` where it divides them, the batch over `dp`;
    with `zero = 1` masters and moments over `dp` as well, in the first dimension that
    divides. `tfm.residual` has become `dist.pin`. What stays whole is a remark, in
    `tfm.remarks` and as a diagnostic; with `strict` it is one error that lists all.
    Preserves: every value.
  }];
  let dependentDialects = ["::mpc::dist::DistDialect"];
}

#endif // MPC_PASSES_PLANNING_PASSES_TD
