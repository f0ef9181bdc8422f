#include "experiments/diagnose/embedding.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/counter_rng.h"
#include "routing/gather_rows.h"
#include "trainer/network/torch_status.h"

namespace ladder::experiments {
namespace {

constexpr size_t kMaxComponents = 50;

}  // namespace

absl::StatusOr<std::vector<double>> PrincipalComponents(
    const routing::MatrixView& points, size_t num_components) {
  // Sums are rounded otherwise where several threads share them.
  const int num_threads = at::get_num_threads();
  at::set_num_threads(1);
  const absl::Cleanup restore = [num_threads] {
    at::set_num_threads(num_threads);
  };
  return trainer::CatchTorchErrors<std::vector<double>>([&] {
    const auto count = static_cast<int64_t>(num_components);
    const torch::Tensor all =
        torch::from_blob(const_cast<float*>(points.data),
                         {static_cast<int64_t>(points.rows),
                          static_cast<int64_t>(points.cols)})
            .to(torch::kDouble);
    const torch::Tensor centered = all - all.mean(0);
    // The covariance up to a factor, which changes no direction; the largest
    // variances come last.
    const torch::Tensor directions =
        std::get<1>(torch::linalg_eigh(centered.t().matmul(centered)));
    const torch::Tensor components =
        centered.matmul(directions.flip(1).narrow(1, 0, count)).contiguous();
    const auto* const begin = components.data_ptr<double>();
    return std::vector<double>(begin, begin + components.numel());
  });
}

absl::StatusOr<Embedding> EmbedInPlane(const routing::MatrixView& features,
                                       const EmbeddingOptions& options,
                                       const routing::Execution& execution) {
  if (options.max_points == 0) {
    return absl::InvalidArgumentError("max_points: expected at least 1, got 0");
  }
  LADDER_RETURN_IF_ERROR(
      routing::CheckMatrix(features, "features", features.cols));
  Embedding embedding;
  embedding.rows =
      routing::SampleIndices(features.rows, options.max_points, options.seed);
  const std::vector<float> drawn =
      routing::GatherRows(features, embedding.rows);
  const size_t n = embedding.rows.size();
  const size_t dimension = std::min(kMaxComponents, features.cols);
  LADDER_ASSIGN_OR_RETURN(
      const auto components,
      PrincipalComponents({drawn.data(), n, features.cols}, dimension));
  std::vector<base::Point> start(n);
  for (size_t i = 0; i < n; ++i) {
    start[i].x = components[i * dimension];
    if (dimension > 1) start[i].y = components[i * dimension + 1];
  }
  LADDER_ASSIGN_OR_RETURN(embedding.places, Tsne(components, dimension, start,
                                                 options.tsne, execution));
  return embedding;
}

}  // namespace ladder::experiments
