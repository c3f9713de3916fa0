#include "runtime/comm/launch_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace mpc::runtime {
namespace {

LaunchEnvironment Read(const std::map<std::string, std::string>& variables) {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK"})
    unsetenv(name);
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  return ReadLaunchEnvironment();
}

TEST(LaunchEnvironmentTest, WithoutALauncherThereIsOneProcess) {
  EXPECT_EQ(Read({}).processes, 1);
  EXPECT_EQ(Read({}).process, 0);
}

TEST(LaunchEnvironmentTest, BothFamiliesOfLaunchersAreUnderstood) {
  const LaunchEnvironment open_mpi =
      Read({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  EXPECT_EQ(open_mpi.processes, 4);
  EXPECT_EQ(open_mpi.process, 3);
  const LaunchEnvironment mpich = Read({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  EXPECT_EQ(mpich.processes, 2);
  EXPECT_EQ(mpich.process, 1);
}

TEST(LaunchEnvironmentTest, WhatMakesNoSenseIsNoLauncher) {
  EXPECT_EQ(Read({{"PMI_SIZE", "2"}, {"PMI_RANK", "2"}}).processes, 1);
  EXPECT_EQ(Read({{"PMI_SIZE", "two"}, {"PMI_RANK", "0"}}).processes, 1);
  EXPECT_EQ(Read({{"PMI_SIZE", "2"}}).processes, 1);
}

}  // namespace
}  // namespace mpc::runtime
