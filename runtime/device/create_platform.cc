// Which kinds of device this build has.
#include "absl/strings/str_cat.h"
#include "runtime/device/cpu/cpu_platform.h"
#include "runtime/device/device.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Platform>> CreatePlatform(
    plan::DeviceKind kind) {
  if (kind == plan::DEVICE_KIND_CPU) return CreateCpuPlatform();
  return absl::UnimplementedError(
      absl::StrCat("device ", plan::DeviceKind_Name(kind),
                   " is not supported; supported: DEVICE_KIND_CPU"));
}

}  // namespace mpc::runtime
