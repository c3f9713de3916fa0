#include "runtime/comm/launch_environment.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"

namespace mpc::runtime {

LaunchEnvironment ReadLaunchEnvironment() {
  for (const auto& [size, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
        std::pair("PMI_SIZE", "PMI_RANK")}) {
    const char* const size_text = std::getenv(size);
    const char* const rank_text = std::getenv(rank);
    LaunchEnvironment launch;
    if (size_text != nullptr && rank_text != nullptr &&
        absl::SimpleAtoi(size_text, &launch.processes) &&
        absl::SimpleAtoi(rank_text, &launch.process) && launch.process >= 0 &&
        launch.process < launch.processes)
      return launch;
  }
  return {};
}

}  // namespace mpc::runtime
