#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "trainer/data/covariate_readers.h"
#include "trainer/data/dataset_builder.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

// categories.csv gives this to categories that no picture has. It also bounds
// the labels where there is no categories.csv.
constexpr int64_t kUnusedCategory = 99'999;

absl::StatusOr<int64_t> ParseLabel(absl::string_view text, int64_t end) {
  int64_t label = 0;
  if (absl::SimpleAtoi(text, &label) && label >= 0 && label < end) return label;
  return base::Fault("bad label",
                     absl::StrCat("y: expected an integer from 0 to ", end - 1,
                                  ", found \"", text, "\""));
}

// The names of the classes, put together from rows in any order.
class Categories {
 public:
  absl::Status Add(absl::string_view y, absl::string_view name) {
    const absl::StatusOr<int64_t> label = ParseLabel(y, kUnusedCategory + 1);
    if (!label.ok() || *label == kUnusedCategory) return label.status();
    LADDER_RETURN_IF_ERROR(CheckName("name", name));
    const auto place = static_cast<size_t>(*label);
    if (place >= classes_.size()) classes_.resize(place + 1);
    const size_t num_names = names_.size();
    names_.Number(name);
    if (!classes_[place].empty() || names_.size() == num_names) {
      return base::Fault(
          "bad label",
          absl::StrCat("expected other y and name than before, found ", y,
                       " and \"", name, "\""));
    }
    classes_[place] = std::string(name);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> Finish(absl::string_view path) {
    for (size_t i = 0; i < classes_.size(); ++i) {
      if (!classes_[i].empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": expected a row for each y from 0 to ",
                       classes_.size() - 1, ", found none for ", i));
    }
    return std::move(classes_);
  }

 private:
  std::vector<std::string> classes_;  // Indexed by y.
  Names names_;
};

// Any row that is not as it should be is an error, since the labels of all
// samples rest on these.
absl::StatusOr<std::vector<std::string>> ReadCategories(
    const std::filesystem::path& csv) {
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  LADDER_ASSIGN_OR_RETURN(const auto columns,
                          table.RequireColumns({"y", "name"}));
  Categories categories;
  DatasetReport unused;
  LADDER_RETURN_IF_ERROR(ForEachRow(table, OnBroken::kFail, unused, [&] {
    return categories.Add(table.field(columns[0]), table.field(columns[1]));
  }));
  return categories.Finish(table.path());
}

// Turns the rows of metadata.csv into samples.
class IWildCamRows {
 public:
  IWildCamRows(std::vector<size_t> columns, std::vector<std::string> classes,
               ImageFiles files)
      : columns_(std::move(columns)),
        classes_(std::move(classes)),
        end_label_(classes_.empty() ? kUnusedCategory
                                    : static_cast<int64_t>(classes_.size())),
        files_(std::move(files)) {}

  absl::Status Add(const base::CsvTable& table) {
    LADDER_ASSIGN_OR_RETURN(const Split split,
                            ParseSplit(table.field(columns_[0])));
    LADDER_ASSIGN_OR_RETURN(const int64_t label,
                            ParseLabel(table.field(columns_[2]), end_label_));
    const absl::string_view file = table.field(columns_[3]);
    if (file.empty()) {
      return base::Fault("missing value", "filename: expected a file's name");
    }
    LADDER_RETURN_IF_ERROR(builder_.Add({.label = label,
                                         .domain = table.field(columns_[1]),
                                         .split = split,
                                         .covariates = file}));
    files_.entries.push_back({std::string(file), table.line()});
    while (static_cast<int64_t>(classes_.size()) <= label) {
      classes_.push_back(absl::StrCat(classes_.size()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Dataset> Build(const DatasetOptions& options) {
    Dataset dataset = builder_.Build();
    dataset.classes = std::move(classes_);
    LADDER_RETURN_IF_ERROR(AttachImages(std::move(files_), options.image,
                                        options.limits, dataset));
    return dataset;
  }

 private:
  std::vector<size_t> columns_;
  std::vector<std::string> classes_;
  int64_t end_label_;
  ImageFiles files_;
  DatasetBuilder builder_;
};

}  // namespace

absl::StatusOr<LoadedDataset> LoadIWildCam(const std::filesystem::path& folder,
                                           const DatasetOptions& options) {
  std::vector<std::string> classes;
  const std::filesystem::path categories = folder / "categories.csv";
  if (std::error_code ignored; std::filesystem::exists(categories, ignored)) {
    LADDER_ASSIGN_OR_RETURN(classes, ReadCategories(categories));
  }
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table,
                          base::CsvTable::Open(folder / "metadata.csv"));
  LADDER_ASSIGN_OR_RETURN(
      auto columns,
      table.RequireColumns({"split", "location_remapped", "y", "filename"}));

  IWildCamRows rows(std::move(columns), std::move(classes),
                    {.folder = folder / "train", .list = table.path()});
  LoadedDataset loaded;
  LADDER_RETURN_IF_ERROR(ForEachRow(table, options.on_broken, loaded.report,
                                    [&] { return rows.Add(table); }));
  LADDER_ASSIGN_OR_RETURN(loaded.dataset, rows.Build(options));
  return loaded;
}

}  // namespace ladder::trainer
