#include "runtime/train/stop_signal.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

namespace mpc::runtime {
namespace {

TEST(StopSignalTest, TheFirstSignalIsNoted) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const StopSignal stop;
    EXPECT_FALSE(StopSignal::requested());
    raise(signal);
    EXPECT_TRUE(StopSignal::requested());
  }
}

TEST(StopSignalDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const StopSignal stop;
        raise(SIGINT);
        raise(SIGINT);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

// mpirun repeats it.
TEST(StopSignalTest, ALauncherMaySendManyTerminations) {
  const StopSignal stop(/*has_launcher=*/true);
  raise(SIGTERM);
  raise(SIGTERM);
  EXPECT_TRUE(StopSignal::requested());
}

TEST(StopSignalDeathTest, AfterwardsASignalEndsTheProcessAgain) {
  EXPECT_EXIT(
      {
        { const StopSignal stop; }
        raise(SIGTERM);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace mpc::runtime
