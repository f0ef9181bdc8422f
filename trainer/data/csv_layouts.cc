#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/files/npy.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "trainer/data/covariate_readers.h"
#include "trainer/data/dataset_builder.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

// A column that holds numbers.
struct Feature {
  size_t column = 0;
  std::string name = {};
};

absl::Status ParseNumber(const Feature& feature, absl::string_view text,
                         float& number) {
  if (absl::SimpleAtof(text, &number) && std::isfinite(number)) {
    return absl::OkStatus();
  }
  return base::Fault("bad number",
                     absl::StrCat(feature.name,
                                  ": expected a finite number, found "
                                  "\"",
                                  text, "\""));
}

absl::StatusOr<std::vector<Feature>> FindFeatures(
    const base::CsvTable& table, const SampleColumns& columns) {
  std::vector<Feature> features;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    if (columns.Include(i)) continue;
    // The row numbers that pandas writes, for one, are no covariate.
    if (table.columns()[i].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(table.path(), ": expected a name for column ", i + 1,
                       ", found none"));
    }
    features.push_back({i, table.columns()[i]});
  }
  if (!features.empty()) return features;
  return absl::InvalidArgumentError(
      absl::StrCat(table.path(), ": expected columns of numbers beside \"",
                   absl::StrJoin(table.columns(), "\", \""), "\", found none"));
}

// Parses a row of a CSV file each time it is asked for.
class CsvRowReader : public CovariateReader {
 public:
  CsvRowReader(base::RandomAccessFile file, std::vector<Feature> features,
               std::vector<base::CsvPlace> places)
      : file_(std::move(file)),
        features_(std::move(features)),
        places_(std::move(places)) {}

  absl::Status Read(size_t sample, std::span<float> x) const override {
    const base::CsvPlace& place = places_[sample];
    std::string text;
    base::CsvRecord record;
    LADDER_RETURN_IF_ERROR(base::ReadCsvRow(
        file_, place, features_.back().column + 1, text, record));
    absl::Status status;
    for (size_t i = 0; i < features_.size() && status.ok(); ++i) {
      status =
          ParseNumber(features_[i], record.fields()[features_[i].column], x[i]);
    }
    return base::AtPlace(base::LinePlace(file_.path(), place.line), status);
  }

 private:
  base::RandomAccessFile file_;
  std::vector<Feature> features_;
  std::vector<base::CsvPlace> places_;  // One for each sample.
};

class NpyReader : public CovariateReader {
 public:
  struct Place {
    int64_t row = 0;   // Its row in the array.
    int64_t line = 0;  // Its line in the list.
  };

  NpyReader(base::NpyFile array, std::string list, std::vector<Place> places)
      : array_(std::move(array)),
        list_(std::move(list)),
        places_(std::move(places)) {}

  absl::Status Read(size_t sample, std::span<float> x) const override {
    const Place& place = places_[sample];
    absl::Status status = array_.ReadRow(place.row, x);
    const auto wrong = std::find_if(
        x.begin(), x.end(), [](float value) { return !std::isfinite(value); });
    if (status.ok() && wrong != x.end()) {
      status = base::Fault("bad number",
                           absl::StrCat(array_.path(),
                                        ": expected finite numbers, "
                                        "found ",
                                        *wrong, " in row ", place.row));
    }
    return base::AtPlace(base::LinePlace(list_, place.line), status);
  }

 private:
  base::NpyFile array_;
  std::string list_;
  std::vector<Place> places_;  // One for each sample.
};

}  // namespace

