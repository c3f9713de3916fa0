#include "runtime/cli/files.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "gmock/gmock.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MakeFile(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/files_test_" +
                           std::to_string(getpid()) + name;
  std::ofstream(path) << text;
  return path;
}

TEST(FilesTest, ReadsAllOfAFile) {
  const std::string text = std::string(100'000, 'x') + '\0' + "end";
  const std::string path = MakeFile("whole", text);
  EXPECT_EQ(*ReadFile(path), text);
  std::remove(path.c_str());
}

TEST(FilesTest, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(std::string(ReadFile("/nowhere/at/all").status().message()),
              StartsWith("/nowhere/at/all: cannot be opened"));
  EXPECT_THAT(std::string(ReadFile("/tmp").status().message()),
              HasSubstr("/tmp: cannot be read"));
}

TEST(FilesTest, AnOutputIsNoInput) {
  const std::string a = MakeFile("a", "a"), b = MakeFile("b", "b");
  EXPECT_TRUE(CheckIsNoInput("log", a, {b, "", "/nowhere"}).ok());
  EXPECT_TRUE(CheckIsNoInput("log", "-", {a}).ok());
  EXPECT_TRUE(CheckIsNoInput("log", "", {a}).ok());
  EXPECT_TRUE(CheckIsNoInput("log", "/dev/null", {"/dev/null"}).ok());
  const std::string link = a + "_link";
  ASSERT_EQ(symlink(a.c_str(), link.c_str()), 0);
  for (const std::string& name : {a, link})
    EXPECT_EQ(std::string(CheckIsNoInput("log", name, {b, a}).message()),
              "log " + name + ": is the file of " + a +
                  ", which is read; expected a file of its own");
  std::remove(link.c_str());
  std::remove(a.c_str());
  std::remove(b.c_str());
}

}  // namespace
}  // namespace mpc::runtime
