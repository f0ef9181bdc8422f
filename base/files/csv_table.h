#ifndef LADDER_BASE_FILES_CSV_TABLE_H_
#define LADDER_BASE_FILES_CSV_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "base/files/random_access_file.h"

namespace ladder::base {

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

  // Of the row at hand; valid until the next call of Next.
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

// Where a row lies in its file.
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

// How errors name a line of a file: "folder/file.csv:17".
std::string LinePlace(absl::string_view path, int64_t line);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_CSV_TABLE_H_
