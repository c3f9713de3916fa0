// What is known of each byte of a memory.
#ifndef MPC_RUNTIME_CHECKER_BYTE_MAP_H_
#define MPC_RUNTIME_CHECKER_BYTE_MAP_H_

#include <algorithm>
#include <cstdint>
#include <map>

namespace mpc::runtime {

/// A value for each of some bytes, kept as disjoint pieces. Every operation
/// costs the logarithm of their number, and the pieces that it meets.
template <typename Value>
class ByteMap {
 public:
  void Set(uint64_t begin, uint64_t end, const Value& value) {
    Erase(begin, end);
    pieces_.emplace(begin, Piece{end, value});
  }

  void Erase(uint64_t begin, uint64_t end) {
    Split(begin);
    Split(end);
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
  }

  /// Calls `visit(begin, end, value)` for what covers [begin, end), in order
  /// and clipped to it; `value` is a pointer, null for a gap.
  template <typename Visit>
  void ForEachPiece(uint64_t begin, uint64_t end, const Visit& visit) const {
    const Value* none = nullptr;
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.end > begin)
      --piece;
    for (; begin < end && piece != pieces_.end() && piece->first < end;
         ++piece) {
      if (piece->first > begin) visit(begin, piece->first, none);
      const uint64_t stop = std::min(end, piece->second.end);
      visit(std::max(begin, piece->first), stop, &piece->second.value);
      begin = stop;
    }
    if (begin < end) visit(begin, end, none);
  }

 private:
  struct Piece {
    uint64_t end;
    Value value;
  };

  /// Makes `at` a boundary of pieces.
  void Split(uint64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->second.end <= at) return;
    pieces_.emplace(at, piece->second);
    piece->second.end = at;
  }

  /// By first byte.
  std::map<uint64_t, Piece> pieces_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_BYTE_MAP_H_
