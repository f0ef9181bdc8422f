#include "trainer/data/source_filter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ladder::trainer {
namespace {

using SamplesOfDomain = std::vector<std::vector<size_t>>;

SamplesOfDomain TrainingSamples(const Dataset& dataset) {
  SamplesOfDomain samples(dataset.domains.size());
  for (const size_t i : dataset.SamplesOf(Split::kTrain)) {
    samples[static_cast<size_t>(dataset.samples[i].domain)].push_back(i);
  }
  return samples;
}

// The domains that pass the filter, ascending.
std::vector<size_t> Retained(const SamplesOfDomain& samples,
                             const SourceFilter& filter) {
  std::vector<size_t> retained;
  for (size_t domain = 0; domain < samples.size(); ++domain) {
    if (samples[domain].size() >= static_cast<size_t>(filter.min_samples)) {
      retained.push_back(domain);
    }
  }
  const auto max_sources = static_cast<size_t>(filter.max_sources);
  if (max_sources == 0 || retained.size() <= max_sources) return retained;
  // Stable: of equal ones the first.
  std::stable_sort(retained.begin(), retained.end(), [&](size_t a, size_t b) {
    return samples[a].size() > samples[b].size();
  });
  retained.resize(max_sources);
  std::sort(retained.begin(), retained.end());
  return retained;
}

}  // namespace

absl::StatusOr<SourceSelection> SelectSources(const Dataset& dataset,
                                              const SourceFilter& filter) {
  if (filter.min_samples < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "min_samples must be at least 1, got ", filter.min_samples));
  }
  if (filter.max_sources < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_sources must not be negative, got ", filter.max_sources));
  }
  SamplesOfDomain samples = TrainingSamples(dataset);
  SourceSelection selection;
  selection.source_of_domain.assign(samples.size(), -1);
  size_t largest = 0;
  for (const std::vector<size_t>& of_domain : samples) {
    largest = std::max(largest, of_domain.size());
    if (!of_domain.empty()) ++selection.num_domains_left_out;
    selection.num_samples_left_out += static_cast<int64_t>(of_domain.size());
  }
  for (const size_t domain : Retained(samples, filter)) {
    selection.source_of_domain[domain] =
        static_cast<int64_t>(selection.num_sources());
    selection.domain_of_source.push_back(static_cast<int64_t>(domain));
    selection.samples.push_back(std::move(samples[domain]));
    --selection.num_domains_left_out;
    selection.num_samples_left_out -=
        static_cast<int64_t>(selection.samples.back().size());
  }
  if (selection.num_sources() > 0) return selection;
  return absl::InvalidArgumentError(
      absl::StrCat("expected a domain with at least ", filter.min_samples,
                   " training samples, found at most ", largest));
}

}  // namespace ladder::trainer
