//===- Passes.td - the search for a strategy ---------------*- tablegen -*-===//
#ifndef MPC_PASSES_SEARCH_PASSES_TD
#define MPC_PASSES_SEARCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def SearchStrategyPass : Pass<"mpc-search-strategy", "::mlir::ModuleOp"> {
  let summary = "Chooses the strategy that takes the least time on a cluster";
  let description = [{
    Requires: an imported model whose layers are all equal.
    Ensures: the module has `tfm.strategy`, `tfm.model_hash` and remarks that explain
    the choice. What the user has decided stands; the rest is the optimum of the cost
    model (passes/search/StepModel.h) over dp, tp, pp, sequence parallelism, ZeRO 0 and 1,
    microbatch size, schedule, chunks, cuts and recomputation by layer, within the
    memory of a device. Where nothing fits, one error says what is short and what
    would fit.
    Preserves: every value.

    What a layer costs is read from the commands that the compiler makes of a model of
    few layers, under each way to split them.
  }];
  let options = [
    Option<"machine", "machine", "std::string", /*default=*/"",
           "a known machine, by name (cluster/machines)">,
    Option<"devices", "devices", "int64_t", /*default=*/"1",
           "how many devices [all of the cluster]">,
  ];
  let dependentDialects = ["::mpc::tfm::TfmDialect", "::mpc::dist::DistDialect",
    "::mpc::exec::ExecDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // MPC_PASSES_SEARCH_PASSES_TD
