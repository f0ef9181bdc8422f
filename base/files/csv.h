#ifndef LADDER_BASE_FILES_CSV_H_
#define LADDER_BASE_FILES_CSV_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/files/random_access_file.h"

namespace ladder::base {

// One record of a CSV file as RFC 4180 defines it: fields between commas; one
// that is in quotes may hold commas, line ends and, doubled, quotes. Lines end
// in LF, CRLF or CR.
class CsvRecord {
 public:
  CsvRecord() = default;
  // Movable only: fields would point into the original of a copy.
  CsvRecord(CsvRecord&&) = default;
  CsvRecord& operator=(CsvRecord&&) = default;

  // Parses the record that `text` begins with and returns its length, line end
  // included; none if it may go on behind `text`, which it cannot if `is_last`.
  // Fields point into `text` or into this object, until the next call.
  std::optional<size_t> Parse(absl::string_view text, bool is_last);

  // Unspecified if there is a fault.
  const std::vector<absl::string_view>& fields() const { return fields_; }
  // Says what is wrong with the record; empty if nothing is. A faulty record
  // still ends where its line ends.
  absl::string_view fault() const { return fault_; }
  bool is_blank() const { return is_blank_; }
  // Line ends within it, its own included.
  int64_t num_lines() const { return num_lines_; }

 private:
  // Each returns where the field ends; none if it may go on.
  std::optional<size_t> ParsePlain(absl::string_view text, size_t begin,
                                   bool is_last);
  std::optional<size_t> ParseQuoted(absl::string_view text, size_t begin,
                                    bool is_last);
  void AddUnescaped(absl::string_view escaped);

  std::vector<absl::string_view> fields_;
  std::deque<std::string> unescaped_;  // Does not move what is in it.
  size_t num_unescaped_ = 0;
  absl::string_view fault_;
  bool is_blank_ = false;
  int64_t num_lines_ = 0;
};

// Reads a CSV file from beginning to end, holding a record at a time. Leaves
// out blank lines and a byte order mark. One caller at a time.
class CsvReader {
 public:
  // Errors as RandomAccessFile::Open.
  static absl::StatusOr<CsvReader> Open(const std::filesystem::path& path);

  // Goes to the next record; false if there is none. A fault of reason
  // "malformed", without place, if it is against the rules: the reader then
  // stands at that record and can go on.
  absl::StatusOr<bool> Next();

  // Valid until the next call of Next.
  const std::vector<absl::string_view>& fields() const {
    return record_.fields();
  }

  const std::string& path() const { return file_.path(); }
  int64_t line() const { return line_; }  // Where the record begins, from 1.
  int64_t offset() const { return offset_; }  // The same in bytes, from 0.
  size_t length() const { return length_; }   // Its bytes.

 private:
  explicit CsvReader(RandomAccessFile file);

  absl::string_view Rest() const;  // What is in memory and not yet parsed.
  // Reads on. ResourceExhausted if the record is absurdly long.
  absl::Status Fill();

  RandomAccessFile file_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // Where the next record begins in the buffer.
  size_t end_ = 0;
  int64_t file_offset_ = 0;  // Where the buffer ends in the file.
  bool at_end_ = false;
  CsvRecord record_;
  int64_t line_ = 1;
  int64_t next_line_ = 1;
  int64_t offset_ = 0;
  size_t length_ = 0;
};

// A CSV file whose first record names its columns, read row by row. One caller
// at a time.
class CsvTable {
 public:
  // InvalidArgument if the file is empty, its header malformed, or two columns
  // have one name (several may have none); else as CsvReader::Open.
  static absl::StatusOr<CsvTable> Open(const std::filesystem::path& path);

  const std::string& path() const { return reader_.path(); }
  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<size_t> FindColumn(absl::string_view name) const;
  // InvalidArgument, with the columns there are, if there is none of this name.
  absl::StatusOr<size_t> RequireColumn(absl::string_view name) const;
  // The same for several.
  absl::StatusOr<std::vector<size_t>> RequireColumns(
      std::initializer_list<absl::string_view> names) const;

  // Goes to the next row; false if there is none. A fault of reason "malformed"
  // if it is against the rules of CSV or has another number of fields than the
  // header; the next call goes on behind it.
  absl::StatusOr<bool> Next();

  // A field of the row at hand, valid until the next call of Next.
  absl::string_view field(size_t column) const {
    return reader_.fields()[column];
  }
  int64_t row() const { return row_; }  // Rows before it, malformed ones too.
  int64_t line() const { return reader_.line(); }
  int64_t offset() const { return reader_.offset(); }
  size_t length() const { return reader_.length(); }
  std::string place() const;  // "folder/file.csv:17"

 private:
  explicit CsvTable(CsvReader reader);

  CsvReader reader_;
  std::vector<std::string> columns_;
  int64_t row_ = -1;
};

// The place of a row in its file.
struct CsvPlace {
  int64_t offset = 0;
  size_t length = 0;
  int64_t line = 0;
};

// Reads a row again that a CsvTable was at. `record` points into `text`. A
// fault of reason "malformed" if the file has changed since, as far as that
// shows: it is no row any more, or one of fewer than `min_fields` fields.
absl::Status ReadCsvRow(const RandomAccessFile& file, const CsvPlace& place,
                        size_t min_fields, std::string& text,
                        CsvRecord& record);

// The name of a line of a file in errors: "folder/file.csv:17".
std::string LinePlace(absl::string_view path, int64_t line);

// `text` as a field: in quotes where RFC 4180 wants them.
std::string CsvField(absl::string_view text);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_CSV_H_
