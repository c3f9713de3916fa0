// One table of options drives parsing, messages and help.
#include "runtime/cli/command_line.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

// Insertions, deletions and replacements from one word to the other.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

constexpr size_t kHelpWidth = 78;

// Appends `text`, broken into lines that start at column `indent`.
void AppendWrapped(std::string& out, absl::string_view text, size_t indent) {
  for (absl::string_view paragraph : absl::StrSplit(text, '\n')) {
    size_t column = indent;
    out.append(indent, ' ');
    bool first = true;
    for (absl::string_view word : absl::StrSplit(paragraph, ' ')) {
      if (!first && column + 1 + word.size() > kHelpWidth) {
        absl::StrAppend(&out, "\n", std::string(indent, ' '));
        column = indent;
        first = true;
      }
      absl::StrAppend(&out, first ? "" : " ", word);
      column += word.size() + (first ? 0 : 1);
      first = false;
    }
    out += '\n';
  }
}

}  // namespace

std::string ClosestName(absl::string_view written,
                        absl::Span<const std::string> names) {
  std::string closest;
  size_t least = written.size() / 3 + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(written, name);
    if (distance <= least) {
      least = distance;
      closest = name;
    }
  }
  return closest;
}

void CommandLine::AddArgument(std::string name, std::string help,
                              std::string* variable) {
  arguments_.push_back({std::move(name), std::move(help), variable});
}

void CommandLine::AddFlag(std::string name, std::string help, bool* variable) {
  options_.push_back({std::move(name), "", std::move(help), "",
                      [variable](const std::string&) {
                        *variable = true;
                        return absl::OkStatus();
                      }});
}

void CommandLine::AddString(std::string name, std::string value_name,
                            std::string help, std::string* variable) {
  auto set = [name, value_name, variable](const std::string& value) {
    if (value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " is empty, expected ", value_name));
    }
    *variable = value;
    return absl::OkStatus();
  };
  options_.push_back({std::move(name), std::move(value_name), std::move(help),
                      *variable, std::move(set)});
}

void CommandLine::AddChoice(std::string name, std::vector<std::string> choices,
                            std::string help, std::string* variable) {
  std::string value_name = absl::StrJoin(choices, "|");
  auto set = [name, choices = std::move(choices),
              variable](const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " is \"", value, "\", expected ",
                       absl::StrJoin(choices, " or ")));
    }
    *variable = value;
    return absl::OkStatus();
  };
  options_.push_back({std::move(name), std::move(value_name), std::move(help),
                      *variable, std::move(set)});
}

void CommandLine::AddInteger(std::string name, std::string help, int64_t least,
                             int64_t most, int64_t* variable,
                             std::string default_text) {
  auto set = [name, least, most, variable](const std::string& value) {
    int64_t number;
    if (!absl::SimpleAtoi(value, &number) || number < least || number > most) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name, " is \"", value, "\", expected a whole number from ",
          least, " to ", most));
    }
    *variable = number;
    return absl::OkStatus();
  };
  if (default_text.empty()) default_text = absl::StrCat(*variable);
  options_.push_back({std::move(name), "N", std::move(help),
                      std::move(default_text), std::move(set)});
}

void CommandLine::AddExample(std::string command, std::string comment) {
  examples_.push_back({std::move(command), std::move(comment)});
}

absl::Status CommandLine::UnknownOption(absl::string_view written) const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back("--" + option.name);
  names.push_back("--help");
  std::string message = absl::StrCat("unknown option ", written);
  const std::string closest = ClosestName(written, names);
  if (!closest.empty()) absl::StrAppend(&message, ", did you mean ", closest);
  absl::StrAppend(&message, "; options of ", name_, ": ",
                  absl::StrJoin(names, ", "));
  return absl::InvalidArgumentError(message);
}

const CommandLine::Option* CommandLine::FindOption(
    absl::string_view spelling) const {
  for (const Option& option : options_)
    if (spelling == absl::StrCat("--", option.name)) return &option;
  return nullptr;
}

absl::Status CommandLine::ParseOption(absl::Span<const std::string> arguments,
                                      size_t* index,
                                      std::vector<const Option*>* seen) const {
  const std::string& written = arguments[*index];
  const size_t equals = written.find('=');
  const bool has_value = equals != std::string::npos;
  const std::string spelling = written.substr(0, equals);
  std::string value = has_value ? written.substr(equals + 1) : "";
  const Option* option = FindOption(spelling);
  if (spelling == "--help") {
    return absl::InvalidArgumentError(
        absl::StrCat("--help takes no value, found \"", value, "\""));
  }
  if (option == nullptr) return UnknownOption(spelling);
  if (std::find(seen->begin(), seen->end(), option) != seen->end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(spelling, " is given twice"));
  }
  seen->push_back(option);
  if (option->value_name.empty()) {
    if (!has_value) return option->set("");
    return absl::InvalidArgumentError(
        absl::StrCat(spelling, " takes no value, found \"", value, "\""));
  }
  if (!has_value) {
    if (*index + 1 == arguments.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(spelling, " has no value, expected ", spelling, "=",
                       option->value_name));
    }
    value = arguments[++*index];
  }
  return option->set(value);
}

absl::Status CommandLine::Parse(absl::Span<const std::string> arguments) const {
  size_t positional = 0;
  bool options_ended = false;
  std::vector<const Option*> seen;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& written = arguments[i];
    if (!options_ended && written == "--") {
      options_ended = true;
      continue;
    }
    // `-` alone is a file: standard input.
    if (!options_ended && written.size() > 1 && written[0] == '-') {
      MPC_RETURN_IF_ERROR(ParseOption(arguments, &i, &seen));
      continue;
    }
    if (positional == arguments_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument \"", written, "\", ", name_,
                       " takes ", arguments_.size()));
    }
    *arguments_[positional++].variable = written;
  }
  if (positional < arguments_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("missing ", arguments_[positional].name, ", ",
                     arguments_[positional].help));
  }
  return absl::OkStatus();
}

bool CommandLine::AsksForHelp(absl::Span<const std::string> arguments) {
  for (const std::string& written : arguments) {
    if (written == "--") return false;
    if (written == "--help" || written == "-h") return true;
  }
  return false;
}

std::string CommandLine::Help() const {
  std::string out;
  AppendWrapped(out, summary_, 0);
  absl::StrAppend(&out, "\nUsage: ", name_);
  for (const Argument& argument : arguments_)
    absl::StrAppend(&out, " ", argument.name);
  absl::StrAppend(&out, options_.empty() ? "" : " [options]", "\n\n");
  for (const Argument& argument : arguments_) {
    absl::StrAppend(&out, "  ", argument.name, "\n");
    AppendWrapped(out, argument.help, 6);
  }
  if (!options_.empty()) out += "\nOptions:\n";
  for (const Option& option : options_) {
    absl::StrAppend(&out, "  --", option.name,
                    option.value_name.empty() ? "" : "=", option.value_name);
    if (!option.default_text.empty())
      absl::StrAppend(&out, "   (default: ", option.default_text, ")");
    out += '\n';
    AppendWrapped(out, option.help, 6);
  }
  for (const std::string& note : notes_) {
    out += '\n';
    AppendWrapped(out, note, 0);
  }
  if (!examples_.empty()) out += "\nExamples:\n";
  for (const Example& example : examples_) {
    absl::StrAppend(&out, "  # ", example.comment, "\n  ", example.command,
                    "\n");
  }
  return out;
}

}  // namespace mpc::runtime
