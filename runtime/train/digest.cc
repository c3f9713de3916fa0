// FNV-1a over words of eight bytes, with the high half folded in: a step for
// each word is as fast as memory.
#include "runtime/train/digest.h"

#include <cstring>
#include <vector>

namespace mpc::runtime {

void Digest::Add(absl::string_view bytes) {
  const auto add = [this](uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 32;
  };
  size_t i = 0;
  uint64_t word;
  for (; i + sizeof(word) <= bytes.size(); i += sizeof(word)) {
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    add(word);
  }
  word = 0;
  std::memcpy(&word, bytes.data() + i, bytes.size() - i);
  add(word);
  add(bytes.size());
}

uint64_t DigestOfSamples(const BatchSource& source,
                         const plan::Training& training) {
  Digest digest;
  std::vector<int32_t> tokens(training.sequence_length());
  const auto add = [&] {
    digest.Add({reinterpret_cast<const char*>(tokens.data()),
                tokens.size() * sizeof(int32_t)});
  };
  constexpr int64_t kLast = 1'000'000;
  for (int64_t sample = 0; sample <= kLast; sample = sample * 4 + 1) {
    source.ReadIds(sample, 0, absl::MakeSpan(tokens));
    add();
    source.ReadLabels(sample, 0, absl::MakeSpan(tokens));
    add();
  }
  return digest.value();
}

uint64_t DigestOfState(const RankProgram& program) {
  Digest digest;
  for (const plan::StateKind kind :
       {plan::STATE_KIND_MASTER, plan::STATE_KIND_MOMENT1,
        plan::STATE_KIND_MOMENT2, plan::STATE_KIND_COUNTER})
    for (const int state : program.StatesOfKind(kind)) {
      const absl::Span<const char> bytes = program.StateBytes(state);
      digest.Add({bytes.data(), bytes.size()});
    }
  return digest.value();
}

}  // namespace mpc::runtime
