#include "runtime/device/cpu/cpu_platform.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/cpu/cpu_device.h"
#include "runtime/device/cpu/cpu_features.h"
#include "runtime/device/cpu/kernel_library.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

constexpr int kMaximalThreads = 1024;

class CpuPlatform : public Platform {
 public:
  absl::StatusOr<std::unique_ptr<KernelModule>> LoadKernels(
      const plan::Target& target) override {
    return KernelLibrary::Load(target);
  }

  absl::StatusOr<std::unique_ptr<Device>> CreateDevice(int threads) override {
    if (threads < 1 || threads > kMaximalThreads)
      return absl::InvalidArgumentError(
          absl::StrCat(threads, " threads per rank; expected 1 to ",
                       kMaximalThreads));
    return std::make_unique<CpuDevice>(threads);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Platform>> CreateCpuPlatform() {
  plan::Target own_code;
  own_code.set_triple("x86_64-linux");
  own_code.add_cpu_features("avx2");
  own_code.add_cpu_features("fma");
  MPC_RETURN_IF_ERROR(CheckTarget(own_code));
  return std::make_unique<CpuPlatform>();
}

}  // namespace mpc::runtime
