#include "base/files/csv.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/files/fault.h"
#include "base/status_macros.h"

namespace ladder::base {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
// An unclosed quote makes the rest of the file one record; memory stays bounded
// nevertheless.
constexpr size_t kMaxRecordBytes = size_t{64} << 20;
constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

bool EndsField(char c) { return c == ',' || c == '\n' || c == '\r'; }

int64_t CountLineEnds(absl::string_view text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_pair =
        text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if ((text[i] == '\n' || text[i] == '\r') && !is_pair) ++count;
  }
  return count;
}

}  // namespace

std::optional<size_t> CsvRecord::Parse(absl::string_view text, bool is_last) {
  fields_.clear();
  num_unescaped_ = 0;
  fault_ = "";
  is_blank_ = false;
  num_lines_ = 1;
  for (size_t begin = 0;;) {
    const bool is_quoted = begin < text.size() && text[begin] == '"';
    const std::optional<size_t> end = is_quoted
                                          ? ParseQuoted(text, begin, is_last)
                                          : ParsePlain(text, begin, is_last);
    if (!end.has_value()) return std::nullopt;
    begin = *end + 1;
    if (*end < text.size() && text[*end] == ',') continue;

    is_blank_ = *end == 0;
    if (*end == text.size()) return *end;
    if (text[*end] == '\n') return *end + 1;
    // A carriage return, alone or before a line feed.
    if (begin == text.size() && !is_last) return std::nullopt;
    return begin < text.size() && text[begin] == '\n' ? begin + 1 : begin;
  }
}

std::optional<size_t> CsvRecord::ParsePlain(absl::string_view text,
                                            size_t begin, bool is_last) {
  size_t end = begin;
  while (end < text.size() && !EndsField(text[end])) {
    if (text[end] == '"') fault_ = "a quote in a field that is not in quotes";
    ++end;
  }
  if (end == text.size() && !is_last) return std::nullopt;
  fields_.push_back(text.substr(begin, end - begin));
  return end;
}

std::optional<size_t> CsvRecord::ParseQuoted(absl::string_view text,
                                             size_t begin, bool is_last) {
  ++begin;
  bool is_escaped = false;
  size_t end = text.find('"', begin);
  while (end != absl::string_view::npos && end + 1 < text.size() &&
         text[end + 1] == '"') {
    is_escaped = true;
    end = text.find('"', end + 2);
  }
  // The next piece of text may begin with the second of two quotes.
  const bool is_open = end == absl::string_view::npos;
  if (!is_last && (is_open || end + 1 == text.size())) return std::nullopt;
  if (is_open) {
    fault_ = "a quote that is never closed";
    end = text.size();
  }
  const absl::string_view content = text.substr(begin, end - begin);
  num_lines_ += CountLineEnds(content);
  if (is_escaped) {
    AddUnescaped(content);
  } else {
    fields_.push_back(content);
  }
  if (is_open) return end;
  ++end;
  if (end < text.size() && !EndsField(text[end])) {
    fault_ = "text behind a closing quote";
    while (end < text.size() && !EndsField(text[end])) ++end;
    if (end == text.size() && !is_last) return std::nullopt;
  }
  return end;
}

void CsvRecord::AddUnescaped(absl::string_view escaped) {
  if (num_unescaped_ == unescaped_.size()) unescaped_.emplace_back();
  std::string& field = unescaped_[num_unescaped_++];
  field.clear();
  for (size_t i = 0; i < escaped.size(); ++i) {
    field.push_back(escaped[i]);
    if (escaped[i] == '"') ++i;
  }
  fields_.push_back(field);
}

absl::StatusOr<CsvReader> CsvReader::Open(const std::filesystem::path& path) {
  LADDER_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  CsvReader reader(std::move(file));
  LADDER_RETURN_IF_ERROR(reader.Fill());
  if (absl::StartsWith(reader.Rest(), kByteOrderMark)) {
    reader.begin_ = std::strlen(kByteOrderMark);
  }
  return reader;
}

CsvReader::CsvReader(RandomAccessFile file) : file_(std::move(file)) {}

absl::string_view CsvReader::Rest() const {
  return {buffer_.data() + begin_, end_ - begin_};
}

absl::Status CsvReader::Fill() {
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kMaxRecordBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        path(), ":", next_line_, ": expected a record of at most ",
        kMaxRecordBytes, " bytes; is there a quote that is never closed?"));
  }
  // Doubling, so that a long record is not parsed too many times.
  buffer_.resize(std::max(kBlockBytes, 2 * end_));
  LADDER_ASSIGN_OR_RETURN(
      const size_t count,
      file_.ReadSome(file_offset_,
                     std::as_writable_bytes(std::span(buffer_).subspan(end_))));
  end_ += count;
  file_offset_ += static_cast<int64_t>(count);
  at_end_ = end_ < buffer_.size();
  return absl::OkStatus();
}

absl::StatusOr<bool> CsvReader::Next() {
  for (;;) {
    if (Rest().empty() && at_end_) return false;
    const std::optional<size_t> length = record_.Parse(Rest(), at_end_);
    if (!length.has_value()) {
      LADDER_RETURN_IF_ERROR(Fill());
      continue;
    }
    line_ = next_line_;
    offset_ = file_offset_ - static_cast<int64_t>(end_ - begin_);
    length_ = *length;
    begin_ += *length;
    next_line_ += record_.num_lines();
    if (record_.is_blank()) continue;
    if (!record_.fault().empty()) return Fault("malformed", record_.fault());
    return true;
  }
}

absl::StatusOr<CsvTable> CsvTable::Open(const std::filesystem::path& path) {
  LADDER_ASSIGN_OR_RETURN(CsvReader reader, CsvReader::Open(path));
  CsvTable table(std::move(reader));
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
    LADDER_ASSIGN_OR_RETURN(columns.emplace_back(), RequireColumn(name));
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

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace ladder::base
