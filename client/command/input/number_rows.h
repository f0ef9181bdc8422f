#ifndef LADDER_CLIENT_COMMAND_INPUT_NUMBER_ROWS_H_
#define LADDER_CLIENT_COMMAND_INPUT_NUMBER_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/files/csv_table.h"
#include "base/files/npy.h"
#include "base/files/random_access_file.h"
#include "client/command/input/sample_source.h"
#include "client/command/input/string_list.h"

namespace ladder::command {

// A column that holds numbers.
struct FeatureColumn {
  size_t column = 0;
  std::string name = {};
};

// Samples that are rows of a CSV file, parsed each time they are read.
class CsvRows : public SampleSource {
 public:
  // There must be a column.
  CsvRows(base::RandomAccessFile file, std::vector<FeatureColumn> columns);

  // While it is built: adds the row at hand. An empty `id` is the row's number.
  void Add(const base::CsvTable& table, absl::string_view id);
  size_t size() const { return places_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  struct Place {
    base::CsvPlace in_file = {};
    int64_t row = 0;
  };

  base::RandomAccessFile file_;
  std::vector<FeatureColumn> columns_;
  size_t num_fields_ = 0;  // That a row needs at least.
  std::vector<Place> places_;
  StringList ids_;
  std::vector<int64_t> shape_;
};

// Samples that are rows of an array.
class ArrayRows : public SampleSource {
 public:
  explicit ArrayRows(base::NpyFile array);

  // While it is built. An empty `id` is the row's number.
  void Add(int64_t row, absl::string_view id);
  size_t size() const { return rows_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  base::NpyFile array_;
  std::vector<int64_t> rows_;
  StringList ids_;
  std::vector<int64_t> shape_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_NUMBER_ROWS_H_
