//===- ShardingRule.cpp - the notation of rules -----------------*- C++ -*-===//
//
// Parsing and keeping of rules; what they demand of types is checked in
// ShardingRuleVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialects/dist/IR/ShardingRule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

using namespace mlir;

#include "dialects/interfaces/ShardingRuleOpInterface.cpp.inc"

namespace mpc {

namespace {

SmallVector<StringRef> words(StringRef text) {
  SmallVector<StringRef> result;
  text.split(result, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return result;
}

/// Parses the clauses and tensor lists of one rule.
class Parser {
public:
  ShardingRule parse(StringRef text) {
    SmallVector<StringRef> parts;
    text.split(parts, '|');
    auto [operands, results] = parts[0].split("->");
    parseTensors(operands, rule.operands);
    parseTensors(results, rule.results);
    for (StringRef clause : ArrayRef(parts).drop_front()) {
      auto [keyword, rest] = clause.trim().split(' ');
      if (keyword == "linear")
        parseLinearGroups(rest);
      else
        for (StringRef name : words(rest))
          rule.factors[getFactor(name)].kind = getKind(keyword);
    }
    return std::move(rule);
  }

private:
  static FactorKind getKind(StringRef keyword) {
    if (keyword == "reduce")
      return FactorKind::Sum;
    if (keyword == "max")
      return FactorKind::Max;
    assert(keyword == "whole" && "clauses are reduce, max, whole, linear");
    return FactorKind::Whole;
  }

  unsigned getFactor(StringRef name) {
    for (auto [index, factor] : llvm::enumerate(rule.factors))
      if (factor.name == name)
        return index;
    rule.factors.push_back({name.str()});
    return rule.factors.size() - 1;
  }

  void parseTensors(StringRef list, SmallVectorImpl<ShardingRule::Tensor> &to) {
    if (list.trim().empty())
      return;
    SmallVector<StringRef> tensors;
    list.split(tensors, ',');
    for (StringRef text : tensors) {
      auto [name, dims] = text.trim().split(':');
      ShardingRule::Tensor &tensor = to.emplace_back();
      tensor.name = name.str();
      for (StringRef dim : words(dims))
        tensor.dims.push_back(getFactor(dim));
    }
  }

  void parseLinearGroups(StringRef list) {
    SmallVector<StringRef> groups;
    list.split(groups, ';');
    for (StringRef group : groups) {
      SmallVector<unsigned, 2> &operands = rule.linearGroups.emplace_back();
      for (StringRef name : words(group)) {
        auto *it = llvm::find_if(rule.operands, [&](const auto &operand) {
          return operand.name == name;
        });
        assert(it != rule.operands.end() && "linear group names an operand");
        operands.push_back(it - rule.operands.begin());
      }
    }
  }

  ShardingRule rule;
};

} // namespace

bool ShardingRule::Tensor::has(unsigned factor) const {
  return llvm::is_contained(dims, factor);
}

ShardingRule ShardingRule::parse(StringRef text) {
  return Parser().parse(text);
}

std::optional<unsigned> ShardingRule::getLinearGroup(unsigned operand) const {
  for (auto [index, group] : llvm::enumerate(linearGroups))
    if (llvm::is_contained(group, operand))
      return index;
  return std::nullopt;
}

const ShardingRule &getShardingRule(Operation *op) {
  static std::mutex mutex;
  static llvm::StringMap<std::unique_ptr<ShardingRule>> rules;
  std::string text = cast<ShardingRuleOpInterface>(op).getShardingRuleText();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<ShardingRule> &rule = rules[text];
  if (!rule)
    rule = std::make_unique<ShardingRule>(ShardingRule::parse(text));
  return *rule;
}

std::string getFactorNames(StringRef prefix, int64_t count) {
  std::string names;
  for (int64_t i = 0; i < count; ++i)
    names += (i ? " " : "") + prefix.str() + std::to_string(i);
  return names;
}

std::string getPointwiseRule(ArrayRef<StringRef> operands,
                             ArrayRef<StringRef> results, int64_t rank,
                             StringRef clauses) {
  std::string dims = getFactorNames("d", rank);
  auto list = [&](ArrayRef<StringRef> names) {
    return llvm::join(llvm::map_range(names,
                                      [&](StringRef name) {
                                        return name.str() + ": " + dims;
                                      }),
                      ", ");
  };
  std::string text = list(operands) + " -> " + list(results);
  return clauses.empty() ? text : text + " | " + clauses.str();
}

} // namespace mpc
