#include "trainer/data/dataset_builder.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/text/text.h"
#include "model_store/format/file_bytes.h"

namespace ladder::trainer {
namespace {

constexpr size_t kMaxNameBytes = 256;

// Their values if all names are integers, else none.
std::vector<int64_t> Values(const std::vector<std::string>& names) {
  std::vector<int64_t> values(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!absl::SimpleAtoi(names[i], &values[i])) return {};
  }
  return values;
}

}  // namespace

int64_t Names::Number(absl::string_view name) {
  if (const auto it = numbers_.find(name); it != numbers_.end()) {
    return it->second;
  }
  const auto number = static_cast<int64_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), number);
  return number;
}

Names::Sorted Names::Sort() const {
  const std::vector<int64_t> values = Values(names_);
  std::vector<size_t> order(names_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // "07" and "7" have one value and are two names.
    if (!values.empty() && values[a] != values[b]) return values[a] < values[b];
    return names_[a] < names_[b];
  });
  Sorted sorted;
  sorted.rank.resize(names_.size());
  for (const size_t number : order) {
    sorted.rank[number] = static_cast<int64_t>(sorted.names.size());
    sorted.names.push_back(names_[number]);
  }
  return sorted;
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.empty()) {
    return base::Fault("missing value",
                       absl::StrCat(what, ": expected a name"));
  }
  const absl::Status status = base::CheckText(what, name, kMaxNameBytes);
  return status.ok() ? status : base::Fault("bad name", status.message());
}

absl::Status DatasetBuilder::Add(const SampleRow& row) {
  LADDER_RETURN_IF_ERROR(CheckName("domain", row.domain));
  if (!row.region.empty()) {
    LADDER_RETURN_IF_ERROR(CheckName("region", row.region));
  }
  samples_.push_back(
      {.label = row.label,
       .domain = domains_.Number(row.domain),
       .region = row.region.empty() ? -1 : regions_.Number(row.region),
       .split = row.split});
  // A chain, so that no row has to be kept.
  absl::StrAppend(&covariates_, row.covariates);
  covariates_ = model_store::Sha256(std::as_bytes(std::span(covariates_)));
  return absl::OkStatus();
}

Dataset DatasetBuilder::Build() {
  Names::Sorted domains = domains_.Sort();
  Names::Sorted regions = regions_.Sort();
  for (SampleInfo& sample : samples_) {
    sample.domain = domains.rank[static_cast<size_t>(sample.domain)];
    if (sample.region < 0) continue;
    sample.region = regions.rank[static_cast<size_t>(sample.region)];
  }
  Dataset dataset;
  dataset.domains = std::move(domains.names);
  dataset.regions = std::move(regions.names);
  dataset.samples = std::exchange(samples_, {});
  dataset.covariates = std::exchange(covariates_, {});
  domains_ = {};
  regions_ = {};
  return dataset;
}

absl::StatusOr<SampleColumns> SampleColumns::Find(const base::CsvTable& table) {
  LADDER_ASSIGN_OR_RETURN(const std::vector<size_t> required,
                          table.RequireColumns({"label", "domain", "split"}));
  SampleColumns columns;
  columns.label_ = required[0];
  columns.domain_ = required[1];
  columns.split_ = required[2];
  columns.region_ = table.FindColumn("region");
  return columns;
}

bool SampleColumns::Include(size_t column) const {
  return column == label_ || column == domain_ || column == split_ ||
         column == region_;
}

absl::Status SampleColumns::AddRow(const base::CsvTable& table,
                                   absl::string_view covariates) {
  LADDER_ASSIGN_OR_RETURN(const Split split, ParseSplit(table.field(split_)));
  const absl::string_view label = table.field(label_);
  LADDER_RETURN_IF_ERROR(CheckName("label", label));
  SampleRow row = {
      .domain = table.field(domain_), .split = split, .covariates = covariates};
  if (region_.has_value()) row.region = table.field(*region_);
  LADDER_RETURN_IF_ERROR(builder_.Add(row));
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
