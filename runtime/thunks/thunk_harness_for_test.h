// Runs thunks on ranks with small arenas, for tests.
#ifndef MPC_RUNTIME_THUNKS_THUNK_HARNESS_FOR_TEST_H_
#define MPC_RUNTIME_THUNKS_THUNK_HARNESS_FOR_TEST_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/comm/local/local_world.h"
#include "runtime/comm/open_channels.h"
#include "runtime/plan/mesh.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

/// A plan with the axes dp=2 (group 0) and tp=2 (group 1), small regions
/// and one list with the given commands.
inline plan::Plan PlanWithCommands(const std::string& commands) {
  return ParseText<plan::Plan>(absl::StrCat(
      R"pb(
        mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 2 } }
        groups { axes: 0 }
        groups { axes: 1 }
        target { device: DEVICE_KIND_CPU }
        roles {
          persistent_bytes: 4096 slot_bytes: 4096 slots: 2 transient_bytes: 1000000
          lists { name: "list" )pb",
      commands, "} }"));
}

/// A dense slice in the persistent region, e.g. `left { … }`.
inline std::string SliceText(const std::string& name, int offset,
                             std::vector<int64_t> sizes,
                             const std::string& type = "F32") {
  std::string text =
      absl::StrCat(name, " { region: REGION_PERSISTENT offset_bytes: ", offset,
                   " type: DATA_TYPE_", type);
  for (int64_t size : sizes) absl::StrAppend(&text, " sizes: ", size);
  return text + " } ";
}

/// One rank of a run of the list.
struct TestRank {
  const plan::Plan& plan;
  World& world;
  char* arena;
  template <typename T>
  T* At(int offset) const {
    return reinterpret_cast<T*>(arena + offset);
  }
};

/// Runs the first list of each role on its ranks between `before` and `after`.
inline void RunList(const plan::Plan& plan, const KernelModule* kernels,
                    const std::function<void(TestRank&)>& before,
                    const std::function<void(TestRank&)>& after) {
  std::vector<std::vector<std::unique_ptr<Thunk>>> thunks;
  for (const plan::Role& role : plan.roles()) {
    auto& of_role = thunks.emplace_back();
    for (const plan::Command& command : role.lists(0).commands()) {
      auto thunk = CreateThunk(plan, role.lists(0), command);
      ASSERT_TRUE(thunk.ok()) << thunk.status();
      of_role.push_back(*std::move(thunk));
    }
  }
  auto platform = *CreatePlatform(plan::DEVICE_KIND_CPU);
  std::vector<std::thread> threads;
  for (auto& world : CreateLocalWorlds(RankCount(plan.mesh())))
    threads.emplace_back([&, world = std::move(world)] {
      auto device = *platform->CreateDevice(2);
      const int stage = StageOfRank(plan, world->rank());
      const ArenaLayout layout(plan.roles(stage));
      auto arena = *device->Allocate(layout.bytes());
      std::vector<std::unique_ptr<Communicator>> communicators;
      for (const plan::Group& group : plan.groups())
        communicators.push_back(*world->Split(
            GroupMembers(plan.mesh(), group, world->rank())));
      const auto channels = *OpenChannels(plan, *world);
      TestRank rank = {plan, *world, arena->data()};
      before(rank);
      for (const auto& thunk : thunks[stage]) {
        const absl::Status status =
            thunk->Execute({*device, kernels, communicators, channels,
                            arena->data(), layout, /*slot=*/1});
        EXPECT_TRUE(status.ok()) << status;
      }
      after(rank);
      EXPECT_TRUE(world->Barrier().ok());
    });
  for (std::thread& thread : threads) thread.join();
}

inline void RunList(const plan::Plan& plan,
                    const std::function<void(TestRank&)>& before,
                    const std::function<void(TestRank&)>& after) {
  RunList(plan, nullptr, before, after);
}

/// One way to spoil the only command of a list, and what Create says about it.
struct Rejection {
  std::function<void(plan::Command&)> spoil;
  std::string message;
};

inline void ExpectRejections(const plan::Plan& sound,
                             const std::vector<Rejection>& rejections) {
  for (const Rejection& rejection : rejections) {
    plan::Plan plan = sound;
    plan::CommandList& list = *plan.mutable_roles(0)->mutable_lists(0);
    list.mutable_commands(0)->set_location("h.3.mlp");
    ASSERT_TRUE(CreateThunk(plan, list, list.commands(0)).ok());
    rejection.spoil(*list.mutable_commands(0));
    const absl::Status status =
        CreateThunk(plan, list, list.commands(0)).status();
    EXPECT_THAT(std::string(status.message()),
                ::testing::AllOf(::testing::StartsWith("h.3.mlp: "),
                                 ::testing::HasSubstr(rejection.message)));
  }
}

/// The offsets that a thunk declares to read, and to write.
inline std::pair<std::vector<uint64_t>, std::vector<uint64_t>> UsesOf(
    const plan::Plan& plan, int command) {
  const plan::CommandList& list = plan.roles(0).lists(0);
  auto thunk = CreateThunk(plan, list, list.commands(command));
  EXPECT_TRUE(thunk.ok()) << thunk.status();
  std::vector<uint64_t> reads, writes;
  for (const BufferUse& use : (*thunk)->buffer_uses())
    (use.access == BufferUse::Access::kRead ? reads : writes)
        .push_back(use.slice.offset_bytes());
  return {reads, writes};
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_THUNK_HARNESS_FOR_TEST_H_
