// Threads of one process as a transport under test.
#include <thread>

#include "runtime/comm/local/local_world.h"
#include "runtime/conformance/transport.h"

namespace mpc::runtime {

std::vector<Transport> TransportsUnderTest() {
  return {{"local", [](int size, const std::function<void(World&)>& body) {
             std::vector<std::thread> threads;
             for (auto& world : CreateLocalWorlds(size))
               threads.emplace_back([&body, world = std::move(world)] {
                 body(*world);
               });
             for (std::thread& thread : threads) thread.join();
             return absl::OkStatus();
           }}};
}

}  // namespace mpc::runtime
