#include "runtime/device/cpu/cpu_device.h"

#include <algorithm>
#include <cstring>

#include "runtime/device/cpu/arena.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/gemm.h"
#include "runtime/device/cpu/kernel_library.h"
#include "runtime/device/cpu/narrow_attention.h"
#include "runtime/device/cpu/narrow_gemm.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

/// Parts a thread, so that a thread that lost its core for a while does not hold
/// up the others.
constexpr int kPartsPerThread = 4;
/// Of copies and fills: less is not worth waking a thread.
constexpr int64_t kPartBytes = 64 << 10;

/// Calls `body(begin, end)` for parts of [0, extent).
template <typename Body>
void RunInParts(ThreadPool& pool, int64_t extent, int64_t most_parts,
                const Body& body) {
  const int64_t wanted =
      pool.threads() == 1 ? 1 : pool.threads() * kPartsPerThread;
  const int64_t parts = std::max<int64_t>(
      1, std::min({wanted, extent, most_parts}));
  pool.Run(parts, [&](int64_t part, int) {
    body(extent * part / parts, extent * (part + 1) / parts);
  });
}

/// Cuts `rows` rows, or the only row, into parts: `body(first row, rows, first
/// unit, units)`.
template <typename Body>
void RunInRowParts(ThreadPool& pool, int64_t rows, int64_t row_units,
                   int64_t unit_bytes, const Body& body) {
  const int64_t parts = rows * row_units * unit_bytes / kPartBytes;
  if (rows == 1)
    RunInParts(pool, row_units, parts, [&](int64_t begin, int64_t end) {
      body(0, 1, begin, end - begin);
    });
  else
    RunInParts(pool, rows, parts, [&](int64_t begin, int64_t end) {
      body(begin, end - begin, 0, row_units);
    });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Arena>> CpuDevice::Allocate(uint64_t bytes) {
  return AllocateArena(bytes);
}

void CpuDevice::Gemm(const GemmArguments& arguments) {
  if (IsNarrowFloat(arguments.type))
    NarrowGemm(arguments, pool_);
  else
    runtime::Gemm(arguments, pool_);
}

void CpuDevice::Attention(const AttentionArguments& arguments) {
  if (IsNarrowFloat(arguments.type))
    NarrowAttention(arguments, pool_);
  else
    runtime::Attention(arguments, pool_);
}

void CpuDevice::AttentionGrad(const AttentionGradArguments& arguments) {
  if (IsNarrowFloat(arguments.forward.type))
    NarrowAttentionGrad(arguments, pool_);
  else
    runtime::AttentionGrad(arguments, pool_);
}

void CpuDevice::Launch(const KernelModule& module, int kernel,
                       absl::Span<void* const> buffers) {
  const KernelLibrary::Entry& entry =
      static_cast<const KernelLibrary&>(module).entry(kernel);
  RunInParts(pool_, entry.extent, entry.extent,
             [&](int64_t begin, int64_t end) {
               entry.function(buffers.data(), begin, end);
             });
}

void CpuDevice::Copy(char* destination, int64_t destination_stride,
                     const char* source, int64_t source_stride, int64_t rows,
                     int64_t row_bytes) {
  if (destination_stride == row_bytes && source_stride == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  RunInRowParts(pool_, rows, row_bytes, 1,
                [&](int64_t row, int64_t count, int64_t byte, int64_t bytes) {
                  for (int64_t i = row; i < row + count; ++i)
                    std::memcpy(destination + i * destination_stride + byte,
                                source + i * source_stride + byte, bytes);
                });
}

template <typename Word>
void CpuDevice::FillWords(Word* destination, int64_t stride, int64_t rows,
                          int64_t row_elements, Word bits) {
  if (stride == row_elements) {
    row_elements *= rows;
    rows = 1;
  }
  RunInRowParts(pool_, rows, row_elements, sizeof(Word),
                [&](int64_t row, int64_t count, int64_t first, int64_t size) {
                  for (int64_t i = row; i < row + count; ++i)
                    std::fill_n(destination + i * stride + first, size, bits);
                });
}

void CpuDevice::Fill(uint32_t* destination, int64_t stride, int64_t rows,
                     int64_t row_elements, uint32_t bits) {
  FillWords(destination, stride, rows, row_elements, bits);
}

void CpuDevice::Fill(uint16_t* destination, int64_t stride, int64_t rows,
                     int64_t row_elements, uint16_t bits) {
  FillWords(destination, stride, rows, row_elements, bits);
}

void CpuDevice::ParallelFor(
    int64_t extent,
    const std::function<void(int64_t begin, int64_t end)>& body) {
  RunInParts(pool_, extent, extent, [&](int64_t begin, int64_t end) {
    if (begin < end) body(begin, end);
  });
}

}  // namespace mpc::runtime
