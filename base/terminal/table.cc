#include "base/terminal/table.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/text/text.h"

namespace ladder::base {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 6;  // A text column is not cut further.

}  // namespace

void Table::AddRow(std::vector<Cell> cells) {
  cells.resize(columns_.size(), Cell(""));
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::Widths(const Terminal& terminal) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = TextWidth(columns_[i].title);
    for (const std::vector<Cell>& row : rows_) {
      width =
          std::max(width, TextWidth(PrintableText(row[i].text, terminal.utf8)));
    }
    widths.push_back(width);
  }
  if (terminal.columns == 0 || widths.empty()) return widths;
  size_t total =
      std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  for (; total > terminal.columns; --total) {
    size_t* widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (columns_[i].kind != ColumnKind::kText) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr || *widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::string Table::RenderRow(const std::vector<Cell>& cells,
                             const std::vector<size_t>& widths,
                             const Terminal& terminal) const {
  std::string line;
  size_t line_width = 0;
  size_t spaces = 0;  // They are due before the next text.
  for (size_t i = 0; i < columns_.size(); ++i) {
    std::string text = CutText(PrintableText(cells[i].text, terminal.utf8),
                               widths[i], terminal.utf8);
    const size_t padding = widths[i] - TextWidth(text);
    const bool to_the_right = columns_[i].kind == ColumnKind::kNumber;
    if (to_the_right) spaces += padding;
    if (!text.empty()) {
      if (terminal.columns > 0) {
        if (line_width + spaces >= terminal.columns) break;
        text = CutText(text, terminal.columns - line_width - spaces,
                       terminal.utf8);
      }
      line_width += spaces + TextWidth(text);
      absl::StrAppend(&line, std::string(spaces, ' '),
                      Styled(text, cells[i].style, terminal));
      spaces = 0;
    }
    spaces += kGap + (to_the_right ? 0 : padding);
  }
  absl::StrAppend(&line, "\n");
  return line;
}

std::string Table::Render(const Terminal& terminal) const {
  const std::vector<size_t> widths = Widths(terminal);
  std::vector<Cell> header;
  bool has_titles = false;
  for (const Column& column : columns_) {
    header.emplace_back(column.title, Style::kBold);
    has_titles = has_titles || !column.title.empty();
  }
  std::string text;
  if (has_titles) text = RenderRow(header, widths, terminal);
  for (const std::vector<Cell>& row : rows_) {
    absl::StrAppend(&text, RenderRow(row, widths, terminal));
  }
  return text;
}

}  // namespace ladder::base
