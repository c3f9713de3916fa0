#include "runtime/cli/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file)
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  std::string text;
  char buffer[1 << 14];
  while (const size_t count =
             std::fread(buffer, 1, sizeof(buffer), file.get()))
    text.append(buffer, count);
  if (std::ferror(file.get()))
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be read"));
  return text;
}

absl::Status CheckIsNoInput(absl::string_view what, const std::string& output,
                            absl::Span<const std::string> inputs) {
  struct stat written;
  if (output.empty() || output == "-" ||
      stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode))
    return absl::OkStatus();
  for (const std::string& input : inputs) {
    struct stat read;
    const int result =
        input == "-" ? fstat(STDIN_FILENO, &read) : stat(input.c_str(), &read);
    if (result == 0 && read.st_dev == written.st_dev &&
        read.st_ino == written.st_ino)
      return absl::InvalidArgumentError(
          absl::StrCat(what, " ", output, ": is the file of ", input,
                       ", which is read; expected a file of its own"));
  }
  return absl::OkStatus();
}

}  // namespace mpc::runtime
