//===- StrategyText.h - what was found, as a strategy and words -*- C++ -*-===//

#ifndef MPC_PASSES_SEARCH_STRATEGYTEXT_H
#define MPC_PASSES_SEARCH_STRATEGYTEXT_H

#include "passes/planning/Passes.h"
#include "passes/search/Search.h"
#include <string>

namespace mpc::search {

/// As `schedule` of the strategy.
const char *getName(ScheduleKind kind);
/// As in `recompute` of the strategy.
const char *getName(Recompute mode);

/// All options of a candidate. Within a stage the layers that recompute most come
/// first.
StrategyOverrides toStrategy(const Candidate &candidate, const Pins &pins);

/// "tp=8 pp=4 dp=2 microbatches=16 (of 2) …", without cuts.
std::string describe(const Setup &setup);
/// The same with cuts and recomputation.
std::string describe(const Candidate &candidate, const Pins &pins);

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_STRATEGYTEXT_H
