#include "client/command/input/number_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "client/command/input/valid_text.h"

namespace ladder::command {
namespace {

std::string IdOrNumber(absl::string_view id, int64_t row) {
  return id.empty() ? absl::StrCat(row) : ValidText(id);
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
  absl::Status status =
      base::ReadCsvRow(file_, place, num_fields_, text, record);
  if (!status.ok()) return status;
  std::vector<float> numbers(columns_.size());
  for (size_t i = 0; i < columns_.size() && status.ok(); ++i) {
    status = ParseNumber(columns_[i], record.fields()[columns_[i].column],
                         numbers[i]);
  }
  if (!status.ok()) {
    return base::AtPlace(base::LinePlace(file_.path(), place.line), status);
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
  absl::Status status = array_.ReadRow(rows_[sample], numbers);
  if (!status.ok()) return status;
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

}  // namespace ladder::command
