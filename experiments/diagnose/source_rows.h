#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_ROWS_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::trainer {

// The rows of each source's samples, ascending; `samples.domains` are indices
// of sources. InvalidArgument if one is not below `num_sources`, or if the
// sizes of labels, domains, content and style do not fit together.
absl::StatusOr<std::vector<std::vector<size_t>>> RowsBySource(
    const EncodedSamples& samples, size_t num_sources);

// InvalidArgument, naming the sample, if a label is not below `num_classes`.
absl::Status CheckLabels(const EncodedSamples& samples, size_t num_classes);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_ROWS_H_
