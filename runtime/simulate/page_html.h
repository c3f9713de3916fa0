// page.html, as the build has packed it into the program.
#ifndef MPC_RUNTIME_SIMULATE_PAGE_HTML_H_
#define MPC_RUNTIME_SIMULATE_PAGE_HTML_H_

#include <vector>

namespace mpc::runtime {

/// The page before and after the data of a simulation.
const std::vector<const char*>& PageParts();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_PAGE_HTML_H_
