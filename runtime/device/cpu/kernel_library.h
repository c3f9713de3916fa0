// The kernels of a plan as functions of this process.
#ifndef MPC_RUNTIME_DEVICE_CPU_KERNEL_LIBRARY_H_
#define MPC_RUNTIME_DEVICE_CPU_KERNEL_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/device/device.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A shared object, loaded from memory.
class KernelLibrary : public KernelModule {
 public:
  /// See Kernel in plan.proto.
  using Function = void (*)(void* const* buffers, int64_t begin, int64_t end);

  struct Entry {
    Function function;
    int64_t extent;
  };

  /// Errors: see Platform::LoadKernels; kInvalidArgument if the object cannot be
  /// loaded or lacks a symbol.
  static absl::StatusOr<std::unique_ptr<KernelLibrary>> Load(
      const plan::Target& target);

  ~KernelLibrary() override;
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  /// By index into Target.kernels.
  const Entry& entry(int kernel) const { return entries_[kernel]; }

 private:
  KernelLibrary() = default;
  absl::Status Open(const std::string& object);

  // Kept open as long as the object is loaded: the loader takes an object of the
  // same path, and hence of the same number, for the one it has.
  int file_ = -1;
  void* handle_ = nullptr;
  std::vector<Entry> entries_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_KERNEL_LIBRARY_H_
