//===- Passes.h - the search for a strategy ---------------------*- C++ -*-===//

#ifndef MPC_PASSES_SEARCH_PASSES_H
#define MPC_PASSES_SEARCH_PASSES_H

#include "cluster/cluster.pb.h"
#include "mlir/Pass/Pass.h"
#include "passes/planning/Passes.h"
#include <memory>
#include <optional>

namespace mpc {

#define GEN_PASS_DECL
#include "passes/search/Passes.h.inc"

/// `mpc-search-strategy` on a valid cluster, of as many devices as are given or as it
/// has, with what the user has decided.
std::unique_ptr<mlir::Pass>
createSearchStrategyPass(const StrategyOverrides &pins,
                         const cluster::Cluster &cluster,
                         std::optional<int64_t> devices);

/// Registers the passes.
void registerSearch();

} // namespace mpc

#endif // MPC_PASSES_SEARCH_PASSES_H
