#include "runtime/checker/contents.h"

namespace mpc::runtime {

Contents::Contents(const plan::Role& role) {
  for (const plan::State& state : role.states()) {
    const bool is_message = state.kind() == plan::STATE_KIND_INCOMING ||
                            state.kind() == plan::STATE_KIND_OUTGOING;
    if (!is_message || state.slice().region() != plan::REGION_PERSISTENT)
      continue;
    const ByteRange range = RangeOf(state.slice());
    messages_.Set(range.begin, range.end, true);
  }
}

template <typename Visit>
void Contents::ForEachFollowed(Memory memory, const ByteRange& range,
                               const Visit& visit) const {
  if (memory >= Memory::kFirstSlot) return visit(range.begin, range.end);
  if (memory == Memory::kPersistent)
    messages_.ForEachPiece(range.begin, range.end,
                           [&](uint64_t begin, uint64_t end, const bool* is) {
                             if (is) visit(begin, end);
                           });
}

void Contents::Write(Memory memory, const ByteRange& range,
                     const Content& content) {
  ForEachFollowed(memory, range, [&](uint64_t begin, uint64_t end) {
    contents_[memory].Set(begin, end, content);
  });
}

std::optional<Contents::Fault> Contents::FindFault(Memory memory,
                                                   const ByteRange& range,
                                                   int64_t microbatch) const {
  static const ByteMap<Content> nothing;
  const auto place = contents_.find(memory);
  const ByteMap<Content>& contents =
      place == contents_.end() ? nothing : place->second;
  std::optional<Fault> fault;
  ForEachFollowed(memory, range, [&](uint64_t first, uint64_t last) {
    contents.ForEachPiece(
        first, last, [&](uint64_t begin, uint64_t end, const Content* content) {
          if (fault) return;
          if (!content)
            fault = {begin, end, std::nullopt};
          else if (microbatch != Content::kOfStep &&
                   content->microbatch != Content::kOfStep &&
                   content->microbatch != microbatch)
            fault = {begin, end, *content};
        });
  });
  return fault;
}

int64_t Contents::MicrobatchOf(Memory memory, const ByteRange& range) const {
  const auto place = contents_.find(memory);
  if (place == contents_.end()) return Content::kOfStep;
  std::optional<int64_t> microbatch;
  place->second.ForEachPiece(
      range.begin, range.end, [&](uint64_t, uint64_t, const Content* content) {
        const int64_t own = content ? content->microbatch : Content::kOfStep;
        microbatch = microbatch.value_or(own) == own ? own : Content::kOfStep;
      });
  return microbatch.value_or(Content::kOfStep);
}

}  // namespace mpc::runtime
