#include "runtime/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

// A command with one option of each type.
struct Fixture {
  std::string plan;
  std::string log;
  std::string format = "text";
  int64_t steps = 7;
  bool quiet = false;
  CommandLine command{"mpc-run try", "Tries things."};

  Fixture() {
    command.AddArgument("PLAN", "a plan file", &plan);
    command.AddString("log", "FILE", "where to write", &log);
    command.AddChoice("format", {"text", "json"}, "how to print", &format);
    command.AddInteger("steps", "how many", 1, 1000, &steps);
    command.AddFlag("quiet", "say nothing", &quiet);
    command.AddExample("mpc-run try a.plan", "the simplest form");
  }

  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const absl::Status status = command.Parse(arguments);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }
};

TEST(CommandLineTest, OptionsComeInAnyOrderAndBothForms) {
  Fixture f;
  ASSERT_TRUE(f.command
                  .Parse({"--log=a=b", "--quiet", "x.plan", "--steps", "12",
                          "--format=json"})
                  .ok());
  EXPECT_EQ(f.plan, "x.plan");
  EXPECT_EQ(f.log, "a=b");
  EXPECT_EQ(f.format, "json");
  EXPECT_EQ(f.steps, 12);
  EXPECT_TRUE(f.quiet);
}

TEST(CommandLineTest, WhatIsNotGivenKeepsItsDefault) {
  Fixture f;
  ASSERT_TRUE(f.command.Parse({"x.plan"}).ok());
  EXPECT_EQ(f.log, "");
  EXPECT_EQ(f.format, "text");
  EXPECT_EQ(f.steps, 7);
  EXPECT_FALSE(f.quiet);
}

TEST(CommandLineTest, DashIsAnArgumentAndDoubleDashEndsOptions) {
  Fixture f;
  ASSERT_TRUE(f.command.Parse({"-"}).ok());
  EXPECT_EQ(f.plan, "-");
  ASSERT_TRUE(f.command.Parse({"--", "--odd.plan"}).ok());
  EXPECT_EQ(f.plan, "--odd.plan");
}

TEST(CommandLineTest, EachMistakeIsNamedWithWhatIsLegal) {
  Fixture f;
  EXPECT_THAT(f.ErrorOf({}), HasSubstr("missing PLAN, a plan file"));
  EXPECT_THAT(f.ErrorOf({"a", "b"}),
              HasSubstr("unexpected argument \"b\", mpc-run try takes 1"));
  EXPECT_THAT(f.ErrorOf({"a", "--step=1"}),
              HasSubstr("unknown option --step, did you mean --steps; options "
                        "of mpc-run try: --log, --format, --steps, --quiet"));
  EXPECT_THAT(f.ErrorOf({"a", "-v"}), HasSubstr("unknown option -v"));
  EXPECT_THAT(f.ErrorOf({"a", "--format=xml"}),
              HasSubstr("--format is \"xml\", expected text or json"));
  for (const char* value : {"0", "1001", "many", "", "1.5"}) {
    EXPECT_THAT(f.ErrorOf({"a", "--steps", value}),
                HasSubstr("expected a whole number from 1 to 1000"))
        << value;
  }
  EXPECT_THAT(f.ErrorOf({"a", "--steps"}),
              HasSubstr("--steps has no value, expected --steps=N"));
  EXPECT_THAT(f.ErrorOf({"a", "--log="}),
              HasSubstr("--log is empty, expected FILE"));
  EXPECT_THAT(f.ErrorOf({"a", "--quiet=yes"}),
              HasSubstr("--quiet takes no value, found \"yes\""));
  EXPECT_THAT(f.ErrorOf({"a", "--help=x"}),
              HasSubstr("--help takes no value, found \"x\""));
  EXPECT_THAT(f.ErrorOf({"a", "--steps=1", "--steps=2"}),
              HasSubstr("--steps is given twice"));
}

TEST(CommandLineTest, NothingLikeAnOptionIsNotSuggested) {
  Fixture f;
  EXPECT_THAT(f.ErrorOf({"a", "--checkpoint=x"}),
              HasSubstr("unknown option --checkpoint; options"));
}

TEST(CommandLineTest, HelpShowsArgumentsDefaultsAndExamples) {
  Fixture f;
  EXPECT_TRUE(CommandLine::AsksForHelp({"a", "--help"}));
  EXPECT_TRUE(CommandLine::AsksForHelp({"-h"}));
  EXPECT_FALSE(CommandLine::AsksForHelp({"--", "--help"}));
  EXPECT_EQ(f.command.Help(), R"(Tries things.

Usage: mpc-run try PLAN [options]

  PLAN
      a plan file

Options:
  --log=FILE
      where to write
  --format=text|json   (default: text)
      how to print
  --steps=N   (default: 7)
      how many
  --quiet
      say nothing

Examples:
  # the simplest form
  mpc-run try a.plan
)");
}

TEST(ClosestNameTest, ATypoIsFarFromOtherWords) {
  const std::vector<std::string> names = {"train", "verify", "inspect"};
  EXPECT_EQ(ClosestName("trian", names), "train");
  EXPECT_EQ(ClosestName("inspct", names), "inspect");
  EXPECT_EQ(ClosestName("serve", names), "");
}

}  // namespace
}  // namespace mpc::runtime
