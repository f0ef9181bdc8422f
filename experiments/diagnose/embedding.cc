#include "experiments/diagnose/embedding.h"

#include <algorithm>

#include "absl/status/status.h"
#include "experiments/diagnose/pca.h"
#include "routing/check_matrix.h"
#include "routing/counter_rng.h"
#include "routing/gather_rows.h"

namespace ladder::trainer {
namespace {

constexpr size_t kMaxComponents = 50;

}  // namespace

absl::StatusOr<Embedding> EmbedInPlane(const routing::MatrixView& features,
                                       const EmbeddingOptions& options,
                                       const routing::Execution& execution) {
  if (options.max_points == 0) {
    return absl::InvalidArgumentError("max_points: expected at least 1, got 0");
  }
  absl::Status status =
      routing::CheckMatrix(features, "features", features.cols);
  if (!status.ok()) return status;
  Embedding embedding;
  embedding.rows =
      routing::SampleIndices(features.rows, options.max_points, options.seed);
  const std::vector<float> drawn =
      routing::GatherRows(features, embedding.rows);
  const size_t n = embedding.rows.size();
  const size_t dimension = std::min(kMaxComponents, features.cols);
  const auto components = PrincipalComponents({drawn.data(), n, features.cols},
                                              dimension, execution);
  if (!components.ok()) return components.status();
  std::vector<Point> start(n);
  for (size_t i = 0; i < n; ++i) {
    start[i].x = (*components)[i * dimension];
    if (dimension > 1) start[i].y = (*components)[i * dimension + 1];
  }
  auto places = Tsne(*components, dimension, start, options.tsne, execution);
  if (!places.ok()) return places.status();
  embedding.places = *std::move(places);
  return embedding;
}

}  // namespace ladder::trainer
