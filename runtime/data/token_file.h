// Samples from a file of tokens.
#ifndef MPC_RUNTIME_DATA_TOKEN_FILE_H_
#define MPC_RUNTIME_DATA_TOKEN_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/data/batch_source.h"
#include "runtime/data/mapped_file.h"

namespace mpc::runtime {

/// The items of a token file: unsigned, little-endian. The value is an item's
/// size in bytes.
enum class TokenFormat { kBytes = 1, kU16 = 2, kU32 = 4 };

/// `bytes`, `u16` or `u32`; kInvalidArgument lists them.
absl::StatusOr<TokenFormat> ParseTokenFormat(absl::string_view name);

/// Sample i is the tokens i·s … i·s + s − 1 of a file, its labels are one
/// ahead, unless nobody reads them; after the last whole sample comes the first
/// again.
class TokenFile : public BatchSource {
 public:
  struct Options {
    std::string path;
    TokenFormat format = TokenFormat::kBytes;
    /// If not empty: a file of one byte per token of `path`. 1: the position
    /// has a label (the token after it); 0: it has none.
    std::string labels_path;
    int64_t sequence_length = 0;
    /// Whether labels are read, for which a token follows the last whole
    /// sample.
    bool has_labels = true;
    /// Every id must be below it.
    int64_t vocabulary = 0;
  };

  /// Reads the files once to check every id and mask byte. Errors name the
  /// file, the position, what was found and what is legal.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      const Options& options);

  /// Tokens in the file.
  int64_t tokens() const { return tokens_; }
  /// Samples before the first one comes again.
  int64_t samples() const { return samples_; }

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override;
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override;

 private:
  TokenFile(const Options& options, MappedFile file,
            std::optional<MappedFile> mask);

  void Read(int64_t first, absl::Span<int32_t> tokens) const;
  /// The token at which a position of a sample lies.
  int64_t Locate(int64_t sample, int64_t position) const {
    return (sample % samples_) * sequence_length_ + position;
  }

  MappedFile file_;
  std::optional<MappedFile> mask_;
  TokenFormat format_;
  int64_t sequence_length_;
  int64_t tokens_;
  int64_t samples_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_TOKEN_FILE_H_
