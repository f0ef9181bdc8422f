#include "client/command/input/sample_sources.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/text/text.h"

namespace ladder::client {
namespace {

std::string IdOrNumber(absl::string_view id, int64_t row) {
  return id.empty() ? absl::StrCat(row) : base::ValidText(id);
}

void SetBytes(std::span<const float> numbers, std::string& bytes) {
  bytes.resize(numbers.size_bytes());
  std::memcpy(bytes.data(), numbers.data(), numbers.size_bytes());
}

absl::Status ParseNumber(const FeatureColumn& column, absl::string_view text,
                         float& number) {
  if (absl::SimpleAtof(text, &number) && std::isfinite(number)) {
    return absl::OkStatus();
  }
  return base::Fault(
      "bad number",
      absl::StrCat(column.name, ": expected a finite number, found \"", text,
                   "\" (--features names the columns that hold numbers)"));
}

}  // namespace

absl::Status SkippedSamples::Take(const absl::Status& error) {
  if (!base::FaultReason(error).has_value()) return error;
  if (!skip_unreadable_) {
    return absl::Status(
        error.code(), absl::StrCat(error.message(),
                                   "; mend it, or leave such samples out with "
                                   "--skip-unreadable"));
  }
  const base::MutexLock lock(mutex_);
  messages_.emplace(error.message());
  return absl::OkStatus();
}

std::vector<std::string> SkippedSamples::List() const {
  const base::MutexLock lock(mutex_);
  return {messages_.begin(), messages_.end()};
}

void PictureFiles::Add(absl::string_view path, absl::string_view id,
                       int64_t line) {
  paths_.Add(path);
  ids_.Add(id);
  lines_.push_back(line);
}

std::string PictureFiles::Id(size_t sample) const {
  return base::ValidText(ids_[sample].empty() ? paths_[sample] : ids_[sample]);
}

absl::Status PictureFiles::Read(size_t sample, std::string& bytes) const {
  absl::Status status = ReadFile(
      root_ / std::string_view(paths_[sample].data(), paths_[sample].size()),
      bytes);
  if (list_.empty()) return status;
  return base::AtPlace(base::LinePlace(list_, lines_[sample]), status);
}

absl::Status PictureFiles::ReadFile(const std::filesystem::path& path,
                                    std::string& bytes) const {
  LADDER_ASSIGN_OR_RETURN(const base::RandomAccessFile file,
                          base::RandomAccessFile::Open(path));
  const auto size = static_cast<size_t>(file.size());
  if (size > max_bytes_) {
    return base::Fault("too large",
                       absl::StrCat(file.path(), ": expected at most ",
                                    max_bytes_, " bytes, found ", size));
  }
  bytes.resize(size);
  return file.ReadAll(/*offset=*/0, std::as_writable_bytes(std::span(bytes)));
}

CsvRows::CsvRows(base::RandomAccessFile file,
                 std::vector<FeatureColumn> columns)
    : file_(std::move(file)),
      columns_(std::move(columns)),
      shape_{static_cast<int64_t>(columns_.size())} {
  for (const FeatureColumn& column : columns_) {
    num_fields_ = std::max(num_fields_, column.column + 1);
  }
}

void CsvRows::Add(const base::CsvTable& table, absl::string_view id) {
  places_.push_back(
      {{table.offset(), table.length(), table.line()}, table.row()});
  ids_.Add(id);
}

std::string CsvRows::Id(size_t sample) const {
  return IdOrNumber(ids_[sample], places_[sample].row);
}

absl::Status CsvRows::Read(size_t sample, std::string& bytes) const {
  const base::CsvPlace& place = places_[sample].in_file;
  std::string text;
  base::CsvRecord record;
  LADDER_RETURN_IF_ERROR(
      base::ReadCsvRow(file_, place, num_fields_, text, record));
  std::vector<float> numbers(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const absl::Status status = ParseNumber(
        columns_[i], record.fields()[columns_[i].column], numbers[i]);
    if (!status.ok()) {
      return base::AtPlace(base::LinePlace(file_.path(), place.line), status);
    }
  }
  SetBytes(numbers, bytes);
  return absl::OkStatus();
}

ArrayRows::ArrayRows(base::NpyFile array)
    : array_(std::move(array)),
      shape_(array_.shape().begin() + 1, array_.shape().end()) {}

void ArrayRows::Add(int64_t row, absl::string_view id) {
  rows_.push_back(row);
  ids_.Add(id);
}

std::string ArrayRows::Id(size_t sample) const {
  return IdOrNumber(ids_[sample], rows_[sample]);
}

absl::Status ArrayRows::Read(size_t sample, std::string& bytes) const {
  std::vector<float> numbers(array_.row_size());
  LADDER_RETURN_IF_ERROR(array_.ReadRow(rows_[sample], numbers));
  const auto wrong =
      std::find_if(numbers.begin(), numbers.end(),
                   [](float number) { return !std::isfinite(number); });
  if (wrong != numbers.end()) {
    return base::Fault(
        "bad number",
        absl::StrCat(array_.path(), ": expected finite numbers, found ", *wrong,
                     " in row ", rows_[sample]));
  }
  SetBytes(numbers, bytes);
  return absl::OkStatus();
}

}  // namespace ladder::client
