// Column widths are those of the widest cell.
#include "runtime/cli/text_table.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mpc::runtime {

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  static constexpr const char* kUnits[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double value = bytes / 1000.0;
  size_t unit = 0;
  // 999.95 would print as 1000.0.
  while (value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string FormatCount(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

void TextTable::AddRow(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size() && "a cell for each column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::Print() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string out;
  auto append = [&](auto cell_of) {
    std::string line;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string space(widths[c] - cell.size(), ' ');
      const bool right = columns_[c].align == Align::kRight;
      absl::StrAppend(&line, "  ", right ? space : "", cell,
                      right ? "" : space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
  };
  append([&](size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_)
    append([&](size_t c) -> const std::string& { return row[c]; });
  return out;
}

}  // namespace mpc::runtime
