// Maps files with mmap; an empty file, which cannot be mapped, is an empty
// span.
#include "runtime/data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace mpc::runtime {
namespace {

absl::Status ErrnoStatus(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot be read"));
}

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  if (path == "-") {
    return absl::InvalidArgumentError(
        "standard input cannot hold data, which is read again and again; save "
        "it to a file first (a file of that name is ./-)");
  }
  // A pipe without a writer must not keep the open waiting.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return ErrnoStatus(path, errno);
  struct stat info;
  if (fstat(file, &info) != 0) {
    const int error = errno;
    close(file);
    return ErrnoStatus(path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    close(file);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is not a regular file; save it to a file first"));
  }
  if (info.st_size == 0) {
    close(file);
    return MappedFile(nullptr, 0);
  }
  void* data = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  close(file);
  if (data == MAP_FAILED) return ErrnoStatus(path, error);
  return MappedFile(static_cast<const uint8_t*>(data), info.st_size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

}  // namespace mpc::runtime
