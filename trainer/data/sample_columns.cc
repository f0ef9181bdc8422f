#include "trainer/data/sample_columns.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::trainer {

absl::StatusOr<SampleColumns> SampleColumns::Find(const base::CsvTable& table) {
  const absl::StatusOr<std::vector<size_t>> required =
      table.RequireColumns({"label", "domain", "split"});
  if (!required.ok()) return required.status();
  SampleColumns columns;
  columns.label_ = (*required)[0];
  columns.domain_ = (*required)[1];
  columns.split_ = (*required)[2];
  columns.region_ = table.FindColumn("region");
  return columns;
}

bool SampleColumns::Include(size_t column) const {
  return column == label_ || column == domain_ || column == split_ ||
         column == region_;
}

absl::Status SampleColumns::AddRow(const base::CsvTable& table) {
  const absl::StatusOr<Split> split = ParseSplit(table.field(split_));
  if (!split.ok()) return split.status();
  const absl::string_view label = table.field(label_);
  absl::Status status = CheckName("label", label);
  if (!status.ok()) return status;
  SampleRow row = {.domain = table.field(domain_), .split = *split};
  if (region_.has_value()) row.region = table.field(*region_);
  status = builder_.Add(row);
  if (!status.ok()) return status;
  labels_.push_back(classes_.Number(label));
  return absl::OkStatus();
}

Dataset SampleColumns::Build() {
  Names::Sorted classes = classes_.Sort();
  Dataset dataset = builder_.Build();
  for (size_t i = 0; i < labels_.size(); ++i) {
    dataset.samples[i].label = classes.rank[static_cast<size_t>(labels_[i])];
  }
  dataset.classes = std::move(classes.names);
  classes_ = {};
  labels_.clear();
  return dataset;
}

absl::StatusOr<Split> ParseSplit(absl::string_view name) {
  const std::optional<Split> split = FindSplit(name);
  if (split.has_value()) return *split;
  return base::Fault(
      "unknown split",
      absl::StrCat("split: expected train, id_val, id_test, val or "
                   "test, found \"",
                   name, "\""));
}

}  // namespace ladder::trainer
