//===- StrategyTest.cpp - strategies as text --------------------*- C++ -*-===//

#include "frontends/spec/ReadSpec.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mpc;
using ::testing::ElementsAre;

namespace {

class StrategyTest : public ::testing::Test {
protected:
  StrategyTest() {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      std::string text;
      llvm::raw_string_ostream(text)
          << diagnostic.getLocation() << ": " << diagnostic;
      messages.push_back(text);
    });
  }

  FailureOr<StrategyOverrides> parse(StringRef text) {
    return parseStrategy(llvm::MemoryBufferRef(text, "s.textproto"), &context);
  }

  MLIRContext context;
  std::vector<std::string> messages;
};

TEST_F(StrategyTest, WhatIsNotWrittenIsAbsent) {
  FailureOr<StrategyOverrides> none = parse("");
  ASSERT_TRUE(succeeded(none));
  EXPECT_FALSE(none->tp || none->dp || none->microbatches || none->zero ||
               none->sequenceParallel || none->strict || none->reference ||
               none->attention);
}

TEST_F(StrategyTest, EveryFieldIsRead) {
  FailureOr<StrategyOverrides> all =
      parse("tp: 2 dp: 3 microbatches: 4 sequence_parallel: true zero: 1\n"
            "strict: false attention: \"unfused\" stages: 5 stages: 7");
  ASSERT_TRUE(succeeded(all));
  EXPECT_EQ(all->tp, 2);
  EXPECT_EQ(all->dp, 3);
  EXPECT_EQ(all->microbatches, 4);
  EXPECT_EQ(all->sequenceParallel, true);
  EXPECT_EQ(all->zero, 1);
  EXPECT_EQ(all->strict, false);
  EXPECT_EQ(all->attention, "unfused");
  EXPECT_EQ(all->stages, (std::vector<int64_t>{5, 7}));
}

TEST_F(StrategyTest, WhatIsRefusedHasItsPlace) {
  EXPECT_TRUE(failed(parse("dp: 0")));
  EXPECT_TRUE(failed(parse("tp: 1\nmicrobatches: -1")));
  EXPECT_TRUE(failed(parse("zero: 3")));
  EXPECT_THAT(
      messages,
      ElementsAre("loc(\"s.textproto\":1:1): dp is 0, expected at least 1",
                  "loc(\"s.textproto\":2:1): microbatches is -1, expected at "
                  "least 1",
                  "loc(\"s.textproto\":1:1): zero is 3, expected 0 or 1"));
}

} // namespace
