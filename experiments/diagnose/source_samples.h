#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_SAMPLES_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_SAMPLES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "routing/linear_heads.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::experiments {

// The rows of each source's samples, ascending; `samples.domains` are indices
// of sources. InvalidArgument if one is not below `num_sources`, or if the
// sizes of labels, domains, content and style do not fit together.
absl::StatusOr<std::vector<std::vector<size_t>>> RowsBySource(
    const trainer::EncodedSamples& samples, size_t num_sources);

// InvalidArgument, naming the sample, if a label is not below `num_classes`.
absl::Status CheckLabels(const trainer::EncodedSamples& samples,
                         size_t num_classes);

// Mean, spread and class shares of a source's samples.
struct ContentSummary {
  std::vector<double> mean = {};
  std::vector<double> deviation = {};     // Each coordinate's standard one.
  std::vector<double> prototypes = {};    // Mean of each class, class x d_c.
  std::vector<double> label_shares = {};  // One per class; they sum to one.
};

// Summarizes the samples at `rows`, whose labels are below `num_classes`. All
// values are zero if there are no rows.
ContentSummary SummarizeContent(const trainer::EncodedSamples& samples,
                                std::span<const size_t> rows,
                                size_t num_classes);

double EuclideanDistance(std::span<const double> a, std::span<const double> b);

// The mean distance between the prototypes of a class, over the classes that
// both have; none without such a class.
std::optional<double> PrototypeDistance(const ContentSummary& a,
                                        const ContentSummary& b);

// The total variation distance between the label shares.
double LabelDistance(const ContentSummary& a, const ContentSummary& b);

// Measures how well each source's head does on the other sources' samples:
// entry (e, e') of the row-major E x E result is the mean cross-entropy, in
// nats, of head e on the samples at `rows[e']`. Zero on the diagonal and where
// a source has no samples. Labels must be below the heads' number of classes.
//
// Errors as LinearHeads::ExpertLogits; Cancelled as routing::Execution.
absl::StatusOr<std::vector<double>> TransferLosses(
    const routing::LinearHeads& heads, const trainer::EncodedSamples& samples,
    std::span<const std::vector<size_t>> rows,
    const routing::Execution& execution);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_SAMPLES_H_
