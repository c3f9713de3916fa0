#include "runtime/train/progress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mpc::runtime {
namespace {

StepRecord Record(int64_t step) {
  StepRecord record;
  record.step = step;
  record.loss = 3.21449f;
  record.grad_norm = 1.5f;
  record.learning_rate = 6e-4f;
  record.tokens_per_second = 1234.4;
  return record;
}

// What `use` prints for a run of `steps` steps.
template <typename Use>
std::string Printed(bool is_terminal, int64_t steps, Use use) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  Progress progress(file, is_terminal, steps);
  use(progress);
  std::fclose(file);
  std::string printed(text, size);
  std::free(text);
  return printed;
}

TEST(FormatDurationTest, UnitsGrow) {
  EXPECT_EQ(FormatDuration(9.4), "9s");
  EXPECT_EQ(FormatDuration(59.6), "1m00s");
  EXPECT_EQ(FormatDuration(185), "3m05s");
  EXPECT_EQ(FormatDuration(2 * 3600 + 7 * 60), "2h07m");
}

TEST(FormatProgressTest, AllNumbersOfAStep) {
  EXPECT_EQ(FormatProgress(Record(12), 100, 185),
            "step 12/100  loss 3.2145  grad norm 1.5  lr 0.0006  1234 tokens/s "
            " ETA 3m05s");
}

TEST(ProgressTest, ATerminalsLineIsRewritten) {
  const std::string printed = Printed(true, 3, [](Progress& progress) {
    progress.Show(Record(1), 2);
    progress.Print("warning");
    progress.Show(Record(2), 1);
  });
  EXPECT_EQ(printed,
            "\r\x1b[Kstep 1/3  loss 3.2145  grad norm 1.5  lr 0.0006  1234 "
            "tokens/s  ETA 2s\nwarning\n"
            "\r\x1b[Kstep 2/3  loss 3.2145  grad norm 1.5  lr 0.0006  1234 "
            "tokens/s  ETA 1s");
}

TEST(ProgressTest, AFileGetsTheFirstTheLastAndEachHundredth) {
  const std::string printed = Printed(false, 301, [](Progress& progress) {
    for (int64_t step : {1, 2, 3, 4, 300, 301}) progress.Show(Record(step), 7);
  });
  const std::string rest =
      "/301  loss 3.2145  grad norm 1.5  lr 0.0006  1234 tokens/s";
  EXPECT_EQ(printed, "step 1" + rest + "  ETA 7s\nstep 3" + rest +
                         "  ETA 7s\nstep 300" + rest + "  ETA 7s\nstep 301" +
                         rest + "\n");
}

}  // namespace
}  // namespace mpc::runtime
