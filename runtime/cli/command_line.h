// Options of a subcommand: parsing, messages and help from one description.
#ifndef MPC_RUNTIME_CLI_COMMAND_LINE_H_
#define MPC_RUNTIME_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mpc::runtime {

/// The exit codes of mpc-run.
enum ExitCode { kSuccess = 0, kRunFailed = 1, kBadUsage = 2 };

/// The syntax of one subcommand. Options are written `--name=value` or
/// `--name value`, in any order; after `--` everything is an argument.
/// Variables are written by `Parse`; what they hold before is the default that
/// help prints.
class CommandLine {
 public:
  /// `name` is as typed, e.g. `mpc-run train`.
  CommandLine(std::string name, std::string summary)
      : name_(std::move(name)), summary_(std::move(summary)) {}

  /// A file or the like, which must be given.
  void AddArgument(std::string name, std::string help, std::string* variable);
  void AddFlag(std::string name, std::string help, bool* variable);
  /// An option without a default must say in `help` what its absence means.
  void AddString(std::string name, std::string value_name, std::string help,
                 std::string* variable);
  void AddChoice(std::string name, std::vector<std::string> choices,
                 std::string help, std::string* variable);
  /// `default_text` replaces the number in the help, e.g. where 0 means that
  /// the program chooses.
  void AddInteger(std::string name, std::string help, int64_t least,
                  int64_t most, int64_t* variable,
                  std::string default_text = "");
  /// A command as one would type it and what it does.
  void AddExample(std::string command, std::string comment);
  /// Text of the help after the options.
  void AddNote(std::string text) { notes_.push_back(std::move(text)); }

  /// kInvalidArgument names the option, the value and what is legal.
  absl::Status Parse(absl::Span<const std::string> arguments) const;

  /// True if `--help` or `-h` is among the arguments.
  static bool AsksForHelp(absl::Span<const std::string> arguments);
  std::string Help() const;
  const std::string& name() const { return name_; }

 private:
  struct Option {
    std::string name;
    /// Empty: a flag.
    std::string value_name;
    std::string help;
    std::string default_text;
    std::function<absl::Status(const std::string&)> set;
  };
  struct Argument {
    std::string name;
    std::string help;
    std::string* variable;
  };
  struct Example {
    std::string command;
    std::string comment;
  };

  absl::Status UnknownOption(absl::string_view written) const;
  /// Null if there is none.
  const Option* FindOption(absl::string_view spelling) const;
  /// Parses the option at `*index` and moves there if its value comes after it.
  absl::Status ParseOption(absl::Span<const std::string> arguments,
                           size_t* index,
                           std::vector<const Option*>* seen) const;

  std::string name_;
  std::string summary_;
  std::vector<Argument> arguments_;
  std::vector<Option> options_;
  std::vector<Example> examples_;
  std::vector<std::string> notes_;
};

/// The name that is closest to what was written, if it is close; else empty.
std::string ClosestName(absl::string_view written,
                        absl::Span<const std::string> names);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CLI_COMMAND_LINE_H_
