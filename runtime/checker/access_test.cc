#include "runtime/checker/access.h"

#include <map>
#include <set>
#include <string>

#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Gives each slice in a message a place of its own, and notes its name.
void FillSlices(Message& message, const std::string& prefix,
                std::map<uint64_t, std::string>& names) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    Message* child = field->is_repeated()
                         ? reflection.AddMessage(&message, field)
                         : reflection.MutableMessage(&message, field);
    if (field->message_type() != plan::Slice::descriptor()) {
      FillSlices(*child, prefix + field->name() + ".", names);
      continue;
    }
    auto& slice = static_cast<plan::Slice&>(*child);
    slice.set_region(plan::REGION_PERSISTENT);
    slice.set_type(plan::DATA_TYPE_F32);
    slice.set_offset_bytes(64 * names.size());
    names[slice.offset_bytes()] = prefix + field->name();
  }
}

/// A new field of a command that nobody has told the checker of fails here.
TEST(AccessTest, EverySliceOfEveryCommandIsReadOrWritten) {
  const std::set<std::string> written = {
      "attention.output",          "attention.logsumexp",
      "attention.workspace",       "attention_grad.forward.workspace",
      "attention_grad.query_grad", "attention_grad.key_grad",
      "attention_grad.value_grad", "kernel.outputs",
      "gemm.destination",          "collective_start.destination",
      "shard.destination",         "keep_on_first.destination",
      "copy.destination",          "fill.destination",
      "receive_start.destination"};
  const auto* kinds = plan::Command::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i) {
    plan::Command command;
    std::map<uint64_t, std::string> names;
    FillSlices(
        *command.GetReflection()->MutableMessage(&command, kinds->field(i)),
        kinds->field(i)->name() + ".", names);
    std::set<std::string> seen;
    for (const Access& access : AccessesOf(command)) {
      const std::string& name = names.at(access.range.begin);
      EXPECT_EQ(access.writes, written.count(name) > 0) << name;
      EXPECT_EQ(access.range.end, access.range.begin + 4);
      seen.insert(name);
    }
    EXPECT_EQ(seen.size(), names.size()) << kinds->field(i)->name();
  }
}

TEST(AccessTest, AnAccumulatingProductReadsAndThenWrites) {
  plan::Command command;
  command.mutable_gemm()->set_accumulate(true);
  command.mutable_gemm()->mutable_destination()->set_offset_bytes(64);
  const auto accesses = AccessesOf(command);
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[2].range.begin, 64u);
  EXPECT_FALSE(accesses[2].writes);
  EXPECT_EQ(accesses[3].range.begin, 64u);
  EXPECT_TRUE(accesses[3].writes);
}

TEST(AccessTest, AbsentOperandsOfAttentionAreNotRead) {
  plan::Command command;
  command.mutable_attention();
  EXPECT_EQ(AccessesOf(command).size(), 6u);
}

}  // namespace
}  // namespace mpc::runtime
