// `train` and `verify` read the same files in the same way.
#include "runtime/data/data_options.h"

#include "absl/strings/str_cat.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

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
      "loss. Without it every position has a label",
      &labels_path);
}

absl::StatusOr<std::unique_ptr<TokenFile>> DataOptions::Open(
    const plan::Training& training) const {
  TokenFile::Options options;
  options.path = path;
  MPC_ASSIGN_OR_RETURN(options.format, ParseTokenFormat(format));
  options.labels_path = labels_path;
  options.sequence_length = training.sequence_length();
  options.vocabulary = training.vocabulary();
  return TokenFile::Open(options);
}

}  // namespace mpc::runtime
