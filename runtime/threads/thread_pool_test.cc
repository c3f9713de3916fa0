#include "runtime/threads/thread_pool.h"

#include <pthread.h>

#include <string>
#include <system_error>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;
using ::testing::StartsWith;

TEST(ThreadPoolTest, RunsEveryItemOnceInEveryTask) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int64_t items : {0, 1, 2, 3, 100}) {
      std::vector<int> runs(items, 0);  // Not atomic: TSan sees sharing.
      for (int repeat = 0; repeat < 50; ++repeat)
        pool.Run(items, [&](int64_t item, int thread) {
          EXPECT_GE(thread, 0);
          EXPECT_LT(thread, threads);
          ++runs[item];
        });
      EXPECT_THAT(runs, Each(50)) << threads << " threads";
    }
  }
}

TEST(ThreadPoolTest, AThreadRunsOneItemAtATime) {
  ThreadPool pool(3);
  std::vector<int> items_of_thread(3);
  pool.Run(1000, [&](int64_t, int thread) { ++items_of_thread[thread]; });
  EXPECT_EQ(items_of_thread[0] + items_of_thread[1] + items_of_thread[2], 1000);
}

TEST(ThreadPoolTest, ATaskSeesWhatTheCallerWroteAndTheReverse) {
  ThreadPool pool(4);
  std::vector<int> values(64, 0);
  for (int round = 0; round < 200; ++round)
    pool.Run(64, [&](int64_t item, int) { values[(item + round) % 64] += 1; });
  EXPECT_THAT(values, Each(200));
}

TEST(ThreadPoolTest, AThreadThatCannotBeCreatedIsAnException) {
  pthread_attr_t old, huge;
  pthread_getattr_default_np(&old);
  pthread_attr_init(&huge);
  // No address space holds such a stack.
  pthread_attr_setstacksize(&huge, size_t{1} << 47);
  pthread_setattr_default_np(&huge);
  std::string message;
  try {
    ThreadPool pool(3);
  } catch (const std::system_error& error) {
    message = error.what();
  }
  pthread_setattr_default_np(&old);
  EXPECT_THAT(message, StartsWith("a thread cannot be created: "));
}

}  // namespace
}  // namespace mpc::runtime
