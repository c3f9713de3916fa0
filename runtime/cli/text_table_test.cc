#include "runtime/cli/text_table.h"

#include <gtest/gtest.h>

namespace mpc::runtime {
namespace {

TEST(FormatBytesTest, UnitsChangeWhereTheRoundedNumberWouldBe1000) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1000), "1.0 KB");
  EXPECT_EQ(FormatBytes(999949), "999.9 KB");
  EXPECT_EQ(FormatBytes(999950), "1.0 MB");
  EXPECT_EQ(FormatBytes(31200000000), "31.2 GB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "18.4 EB");
}

TEST(FormatCountTest, GroupsOfThree) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(124439808), "124,439,808");
  EXPECT_EQ(FormatCount(-123456), "-123,456");
}

TEST(TextTableTest, ColumnsAreAlignedWithoutTrailingSpace) {
  TextTable table({{"name"}, {"bytes", TextTable::Align::kRight}, {"note"}});
  table.AddRow({"a", "12345", ""});
  table.AddRow({"longer", "1", "x"});
  EXPECT_EQ(table.Print(),
            "  name    bytes  note\n"
            "  a       12345\n"
            "  longer      1  x\n");
}

}  // namespace
}  // namespace mpc::runtime
