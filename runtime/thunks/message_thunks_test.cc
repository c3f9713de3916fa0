#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two stages × dp=2. Stage 0 sends four numbers from its persistent region,
/// and twice four from a slot; stage 1 receives them into a slot and then into
/// its persistent region.
plan::Plan TestPlan() {
  return ParseText<plan::Plan>(R"pb(
    mesh {
      axes { name: "pp" size: 2 }
      axes { name: "dp" size: 2 }
    }
    target { device: DEVICE_KIND_CPU }
    channels { name: "gradient 1>0" source_stage: 1 destination_stage: 0 }
    channels { name: "activation 0>1" source_stage: 0 destination_stage: 1 }
    roles {
      persistent_bytes: 128
      slot_bytes: 64
      slots: 2
      lists {
        commands {
          send_start {
            channel: 1
            source {
              region: REGION_PERSISTENT
              offset_bytes: 64
              type: DATA_TYPE_I32
              sizes: 4
            }
          }
        }
        commands {
          send_start {
            channel: 1
            source { region: REGION_SLOT type: DATA_TYPE_I32 sizes: 2 sizes: 4 }
          }
        }
        commands { send_wait { channel: 1 } }
        commands { send_wait { channel: 1 } }
      }
    }
    roles {
      stage: 1
      persistent_bytes: 64
      slot_bytes: 64
      slots: 3
      lists {
        commands {
          receive_start {
            channel: 1
            destination { region: REGION_SLOT type: DATA_TYPE_I32 sizes: 4 }
          }
        }
        commands { receive_wait { channel: 1 } }
        commands {
          receive_start {
            channel: 1
            destination {
              region: REGION_PERSISTENT
              type: DATA_TYPE_I32
              sizes: 8
            }
          }
        }
        commands { receive_wait { channel: 1 } }
      }
    }
  )pb");
}

// The harness runs slot 1: at byte 128 + 64 on stage 0, at 64 + 64 on stage 1.
TEST(MessageThunksTest, MoveMessagesInOrderBetweenRanksThatDifferInTheStage) {
  RunList(
      TestPlan(),
      [](TestRank& rank) {
        if (rank.world.rank() >= 2) return;
        const int first = 100 * rank.world.rank();
        for (int i = 0; i < 4; ++i) rank.At<int32_t>(64)[i] = first + i;
        for (int i = 0; i < 8; ++i) rank.At<int32_t>(192)[i] = first + 10 + i;
      },
      [](TestRank& rank) {
        if (rank.world.rank() < 2) return;
        const int first = 100 * (rank.world.rank() - 2);
        for (int i = 0; i < 4; ++i)
          EXPECT_EQ(rank.At<int32_t>(128)[i], first + i);
        for (int i = 0; i < 8; ++i)
          EXPECT_EQ(rank.At<int32_t>(0)[i], first + 10 + i);
      });
}

TEST(MessageThunksTest, StartsDeclareTheirMessageAndWaitsNothing) {
  plan::Plan plan = TestPlan();
  EXPECT_THAT(UsesOf(plan, 0).first, ElementsAre(64));
  EXPECT_THAT(UsesOf(plan, 0).second, IsEmpty());
  EXPECT_THAT(UsesOf(plan, 2).first, IsEmpty());
  EXPECT_THAT(UsesOf(plan, 2).second, IsEmpty());
  plan.mutable_roles()->SwapElements(0, 1);
  EXPECT_THAT(UsesOf(plan, 2).first, IsEmpty());
  EXPECT_THAT(UsesOf(plan, 2).second, ElementsAre(0));
  EXPECT_THAT(UsesOf(plan, 1).first, IsEmpty());
  EXPECT_THAT(UsesOf(plan, 1).second, IsEmpty());
}

TEST(MessageThunksTest, CreateRejects) {
  plan::Plan plan = TestPlan();
  ExpectRejections(
      plan, {{[](auto& c) {
                c.mutable_send_start()->mutable_source()->set_row_stride(8);
              },
              "`source` of sizes [4] with row stride 8; expected "
              "dense [4]"}});
  plan.mutable_roles()->SwapElements(0, 1);
  ExpectRejections(
      plan,
      {{[](auto& c) {
          c.mutable_receive_start()->mutable_destination()->set_row_stride(8);
        },
        "`destination` of sizes [4] with row stride 8; "
        "expected dense [4]"}});
}

}  // namespace
}  // namespace mpc::runtime
