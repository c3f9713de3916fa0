// A file mapped into memory for reading.
#ifndef MPC_RUNTIME_DATA_MAPPED_FILE_H_
#define MPC_RUNTIME_DATA_MAPPED_FILE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace mpc::runtime {

/// The bytes of a file, for as long as the object lives. Changing the file
/// meanwhile is the user's mistake: truncating it stops the process.
///
/// Thread-safe after `Open`.
class MappedFile {
 public:
  /// kNotFound or kPermissionDenied with the path and the system's words.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  absl::Span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  const uint8_t* data_;
  size_t size_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_MAPPED_FILE_H_
