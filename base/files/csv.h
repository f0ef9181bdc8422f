#ifndef LADDER_BASE_FILES_CSV_H_
#define LADDER_BASE_FILES_CSV_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
  // What is wrong with the record; empty if nothing is. A faulty record still
  // ends where its line ends.
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
  int64_t offset() const { return offset_; }  // Likewise, in bytes.
  size_t length() const { return length_; }   // In bytes.

 private:
  explicit CsvReader(RandomAccessFile file);

  absl::string_view Rest() const;  // What is in memory and not yet parsed.
  // Reads on. ResourceExhausted if the record is absurdly long.
  absl::Status Fill();

  RandomAccessFile file_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // Of the record to be read next, in the buffer.
  size_t end_ = 0;
  int64_t file_offset_ = 0;  // Of the buffer's end.
  bool at_end_ = false;
  CsvRecord record_;
  int64_t line_ = 1;
  int64_t next_line_ = 1;
  int64_t offset_ = 0;
  size_t length_ = 0;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_CSV_H_
