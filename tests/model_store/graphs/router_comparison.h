#ifndef LADDER_TESTS_MODEL_STORE_GRAPHS_ROUTER_COMPARISON_H_
#define LADDER_TESTS_MODEL_STORE_GRAPHS_ROUTER_COMPARISON_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "routing/fingerprints.h"
#include "routing/sinkhorn_distance.h"
#include "routing/style_sample.h"
#include "tests/model_store/onnx_runner.h"
#include "tests/routing/cloud.h"

namespace ladder::model_store {

inline routing::Cloud Normal(size_t rows, size_t cols, double mean,
                             double deviation, uint64_t seed) {
  return routing::NormalCloud(rows, std::vector<double>(cols, mean), deviation,
                              seed);
}

// Leaves values as they are: std plus its floor is one in float.
inline routing::StyleNormalizer NoNormalizer(size_t dimension) {
  constexpr double kStd = 1 - routing::StyleNormalizer::kStdFloor;
  return routing::StyleNormalizer::Create(
             std::vector<float>(dimension, 0.0F),
             std::vector<float>(dimension, static_cast<float>(kStd)))
      .value();
}

inline std::string RouterFor(const std::vector<routing::Cloud>& sources,
                             const routing::SinkhornOptions& options = {},
                             const RouterGraphOptions& graph_options = {}) {
  return BuildRouterGraph(
             routing::Fingerprints::Create(routing::Views(sources), options, {})
                 .value(),
             NoNormalizer(sources.front().cols), graph_options)
      .value();
}

// What a router's graph gives on the CPU provider.
inline std::vector<float> GraphDistances(const std::string& model,
                                         const routing::Cloud& target) {
  const FloatTensor z_s = {.shape = {static_cast<int64_t>(target.rows),
                                     static_cast<int64_t>(target.cols)},
                           .values = target.values};
  return OnnxRunner(model).Run({{"z_s", z_s}})["distances"].values;
}

inline std::vector<double> NativeDistances(
    const std::vector<routing::Cloud>& sources, const routing::Cloud& target,
    const routing::SinkhornOptions& options = {}) {
  const routing::SinkhornDistance distance(
      routing::Fingerprints::Create(routing::Views(sources), options, {})
          .value());
  std::vector<size_t> all(sources.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> distances(sources.size());
  const absl::Status status =
      distance.Compute(target.View(), all, distances, {});
  EXPECT_TRUE(status.ok()) << status;
  return distances;
}

// Floats resolve potentials to about a ten-millionth of the blur, whatever the
// distance.
inline double Tolerance(double expected, double blur = 0.05) {
  return std::max(1e-5 * std::abs(expected), 2e-7 * blur);
}

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_GRAPHS_ROUTER_COMPARISON_H_
