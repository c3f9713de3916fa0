// `train` and `verify` read the same files in the same way.
#include "runtime/data/data_options.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/data/masked_tokens.h"
#include "runtime/data/synthetic_tokens.h"
#include "runtime/data/token_file.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

std::unique_ptr<BatchSource> Mask(std::unique_ptr<BatchSource> source,
                                  const plan::Training& training,
                                  uint64_t seed) {
  if (!training.has_masking()) return source;
  return std::make_unique<MaskedTokens>(std::move(source), training.masking(),
                                        training.vocabulary(), seed);
}

}  // namespace

void DataOptions::AddTo(CommandLine& command, const std::string& without_data) {
  command.AddString(
      "data", "FILE",
      absl::StrCat("the tokens, one after the other. Sample i is the tokens "
                   "i*s to i*s+s-1, with s the plan's sequence length; step k "
                   "(from 0) takes the next global_batch samples, and after "
                   "the last whole sample comes the first again. ",
                   without_data),
      &path);
  command.AddChoice("data-format", {"bytes", "u16", "u32"},
                    "the size of a token in the file: a byte each (text is its "
                    "own token file for a vocabulary of 256 or more), or two "
                    "or four bytes, little-endian",
                    &format);
  command.AddString(
      "labels", "FILE",
      "a mask with one byte for each token of --data: 1 if the position has a "
      "label (the token after it), 0 if it has none and adds nothing to the "
      "loss. Without it every position has a label. Not for masked language "
      "modelling, which chooses its labels itself",
      &labels_path);
}

absl::StatusOr<std::unique_ptr<BatchSource>> DataOptions::Open(
    const plan::Training& training, uint64_t seed) const {
  if (training.has_masking() && !labels_path.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--labels=", labels_path,
                     " is given, but the plan is of masked language modelling, "
                     "which chooses its labels itself"));
  }
  TokenFile::Options options;
  options.path = path;
  MPC_ASSIGN_OR_RETURN(options.format, ParseTokenFormat(format));
  options.labels_path = labels_path;
  options.sequence_length = training.sequence_length();
  options.has_labels = !training.has_masking();
  options.vocabulary = training.vocabulary();
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<BatchSource> file,
                       TokenFile::Open(options));
  return Mask(std::move(file), training, seed);
}

std::unique_ptr<BatchSource> MakeUpSamples(const plan::Training& training,
                                           uint64_t seed) {
  std::optional<SyntheticTokens::Padding> padding;
  if (training.masking().has_pad_token())
    padding = {static_cast<int32_t>(training.masking().pad_token()),
               training.sequence_length()};
  return Mask(std::make_unique<SyntheticTokens>(seed, training.global_batch(),
                                                training.vocabulary(), padding),
              training, seed);
}

}  // namespace mpc::runtime
