#include "base/files/csv.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

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
  absl::StatusOr<RandomAccessFile> file = RandomAccessFile::Open(path);
  if (!file.ok()) return file.status();
  CsvReader reader(*std::move(file));
  absl::Status status = reader.Fill();
  if (!status.ok()) return status;
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
  const absl::StatusOr<size_t> count = file_.ReadSome(
      file_offset_, std::as_writable_bytes(std::span(buffer_).subspan(end_)));
  if (!count.ok()) return count.status();
  end_ += *count;
  file_offset_ += static_cast<int64_t>(*count);
  at_end_ = end_ < buffer_.size();
  return absl::OkStatus();
}

absl::StatusOr<bool> CsvReader::Next() {
  for (;;) {
    if (Rest().empty() && at_end_) return false;
    const std::optional<size_t> length = record_.Parse(Rest(), at_end_);
    if (!length.has_value()) {
      absl::Status status = Fill();
      if (!status.ok()) return status;
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

}  // namespace ladder::base
