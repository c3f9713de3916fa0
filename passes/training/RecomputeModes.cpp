//===- RecomputeModes.cpp - what each layer computes again ------*- C++ -*-===//

#include "passes/training/RecomputeModes.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace mpc {

static std::optional<RecomputeMode> parseMode(StringRef word) {
  return llvm::StringSwitch<std::optional<RecomputeMode>>(word)
      .Case("none", RecomputeMode::None)
      .Case("selective", RecomputeMode::Selective)
      .Case("full", RecomputeMode::Full)
      .Default(std::nullopt);
}

/// Reads `3` or `0-11`.
static std::optional<std::pair<int64_t, int64_t>> parseRange(StringRef word) {
  auto [first, last] = word.split('-');
  int64_t begin, end;
  if (first.getAsInteger(10, begin))
    return std::nullopt;
  if (!word.contains('-'))
    return std::pair(begin, begin);
  if (last.getAsInteger(10, end))
    return std::nullopt;
  return std::pair(begin, end);
}

FailureOr<SmallVector<RecomputeMode>>
parseRecomputeModes(StringRef text, int64_t layers, Location location) {
  if (std::optional<RecomputeMode> all = parseMode(text))
    return SmallVector<RecomputeMode>(layers, *all);
  SmallVector<RecomputeMode> modes(layers, RecomputeMode::None);
  llvm::SmallBitVector named(layers);
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    auto [word, layersWord] = item.split(':');
    std::optional<RecomputeMode> mode = parseMode(word);
    auto range = parseRange(layersWord);
    if (!mode || !range)
      return emitError(location)
             << "recompute has \"" << item
             << "\"; expected none, selective or full, or a list such as "
                "full:0-11,none:12-23";
    auto [first, last] = *range;
    if (first < 0 || first > last || last >= layers)
      return emitError(location)
             << "recompute names layers " << layersWord
             << "; expected layers from 0 to " << layers - 1;
    for (int64_t layer = first; layer <= last; ++layer) {
      if (named.test(layer))
        return emitError(location)
               << "recompute names layer " << layer << " twice";
      named.set(layer);
      modes[layer] = *mode;
    }
  }
  return modes;
}

} // namespace mpc
