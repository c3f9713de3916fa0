#include "runtime/plan/plan_reader.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/stubs/logging.h"
#include "runtime/plan/plan_bytes.h"
#include "runtime/plan/validate.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

absl::StatusOr<std::string> ReadAll(std::FILE* file, const std::string& name) {
  std::string bytes;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    bytes.append(buffer, count);
  if (std::ferror(file))
    return absl::ErrnoToStatus(errno, absl::StrCat(name, ": cannot be read"));
  return bytes;
}

}  // namespace

absl::StatusOr<plan::Plan> ParsePlan(absl::string_view bytes,
                                     absl::string_view name) {
  if (bytes.empty()) return absl::DataLossError(absl::StrCat(name, " is empty"));
  if (absl::StartsWith(bytes, "version https://git-lfs.github.com/spec/"))
    return absl::DataLossError(absl::StrCat(
        name,
        " is a Git LFS pointer, not the plan itself; `git lfs pull` in its "
        "repository fetches it"));
  plan::Plan plan;
  // What is wrong goes into the status, not to the standard error.
  const google::protobuf::LogSilencer silencer;
  if (bytes.size() > INT_MAX ||
      !plan.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return absl::DataLossError(absl::StrFormat(
        "%s is not a plan or is damaged (%d bytes); expected the output of "
        "mpc-translate --export-plan",
        name, bytes.size()));
  if (plan.version() == 0)
    return absl::DataLossError(
        absl::StrCat(name, " is not a plan: it states no version"));
  if (plan.version() != kPlanVersion)
    return absl::UnimplementedError(absl::StrFormat(
        "%s is a plan of version %d (made by compiler %s), this program reads "
        "version %d; compile it again, or use the runtime of that compiler",
        name, plan.version(),
        plan.compiler_version().empty() ? "unknown" : plan.compiler_version(),
        kPlanVersion));
  if (!HasValidChecksum(bytes))
    return absl::DataLossError(absl::StrFormat(
        "%s is damaged or incomplete (%d bytes): its checksum does not match",
        name, bytes.size()));
  if (absl::Status status = ValidatePlan(plan); !status.ok())
    return absl::Status(status.code(),
                        absl::StrCat(name, ": ", status.message()));
  return plan;
}

absl::StatusOr<plan::Plan> LoadPlan(const std::string& path) {
  if (path == "-") {
    MPC_ASSIGN_OR_RETURN(const std::string bytes,
                         ReadAll(stdin, "standard input"));
    return ParsePlan(bytes, "standard input");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file)
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  MPC_ASSIGN_OR_RETURN(const std::string bytes, ReadAll(file.get(), path));
  return ParsePlan(bytes, path);
}

}  // namespace mpc::runtime
