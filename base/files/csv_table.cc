#include "base/files/csv_table.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/fault.h"

namespace ladder::base {

absl::StatusOr<CsvTable> CsvTable::Open(const std::filesystem::path& path) {
  absl::StatusOr<CsvReader> reader = CsvReader::Open(path);
  if (!reader.ok()) return reader.status();
  CsvTable table(*std::move(reader));
  const absl::StatusOr<bool> has_header = table.reader_.Next();
  if (!has_header.ok()) return AtPlace(table.place(), has_header.status());
  if (!*has_header) {
    return absl::InvalidArgumentError(absl::StrCat(
        table.path(), ": expected a line with the columns' names, found none"));
  }
  for (const absl::string_view name : table.reader_.fields()) {
    if (!name.empty() && table.FindColumn(name).has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          table.place(), ": expected one column \"", name, "\", found two"));
    }
    table.columns_.emplace_back(name);
  }
  return table;
}

CsvTable::CsvTable(CsvReader reader) : reader_(std::move(reader)) {}

std::optional<size_t> CsvTable::FindColumn(absl::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<size_t>(found - columns_.begin());
}

absl::StatusOr<size_t> CsvTable::RequireColumn(absl::string_view name) const {
  const std::optional<size_t> column = FindColumn(name);
  if (column.has_value()) return *column;
  return absl::InvalidArgumentError(
      absl::StrCat(path(), ": expected a column \"", name, "\", found \"",
                   absl::StrJoin(columns_, "\", \""), "\""));
}

absl::StatusOr<std::vector<size_t>> CsvTable::RequireColumns(
    std::initializer_list<absl::string_view> names) const {
  std::vector<size_t> columns;
  for (const absl::string_view name : names) {
    const absl::StatusOr<size_t> column = RequireColumn(name);
    if (!column.ok()) return column.status();
    columns.push_back(*column);
  }
  return columns;
}

absl::StatusOr<bool> CsvTable::Next() {
  ++row_;
  absl::StatusOr<bool> has_row = reader_.Next();
  if (!has_row.ok() || !*has_row) return has_row;
  if (reader_.fields().size() != columns_.size()) {
    return Fault("malformed",
                 absl::StrCat("expected ", columns_.size(), " fields, found ",
                              reader_.fields().size()));
  }
  return true;
}

std::string CsvTable::place() const { return LinePlace(path(), line()); }

absl::Status ReadCsvRow(const RandomAccessFile& file, const CsvPlace& place,
                        size_t min_fields, std::string& text,
                        CsvRecord& record) {
  text.resize(place.length);
  absl::Status status =
      file.ReadAll(place.offset, std::as_writable_bytes(std::span(text)));
  const std::string line = LinePlace(file.path(), place.line);
  if (!status.ok()) return AtPlace(line, status);
  record.Parse(text, /*is_last=*/true);
  if (record.fault().empty() && record.fields().size() >= min_fields) {
    return absl::OkStatus();
  }
  return Fault("malformed",
               absl::StrCat(line,
                            ": expected the row that was there when the file "
                            "was opened"));
}

std::string LinePlace(absl::string_view path, int64_t line) {
  return absl::StrCat(path, ":", line);
}

}  // namespace ladder::base
