// Plain text for people: aligned columns and sizes in bytes.
#ifndef MPC_RUNTIME_CLI_TEXT_TABLE_H_
#define MPC_RUNTIME_CLI_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::runtime {

/// `512 B`, `1.5 KB`, `31.2 GB`: powers of 1000, one decimal.
std::string FormatBytes(uint64_t bytes);

/// `1,234,567`.
std::string FormatCount(int64_t count);

/// Rows of cells whose columns are aligned when printed.
class TextTable {
 public:
  enum class Align { kLeft, kRight };

  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns)
      : columns_(std::move(columns)) {}

  /// `cells` has one entry a column.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Title line and rows, each indented by two columns, without trailing space.
  std::string Print() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CLI_TEXT_TABLE_H_
