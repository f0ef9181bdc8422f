#include "experiments/diagnose/source_rows.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::trainer {
namespace {

absl::Status CheckSize(absl::string_view name, size_t size, size_t expected) {
  if (size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected ", expected, " values, got ", size));
}

absl::Status CheckIndex(absl::string_view name, size_t sample, int64_t index,
                        size_t bound) {
  if (index >= 0 && static_cast<uint64_t>(index) < bound) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " of sample ", sample,
                                                 ": expected 0 to below ",
                                                 bound, ", got ", index));
}

}  // namespace

absl::StatusOr<std::vector<std::vector<size_t>>> RowsBySource(
    const EncodedSamples& samples, size_t num_sources) {
  const size_t n = samples.size();
  absl::Status status = CheckSize("domains", samples.domains.size(), n);
  status.Update(
      CheckSize("z_c", samples.content.size(), n * samples.content_dimension));
  status.Update(
      CheckSize("z_s", samples.style.size(), n * samples.style_dimension));
  if (!status.ok()) return status;
  std::vector<std::vector<size_t>> rows(num_sources);
  for (size_t i = 0; i < n; ++i) {
    status = CheckIndex("source", i, samples.domains[i], num_sources);
    if (!status.ok()) return status;
    rows[static_cast<size_t>(samples.domains[i])].push_back(i);
  }
  return rows;
}

absl::Status CheckLabels(const EncodedSamples& samples, size_t num_classes) {
  for (size_t i = 0; i < samples.size(); ++i) {
    absl::Status status =
        CheckIndex("label", i, samples.labels[i], num_classes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace ladder::trainer
