// The CPU threads of one rank as a device.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
#define MPC_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// Every operation has taken effect when its call returns. The calling thread
/// takes part in the work.
class CpuDevice : public Device {
 public:
  explicit CpuDevice(int threads) : pool_(threads) {}

  int threads() const override { return pool_.threads(); }
  absl::StatusOr<std::unique_ptr<Arena>> Allocate(uint64_t bytes) override;
  void Gemm(const GemmArguments& arguments) override;
  void Attention(const AttentionArguments& arguments) override;
  void AttentionGrad(const AttentionGradArguments& arguments) override;
  void Launch(const KernelModule& module, int kernel,
              absl::Span<void* const> buffers) override;
  void Copy(char* destination, int64_t destination_stride, const char* source,
            int64_t source_stride, int64_t rows, int64_t row_bytes) override;
  void Fill(uint32_t* destination, int64_t stride, int64_t rows,
            int64_t row_elements, uint32_t bits) override;
  void Fill(uint16_t* destination, int64_t stride, int64_t rows,
            int64_t row_elements, uint16_t bits) override;
  void ParallelFor(
      int64_t extent,
      const std::function<void(int64_t begin, int64_t end)>& body) override;

 private:
  template <typename Word>
  void FillWords(Word* destination, int64_t stride, int64_t rows,
                 int64_t row_elements, Word bits);

  ThreadPool pool_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
