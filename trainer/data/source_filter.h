#ifndef LADDER_TRAINER_DATA_SOURCE_FILTER_H_
#define LADDER_TRAINER_DATA_SOURCE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/data/dataset.h"

namespace ladder::trainer {

// Says which domains are trained on. The paper takes years of at least 512
// samples on FMoW, and the largest 64 locations of at least 512 on iWildCam.
struct SourceFilter {
  int64_t min_samples = 1;  // Counted in the training split.
  int64_t max_sources = 0;  // The largest ones; 0 means all.
};

// The domains that are trained on, numbered anew: source 0, 1, ... in the order
// of the data set's domains. Samples keep the domains they have, so that
// targets and sources stay apart.
struct SourceSelection {
  std::vector<int64_t> domain_of_source = {};
  std::vector<int64_t> source_of_domain = {};  // -1 if it is none.
  // The training samples of each source, ascending.
  std::vector<std::vector<size_t>> samples = {};
  // Domains with training samples, and the samples, that were filtered out.
  int64_t num_domains_left_out = 0;
  int64_t num_samples_left_out = 0;

  size_t num_sources() const { return domain_of_source.size(); }
};

// Among domains of equal size those that come first in the data set are kept.
// InvalidArgument if an option is out of range or no domain is large enough.
absl::StatusOr<SourceSelection> SelectSources(const Dataset& dataset,
                                              const SourceFilter& filter);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_SOURCE_FILTER_H_