absl::StatusOr<LoadedDataset> LoadCsvTable(const std::filesystem::path& csv,
                                           const DatasetOptions& options) {
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  LADDER_ASSIGN_OR_RETURN(SampleColumns columns, SampleColumns::Find(table));
  LADDER_ASSIGN_OR_RETURN(std::vector<Feature> features,
                          FindFeatures(table, columns));
  LADDER_ASSIGN_OR_RETURN(base::RandomAccessFile file,
                          base::RandomAccessFile::Open(csv));

  LoadedDataset loaded;
  std::vector<base::CsvPlace> places;
  std::vector<float> numbers(features.size());
  const auto add_row = [&] {
    for (size_t i = 0; i < features.size(); ++i) {
      LADDER_RETURN_IF_ERROR(ParseNumber(
          features[i], table.field(features[i].column), numbers[i]));
    }
    LADDER_RETURN_IF_ERROR(
        columns.AddRow(table, {reinterpret_cast<const char*>(numbers.data()),
                               numbers.size() * sizeof(float)}));
    places.push_back({table.offset(), table.length(), table.line()});
    return absl::OkStatus();
  };
  LADDER_RETURN_IF_ERROR(
      ForEachRow(table, options.on_broken, loaded.report, add_row));
  loaded.dataset = columns.Build();
  loaded.dataset.input = model_store::TensorInput{
      .shape = {static_cast<int64_t>(features.size())}};
  loaded.dataset.reader = std::make_shared<CsvRowReader>(
      std::move(file), std::move(features), std::move(places));
  return loaded;
}

absl::StatusOr<LoadedDataset> LoadNpyTable(const std::filesystem::path& folder,
                                           const DatasetOptions& options) {
  LADDER_ASSIGN_OR_RETURN(base::NpyFile array,
                          base::NpyFile::Open(folder / "x.npy"));
  const std::vector<int64_t>& shape = array.shape();
  if (shape.size() < 2 || array.row_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        array.path(), ": expected an array of samples that are arrays, found ",
        "one of shape (", absl::StrJoin(shape, ", "), ")"));
  }
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table,
                          base::CsvTable::Open(folder / "samples.csv"));
  LADDER_ASSIGN_OR_RETURN(SampleColumns columns, SampleColumns::Find(table));

  LoadedDataset loaded;
  std::vector<NpyReader::Place> places;
  LADDER_RETURN_IF_ERROR(
      ForEachRow(table, options.on_broken, loaded.report, [&] {
        absl::Status added = columns.AddRow(table, absl::StrCat(table.row()));
        if (added.ok()) places.push_back({table.row(), table.line()});
        return added;
      }));
  if (loaded.report.num_rows != shape[0]) {
    return absl::InvalidArgumentError(absl::StrCat(
        table.path(), ": expected ", shape[0], " rows, as many as in ",
        array.path(), ", found ", loaded.report.num_rows));
  }
  loaded.dataset = columns.Build();
  loaded.dataset.input =
      model_store::TensorInput{.shape = {shape.begin() + 1, shape.end()}};
  loaded.dataset.reader = std::make_shared<NpyReader>(
      std::move(array), table.path(), std::move(places));
  return loaded;
}

absl::StatusOr<LoadedDataset> LoadLabelledCsv(const std::filesystem::path& csv,
                                              const DatasetOptions& options) {
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  LADDER_ASSIGN_OR_RETURN(const size_t path, table.RequireColumn("path"));
  LADDER_ASSIGN_OR_RETURN(SampleColumns columns, SampleColumns::Find(table));

  LoadedDataset loaded;
  ImageFiles files = {.folder = csv.parent_path(), .list = table.path()};
  LADDER_RETURN_IF_ERROR(
      ForEachRow(table, options.on_broken, loaded.report, [&] {
        const absl::string_view file = table.field(path);
        if (file.empty()) {
          return base::Fault("missing value", "path: expected a file's name");
        }
        absl::Status added = columns.AddRow(table, file);
        if (added.ok()) {
          files.entries.push_back({std::string(file), table.line()});
        }
        return added;
      }));
  loaded.dataset = columns.Build();
  LADDER_RETURN_IF_ERROR(AttachImages(std::move(files), options.image,
                                      options.limits, loaded.dataset));
  return loaded;
}

}  // namespace ladder::trainer
