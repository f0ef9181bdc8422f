#include "trainer/data/dataset_builder.h"

#include <utility>

namespace ladder::trainer {

absl::Status DatasetBuilder::Add(const SampleRow& row) {
  absl::Status status = CheckName("domain", row.domain);
  if (!status.ok()) return status;
  if (!row.region.empty()) status = CheckName("region", row.region);
  if (!status.ok()) return status;
  samples_.push_back(
      {.label = row.label,
       .domain = domains_.Number(row.domain),
       .region = row.region.empty() ? -1 : regions_.Number(row.region),
       .split = row.split});
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
  domains_ = {};
  regions_ = {};
  return dataset;
}

}  // namespace ladder::trainer
