//===- UndividedSizes.cpp - what tp does not divide -------------*- C++ -*-===//

#include "passes/planning/UndividedSizes.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace mpc {

using tfm::DimensionKind;

/// What users call the size of a dimension that tensor parallelism splits. Where
/// several query heads share one for keys and values, these are what is split.
static std::optional<StringRef> getTensorParallelName(DimensionKind kind,
                                                      bool isGrouped) {
  switch (kind) {
  case DimensionKind::Vocabulary:
    return "vocab_size";
  case DimensionKind::KvHeads:
    return isGrouped ? "num_key_value_heads" : "num_attention_heads";
  case DimensionKind::Ffn:
    return "intermediate_size";
  case DimensionKind::Position:
  case DimensionKind::Hidden:
  case DimensionKind::HeadGroup:
  case DimensionKind::HeadDim:
  case DimensionKind::TokenType:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are listed");
}

bool isTensorParallel(DimensionKind kind) {
  return getTensorParallelName(kind, /*isGrouped=*/false).has_value();
}

static bool hasGroupedHeads(func::FuncOp function) {
  for (unsigned arg = 0; arg < function.getNumArguments(); ++arg)
    if (tfm::ParameterAttr parameter = tfm::getParameter(function, arg))
      for (auto [kind, size] :
           llvm::zip_equal(parameter.getDims(), parameter.getLogicalShape()))
        if (kind.getValue() == DimensionKind::HeadGroup && size > 1)
          return true;
  return false;
}

llvm::SetVector<NamedSize> findUndividedSizes(func::FuncOp function,
                                              tfm::StrategyAttr strategy) {
  llvm::SetVector<NamedSize> sizes;
  const bool isGrouped = hasGroupedHeads(function);
  auto check = [&](StringRef name, int64_t size) {
    if (size % strategy.getTp() != 0)
      sizes.insert({name, size});
  };
  for (unsigned arg = 0; arg < function.getNumArguments(); ++arg) {
    tfm::ParameterAttr parameter = tfm::getParameter(function, arg);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[arg]);
    bool isPinned = !!function.getArgAttr(arg, dist::DistDialect::kPinAttrName);
    if (!parameter || !type || isPinned)
      continue; // Whoever pinned it has decided.
    for (auto [kind, size] :
         llvm::zip_equal(parameter.getDims(), type.getShape()))
      if (auto name = getTensorParallelName(kind.getValue(), isGrouped))
        check(*name, size);
  }
  if (strategy.getSequenceParallel())
    function.walk([&](tfm::ResidualOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      check("sequence_length", type.getDimSize(1));
    });
  return sizes;
}

/// A longer list is cut before the size itself.
constexpr size_t kMostListed = 40;

static std::string listDivisors(int64_t size) {
  SmallVector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= size / divisor; ++divisor)
    if (size % divisor == 0) {
      divisors.push_back(divisor);
      if (divisor != size / divisor)
        divisors.push_back(size / divisor);
    }
  llvm::sort(divisors);
  std::string text;
  for (auto [index, divisor] : llvm::enumerate(divisors)) {
    if (index < kMostListed || divisor == size)
      text += (text.empty() ? "" : ",") + std::to_string(divisor);
    else if (index == kMostListed)
      text += ",…";
  }
  return text;
}

std::string describeUndivided(NamedSize size, int64_t tp) {
  return (size.first + "=" + Twine(size.second) + " not divisible by tp=" +
          Twine(tp) + "; legal: " + listDivisors(size.second))
      .str();
}

} // namespace mpc
