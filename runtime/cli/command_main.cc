// Exit codes are decided here and nowhere else.
#include "runtime/cli/command_main.h"

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {

void PrintError(absl::string_view name, const absl::Status& status) {
  const std::string line =
      absl::StrCat(name, ": error: ", status.message(), "\n");
  std::fputs(line.c_str(), stderr);
}

absl::Status WriteOutput(absl::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return absl::ErrnoToStatus(errno, "standard output cannot be written");
  return absl::OkStatus();
}

int RunCommand(const CommandLine& command,
               absl::Span<const std::string> arguments,
               const std::function<absl::Status()>& body,
               const std::function<absl::Status()>& check) {
  if (CommandLine::AsksForHelp(arguments)) {
    const absl::Status written = WriteOutput(command.Help());
    if (written.ok()) return kSuccess;
    PrintError(command.name(), written);
    return kRunFailed;
  }
  absl::Status usage = command.Parse(arguments);
  if (usage.ok() && check) usage = check();
  if (!usage.ok()) {
    PrintError(command.name(), usage);
    std::fprintf(stderr, "%s --help explains the options\n",
                 command.name().c_str());
    return kBadUsage;
  }
  if (absl::Status status = body(); !status.ok()) {
    PrintError(command.name(), status);
    return kRunFailed;
  }
  return kSuccess;
}

}  // namespace mpc::runtime
