//===- CompileSettings.cpp - the text of --mpc-compile ----------*- C++ -*-===//

#include "tools/mpc-opt/CompileSettings.h"

#include "passes/pipelines/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace mpc {

/// Splits at spaces outside of quotes and braces, as LLVM does.
static SmallVector<StringRef> split(StringRef settings) {
  SmallVector<StringRef> result;
  while (!(settings = settings.ltrim()).empty()) {
    size_t end = 0;
    char closing = 0;
    for (; end < settings.size() && (closing || !isSpace(settings[end]));
         ++end) {
      char c = settings[end];
      if (closing)
        closing = c == closing ? 0 : closing;
      else if (c == '{' || c == '"' || c == '\'')
        closing = c == '{' ? '}' : c;
    }
    result.push_back(settings.take_front(end));
    settings = settings.drop_front(end);
  }
  return result;
}

static bool isDecimal(StringRef text) {
  int64_t number;
  return !text.getAsInteger(10, number) && text == std::to_string(number);
}

static std::string findMistakeInValue(StringRef name, StringRef value) {
  constexpr StringLiteral kNumbers[] = {"tp",     "dp",           "pp",
                                        "chunks", "microbatches", "zero"};
  const bool isList = name == "stages";
  if (!isList && !is_contained(kNumbers, name))
    return "";
  SmallVector<StringRef> numbers{value};
  if (isList) {
    numbers.clear();
    value.split(numbers, ',');
  }
  if (all_of(numbers, isDecimal))
    return "";
  return (name + "=" + value + ", expected " +
          (isList ? "whole numbers such as 5,7,7,5" : "a whole number") +
          (value.contains('=') ? "; settings are separated by spaces" : ""))
      .str();
}

static std::string describeUnknown(StringRef name,
                                   ArrayRef<std::string> names) {
  StringRef closest = *min_element(names, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
  std::string text = ("unknown setting " + name).str();
  if (name.edit_distance(closest) <= name.size() / 3 + 1)
    text += (", did you mean " + closest).str();
  return text + "; settings: " + join(names, ", ");
}

std::string findMistake(StringRef settings) {
  const std::vector<std::string> names = CompileOptions().getNames();
  StringSet<> seen;
  for (StringRef setting : split(settings)) {
    auto [name, value] = setting.split('=');
    if (!is_contained(names, name))
      return describeUnknown(name, names);
    if (!seen.insert(name).second)
      return (name + " is given twice").str();
    if (std::string mistake = findMistakeInValue(name, value); !mistake.empty())
      return mistake;
  }
  return "";
}

unsigned countStandardInputs(StringRef settings) {
  return count_if(split(settings), [](StringRef setting) {
    auto [name, value] = setting.split('=');
    return name.ends_with("-file") && value.trim("'\"{}") == "-";
  });
}

} // namespace mpc
