#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/device.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

std::unique_ptr<Platform> Cpu() { return *CreatePlatform(plan::DEVICE_KIND_CPU); }

plan::Target TestKernels() {
  plan::Target target;
  target.set_device(plan::DEVICE_KIND_CPU);
  target.set_triple("x86_64-unknown-linux-gnu");
  target.add_cpu_features("sse2");
  std::stringstream object;
  object << std::ifstream(MPC_KERNELS_FOR_TEST, std::ios::binary).rdbuf();
  target.set_object(object.str());
  return target;
}

void AddKernel(plan::Target& target, const char* symbol, int64_t extent) {
  plan::Kernel* kernel = target.add_kernels();
  kernel->set_symbol(symbol);
  kernel->set_extent(extent);
}

TEST(CpuDeviceTest, AnArenaIsZeroAlignedAndAsLargeAsAsked) {
  auto device = *Cpu()->CreateDevice(1);
  for (uint64_t bytes : {uint64_t{0}, uint64_t{100}, uint64_t{40} << 20}) {
    auto arena = device->Allocate(bytes);
    ASSERT_TRUE(arena.ok()) << arena.status();
    EXPECT_EQ((*arena)->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*arena)->data()) % 64, 0u);
    for (uint64_t i = 0; i < bytes; i += 4096)
      ASSERT_EQ((*arena)->data()[i], 0);
    if (bytes) (*arena)->data()[bytes - 1] = 1;
  }
}

TEST(CpuDeviceTest, ImpossibleMemoryIsAnError) {
  auto device = *Cpu()->CreateDevice(1);
  const absl::Status status = device->Allocate(uint64_t{1} << 60).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1152921504606846976"));
}

TEST(CpuDeviceTest, RefusesAnAbsurdNumberOfThreads) {
  for (int threads : {0, -1, 100000})
    EXPECT_EQ(Cpu()->CreateDevice(threads).status().code(),
              absl::StatusCode::kInvalidArgument);
}

TEST(CpuDeviceTest, RefusesAnotherKindOfDevice) {
  EXPECT_EQ(CreatePlatform(plan::DEVICE_KIND_UNSPECIFIED).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(CpuDeviceTest, AKernelCoversItsExtentForAnyNumberOfThreads) {
  plan::Target target = TestKernels();
  AddKernel(target, "record_range", 37);
  AddKernel(target, "add_rows", 100);
  auto platform = Cpu();
  auto kernels = platform->LoadKernels(target);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  for (int threads : {1, 2, 5, 64}) {
    auto device = *platform->CreateDevice(threads);
    std::vector<int32_t> ranges(2 * 37, -1);
    void* range_buffers[] = {ranges.data()};
    device->Launch(**kernels, 0, range_buffers);
    int next = 0;
    while (next < 37) {
      ASSERT_EQ(ranges[2 * next], next) << threads << " threads";
      next = ranges[2 * next + 1];
    }
    EXPECT_EQ(next, 37);

    std::vector<float> x(100, 1), y(100, 2), sum(100);
    void* add_buffers[] = {x.data(), y.data(), sum.data()};
    device->Launch(**kernels, 1, add_buffers);
    EXPECT_THAT(sum, Each(3));
  }
}

TEST(CpuDeviceTest, TwoModulesLiveSideBySide) {
  auto platform = Cpu();
  plan::Target first = TestKernels(), second = TestKernels();
  AddKernel(first, "record_range", 1);
  AddKernel(second, "record_range", 1);
  auto one = platform->LoadKernels(first);
  auto two = platform->LoadKernels(second);
  ASSERT_TRUE(one.ok() && two.ok());
  one->reset();
  std::vector<int32_t> range(2, -1);
  void* buffers[] = {range.data()};
  (*platform->CreateDevice(1))->Launch(**two, 0, buffers);
  EXPECT_EQ(range, std::vector<int32_t>({0, 1}));
}

TEST(CpuDeviceTest, LoadKernelsNamesWhatIsWrong) {
  plan::Target target = TestKernels();
  AddKernel(target, "no_such_kernel", 1);
  EXPECT_THAT(std::string(Cpu()->LoadKernels(target).status().message()),
              HasSubstr("no symbol \"no_such_kernel\""));
  target.set_object("not an object");
  EXPECT_THAT(std::string(Cpu()->LoadKernels(target).status().message()),
              HasSubstr("object of 13 bytes cannot be loaded"));
  target.add_cpu_features("no-such-feature");
  EXPECT_THAT(std::string(Cpu()->LoadKernels(target).status().message()),
              HasSubstr("lacks no-such-feature"));
}

TEST(CpuDeviceTest, CopiesAndFillsRowsAndLeavesTheGaps) {
  for (int threads : {1, 3})
    for (int64_t columns : {1, 5, 70000})
      for (int64_t rows : {1, 2, 9}) {
        auto device = *Cpu()->CreateDevice(threads);
        std::vector<int32_t> source(rows * (columns + 2));
        for (size_t i = 0; i < source.size(); ++i) source[i] = i;
        std::vector<int32_t> destination(rows * (columns + 1), -1);
        device->Copy(reinterpret_cast<char*>(destination.data()),
                     (columns + 1) * 4,
                     reinterpret_cast<const char*>(source.data()),
                     (columns + 2) * 4, rows, columns * 4);
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < columns; ++j)
            ASSERT_EQ(destination[i * (columns + 1) + j],
                      i * (columns + 2) + j);
          ASSERT_EQ(destination[i * (columns + 1) + columns], -1);
        }
        device->Fill(reinterpret_cast<uint32_t*>(destination.data()),
                     columns + 1, rows, columns, 7);
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < columns; ++j)
            ASSERT_EQ(destination[i * (columns + 1) + j], 7);
          ASSERT_EQ(destination[i * (columns + 1) + columns], -1);
        }
      }
}

TEST(CpuDeviceTest, ParallelForCoversTheRangeOnce) {
  for (int threads : {1, 4})
    for (int64_t extent : {0, 1, 3, 1000}) {
      auto device = *Cpu()->CreateDevice(threads);
      std::vector<int> visits(extent, 0);
      device->ParallelFor(extent, [&](int64_t begin, int64_t end) {
        ASSERT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_THAT(visits, Each(1));
    }
}

}  // namespace
}  // namespace mpc::runtime
