//===- Explain.h - why this strategy ----------------------------*- C++ -*-===//

#ifndef MPC_PASSES_SEARCH_EXPLAIN_H
#define MPC_PASSES_SEARCH_EXPLAIN_H

#include "passes/search/Search.h"
#include <string>
#include <vector>

namespace mpc::search {

/// Lines of text: the strategy, where its time and memory go, the best of other
/// meshes, and what each other choice of one option would cost. `result` has a best
/// candidate.
std::vector<std::string> explain(const Problem &problem, const Result &result);

/// Why a problem has no setups: what cannot be, with its value and what is legal.
std::string explainEmpty(const Problem &problem);

/// Lines of text: why nothing fits. Which stages of the strategy that comes nearest
/// need how much, and the smallest single change with which something fits; each is
/// tried by a search.
std::vector<std::string> explainMisfit(const Problem &problem);

/// "1.5 GiB".
std::string formatBytes(int64_t bytes);
/// "12.3 ms".
std::string formatSeconds(double seconds);

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_EXPLAIN_H
