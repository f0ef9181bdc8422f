#ifndef LADDER_EXPERIMENTS_DIAGNOSE_AFFINITIES_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_AFFINITIES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"

namespace ladder::trainer {

// How near points are to each other, as t-SNE sees it: the row-major n x n
// matrix (p_{j|i} + p_{i|j}) / 2n, which sums to one, with zeros on the
// diagonal. p_{.|i} is a Gaussian of the distances from point i, as wide as
// makes exp(entropy) the `perplexity`, which is below n - 1.
//
// `points` is row-major, n x dimension, n at least 2. Errors as
// routing::Execution.
absl::StatusOr<std::vector<float>> TsneAffinities(
    std::span<const double> points, size_t dimension, double perplexity,
    const routing::Execution& execution);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_AFFINITIES_H_
