#ifndef LADDER_EXPERIMENTS_DIAGNOSE_EMBEDDING_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_EMBEDDING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/charts/svg.h"
#include "experiments/diagnose/tsne.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"

namespace ladder::experiments {

// The coordinates of `points` along the `num_components` directions of largest
// variance, around their mean: row-major, points.rows x num_components, largest
// variance first. Directions of nearly the same variance may come out as any
// mixture of each other, but always as the same one: LibTorch works on one
// thread here, however many it has.
//
// Expects finite points, at least one of them, and at most as many components
// as columns. Errors as trainer::CatchTorchErrors.
absl::StatusOr<std::vector<double>> PrincipalComponents(
    const routing::MatrixView& points, size_t num_components);

struct EmbeddingOptions {
  size_t max_points = 1500;  // The cost grows with its square.
  TsneOptions tsne = {};
  uint64_t seed = 0;  // Decides which points are drawn.
};

// Some rows of a matrix as places in the plane.
struct Embedding {
  std::vector<size_t> rows = {};  // Ascending.
  std::vector<base::Point> places = {};
};

// Draws at most `max_points` rows of `features`, keeps their 50 leading
// principal components and embeds them by t-SNE, which starts from the first
// two. Neighbours are what counts; axes and distances have no unit.
//
// The same bits on any number of threads. InvalidArgument if `features` is
// empty or not finite, or if max_points is 0; Cancelled as routing::Execution.
absl::StatusOr<Embedding> EmbedInPlane(const routing::MatrixView& features,
                                       const EmbeddingOptions& options,
                                       const routing::Execution& execution);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_EMBEDDING_H_
