#include "runtime/device/cpu/kernel_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/device/cpu/cpu_features.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

absl::Status KernelLibrary::Open(const std::string& object) {
  file_ = memfd_create("mpc-kernels", MFD_CLOEXEC);
  if (file_ < 0) return absl::ErrnoToStatus(errno, "memory for kernels");
  for (size_t written = 0; written < object.size();) {
    const ssize_t count =
        write(file_, object.data() + written, object.size() - written);
    if (count < 0) return absl::ErrnoToStatus(errno, "memory for kernels");
    written += count;
  }
  const std::string path = absl::StrCat("/proc/self/fd/", file_);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the plan's object of %d bytes cannot be loaded: %s", object.size(),
        dlerror()));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelLibrary>> KernelLibrary::Load(
    const plan::Target& target) {
  MPC_RETURN_IF_ERROR(CheckTarget(target));
  auto library = absl::WrapUnique(new KernelLibrary);
  MPC_RETURN_IF_ERROR(library->Open(target.object()));
  for (const plan::Kernel& kernel : target.kernels()) {
    void* symbol = dlsym(library->handle_, kernel.symbol().c_str());
    if (!symbol)
      return absl::InvalidArgumentError(
          absl::StrCat("the plan's object has no symbol \"", kernel.symbol(),
                       "\" (", kernel.description(), ")"));
    library->entries_.push_back(
        {reinterpret_cast<Function>(symbol), kernel.extent()});
  }
  return library;
}

KernelLibrary::~KernelLibrary() {
  if (handle_) dlclose(handle_);
  if (file_ >= 0) close(file_);
}

}  // namespace mpc::runtime
