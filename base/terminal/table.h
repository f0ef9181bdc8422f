#ifndef LADDER_BASE_TERMINAL_TABLE_H_
#define LADDER_BASE_TERMINAL_TABLE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal/terminal.h"

namespace ladder::base {

// Says what a column holds, and so how it is set.
enum class ColumnKind {
  kText,    // To the left; the widest of these is cut if there is no room.
  kFixed,   // To the left, never cut for the others' sake.
  kNumber,  // To the right, never cut for the others' sake.
};

struct Column {
  std::string title = {};
  ColumnKind kind = ColumnKind::kText;
};

struct Cell {
  // Not explicit, so that a row is a list of texts.
  Cell(std::string cell_text, Style cell_style = Style::kPlain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text) : text(cell_text) {}

  std::string text;  // UTF-8; what is not printable is shown as '?'.
  Style style = Style::kPlain;
};

// A table for people: a header unless no column has a title, then rows, two
// spaces between columns and none at the ends of lines.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column; missing ones are empty, further ones are left
  // out.
  void AddRow(std::vector<Cell> cells);

  size_t num_rows() const { return rows_.size(); }

  // Lines that end in '\n', none wider than a terminal: text columns are cut
  // down to some characters, the widest first, then lines at their ends.
  std::string Render(const Terminal& terminal) const;

 private:
  std::vector<size_t> Widths(const Terminal& terminal) const;
  std::string RenderRow(const std::vector<Cell>& cells,
                        const std::vector<size_t>& widths,
                        const Terminal& terminal) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_TABLE_H_
