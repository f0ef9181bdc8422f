#ifndef LADDER_EXPERIMENTS_DIAGNOSE_TSNE_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_TSNE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/charts/svg.h"
#include "routing/execution.h"

namespace ladder::experiments {

// Measures how near points are to each other, as t-SNE sees it: the row-major n
// x n matrix (p_{j|i} + p_{i|j}) / 2n, which sums to one, with zeros on the
// diagonal. p_{.|i} is a Gaussian of the distances from point i, as wide as
// makes exp(entropy) the `perplexity`, which is below n - 1.
//
// `points` is row-major, n x dimension, n at least 2. Errors as
// routing::Execution.
absl::StatusOr<std::vector<float>> TsneAffinities(
    std::span<const double> points, size_t dimension, double perplexity,
    const routing::Execution& execution);

struct TsneOptions {
  double perplexity = 30;  // About how many neighbours a point keeps close.
  int num_iterations = 1000;
};

// Moves `start`, one place in the plane for each of the points, until points
// that are neighbours are neighbours there (t-SNE, van der Maaten and Hinton
// 2008, exact). Scaling `start` changes nothing. `points` is row-major,
// start.size() x dimension. Where there are fewer than three points per unit of
// perplexity, it is lowered.
//
// Quadratic in the number of points, in time and memory. Expects finite values.
// The same bits on any number of threads; Cancelled as routing::Execution.
absl::StatusOr<std::vector<base::Point>> Tsne(
    std::span<const double> points, size_t dimension,
    std::span<const base::Point> start, const TsneOptions& options,
    const routing::Execution& execution);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_TSNE_H_
