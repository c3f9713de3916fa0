#include "runtime/device/cpu/cpu_features.h"

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace mpc::runtime {
namespace {

/// How the kernel names a feature that the compiler calls `feature`.
std::string FlagOfFeature(absl::string_view feature) {
  feature = absl::StripPrefix(feature, "+");
  const std::pair<absl::string_view, absl::string_view> renamed[] = {
      {"sse3", "pni"},   {"bmi", "bmi1"},          {"lzcnt", "abm"},
      {"sahf", "lahf_lm"}, {"64bit", "lm"},        {"crc32", "sse4_2"},
      {"pclmul", "pclmulqdq"}, {"sha", "sha_ni"},
      {"rdrnd", "rdrand"}};
  for (const auto& [name, flag] : renamed)
    if (feature == name) return std::string(flag);
  if (absl::StartsWith(feature, "avx512") && feature.size() > 7) {
    // The kernel writes avx512vl but avx512_vnni and later ones.
    for (absl::string_view late : {"vnni", "bf16", "bitalg", "vbmi2",
                                   "vpopcntdq", "fp16"})
      if (feature.substr(6) == late) return absl::StrCat("avx512_", late);
  }
  return absl::StrReplaceAll(feature, {{".", "_"}});
}

}  // namespace

std::set<std::string> FlagsOfCpuInfo(absl::string_view cpu_info) {
  for (absl::string_view line : absl::StrSplit(cpu_info, '\n')) {
    if (!absl::StartsWith(line, "flags")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    return absl::StrSplit(parts.second, ' ', absl::SkipEmpty());
  }
  return {};
}

absl::Status CheckTarget(const plan::Target& target,
                         const std::set<std::string>& flags) {
  const std::string& triple = target.triple();
  if (!absl::StartsWith(triple, "x86_64-") ||
      !absl::StrContains(triple, "linux"))
    return absl::FailedPreconditionError(
        absl::StrCat("the plan's kernels are for \"", triple,
                     "\", this machine runs x86_64 Linux code; compile the "
                     "plan for this machine"));
  std::vector<std::string> missing;
  for (const std::string& feature : target.cpu_features())
    if (flags.count(FlagOfFeature(feature)) == 0) missing.push_back(feature);
  if (missing.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("this machine's processor lacks ",
                   absl::StrJoin(missing, ", "),
                   ", which the plan's kernels use; compile the plan for this "
                   "machine"));
}

absl::Status CheckTarget(const plan::Target& target) {
  std::stringstream text;
  text << std::ifstream("/proc/cpuinfo").rdbuf();
  return CheckTarget(target, FlagsOfCpuInfo(text.str()));
}

}  // namespace mpc::runtime
