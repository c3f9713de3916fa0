// All checks are made when a file is opened: a run must not stop after hours
// because of a token near the end.
#include "runtime/data/token_file.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

uint32_t LoadToken(const uint8_t* bytes, TokenFormat format, int64_t index) {
  bytes += index * static_cast<int>(format);
  switch (format) {
    case TokenFormat::kBytes:
      return *bytes;
    case TokenFormat::kU16:
      return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8;
    case TokenFormat::kU32:
      return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 |
             uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
  }
  return 0;
}

absl::Status CheckIds(const TokenFile::Options& options,
                      absl::Span<const uint8_t> bytes, int64_t tokens) {
  // What an item can hold at most may be legal in any case.
  const int item_bits = 8 * static_cast<int>(options.format);
  if (options.vocabulary >= int64_t{1} << item_bits) return absl::OkStatus();
  for (int64_t i = 0; i < tokens; ++i) {
    const uint32_t id = LoadToken(bytes.data(), options.format, i);
    if (id >= options.vocabulary) {
      return absl::OutOfRangeError(absl::StrFormat(
          "%s: token %d (at byte %d) is %u, expected an id below the model's "
          "vocabulary of %d",
          options.path, i, i * static_cast<int>(options.format), id,
          options.vocabulary));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMask(const TokenFile::Options& options,
                       absl::Span<const uint8_t> mask, int64_t tokens) {
  if (static_cast<int64_t>(mask.size()) != tokens) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has %d bytes, expected %d, one for each token of %s",
        options.labels_path, mask.size(), tokens, options.path));
  }
  for (int64_t i = 0; i < tokens; ++i) {
    if (mask[i] > 1) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: byte %d is %d, expected 0 (no label) or 1 (label)",
          options.labels_path, i, mask[i]));
    }
  }
  // What follows the last whole sample is never read.
  const int64_t used =
      (tokens - 1) / options.sequence_length * options.sequence_length;
  if (std::find(mask.begin(), mask.begin() + used, 1) == mask.begin() + used) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has no label in its first %d bytes, which are the whole samples; "
        "expected a 1 among them",
        options.labels_path, used));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TokenFormat> ParseTokenFormat(absl::string_view name) {
  if (name == "bytes") return TokenFormat::kBytes;
  if (name == "u16") return TokenFormat::kU16;
  if (name == "u32") return TokenFormat::kU32;
  return absl::InvalidArgumentError(absl::StrCat(
      "data format \"", name, "\" is unknown, expected bytes, u16 or u32"));
}

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(
    const Options& options) {
  // The largest id must fit; a narrow file of a wide vocabulary has been cut.
  if (options.format == TokenFormat::kU16 && options.vocabulary > 65536) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: u16 tokens cannot hold the model's vocabulary of %d, expected u32 "
        "(u16 holds up to 65536)",
        options.path, options.vocabulary));
  }
  MPC_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(options.path));
  const int item = static_cast<int>(options.format);
  if (file.bytes().size() % item != 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has %d bytes, expected a multiple of %d, the size of a u%d token",
        options.path, file.bytes().size(), item, 8 * item));
  }
  const int64_t tokens = file.bytes().size() / item;
  const int64_t least = options.sequence_length + (options.has_labels ? 1 : 0);
  if (tokens < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has %d tokens, expected at least %d: one sequence of %d%s",
        options.path, tokens, least, options.sequence_length,
        options.has_labels ? " and the label of its last token" : ""));
  }
  MPC_RETURN_IF_ERROR(CheckIds(options, file.bytes(), tokens));
  std::optional<MappedFile> mask;
  if (!options.labels_path.empty()) {
    MPC_ASSIGN_OR_RETURN(MappedFile labels,
                         MappedFile::Open(options.labels_path));
    MPC_RETURN_IF_ERROR(CheckMask(options, labels.bytes(), tokens));
    mask.emplace(std::move(labels));
  }
  return std::unique_ptr<TokenFile>(
      new TokenFile(options, std::move(file), std::move(mask)));
}

TokenFile::TokenFile(const Options& options, MappedFile file,
                     std::optional<MappedFile> mask)
    : file_(std::move(file)),
      mask_(std::move(mask)),
      format_(options.format),
      sequence_length_(options.sequence_length),
      tokens_(file_.bytes().size() / static_cast<int>(options.format)),
      samples_((tokens_ - (options.has_labels ? 1 : 0)) /
               options.sequence_length) {}

void TokenFile::Read(int64_t first, absl::Span<int32_t> tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = LoadToken(file_.bytes().data(), format_, first + i);
}

void TokenFile::ReadIds(int64_t sample, int64_t begin,
                        absl::Span<int32_t> ids) const {
  Read(Locate(sample, begin), ids);
}

void TokenFile::ReadLabels(int64_t sample, int64_t begin,
                           absl::Span<int32_t> labels) const {
  const int64_t first = Locate(sample, begin);
  Read(first + 1, labels);
  if (!mask_) return;
  for (size_t i = 0; i < labels.size(); ++i)
    if (mask_->bytes()[first + i] == 0) labels[i] = -1;
}

}  // namespace mpc::runtime
