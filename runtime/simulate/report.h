// What `mpc-run simulate` says of a simulation.
#ifndef MPC_RUNTIME_SIMULATE_REPORT_H_
#define MPC_RUNTIME_SIMULATE_REPORT_H_

#include <string>

#include "cluster/cluster.pb.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/simulate/simulate.h"

namespace mpc::runtime {

/// For people: the facts first, then tables.
std::string PrintSimulation(const plan::Plan& plan,
                            const cluster::Cluster& cluster,
                            const Simulation& simulation);

/// For programs (docs/simulate-json.md). Pretty-printed.
std::string PrintSimulationJson(const plan::Plan& plan,
                                const cluster::Cluster& cluster,
                                const Simulation& simulation);

/// One page for a browser, without a network. The simulation has been recorded.
std::string PrintSimulationHtml(const plan::Plan& plan,
                                const cluster::Cluster& cluster,
                                const Simulation& simulation);

/// Trace events for Perfetto or chrome://tracing: a process a simulated rank, a
/// thread for its lists, one for its waits, one a kind of communication. The
/// simulation has been recorded.
std::string PrintTrace(const plan::Plan& plan, const Simulation& simulation);

/// "1.42 s", "3.5 ms", "12 us": three digits.
std::string FormatSeconds(double seconds);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_REPORT_H_
