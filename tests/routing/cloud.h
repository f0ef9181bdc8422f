#ifndef LADDER_TESTS_ROUTING_CLOUD_H_
#define LADDER_TESTS_ROUTING_CLOUD_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::routing {

// A small matrix that owns its values: the style vectors of a made-up group.
struct Cloud {
  size_t rows = 0;
  size_t cols = 0;
  std::vector<float> values = {};

  MatrixView View() const { return {values.data(), rows, cols}; }
  // The first `count` rows, owned by this cloud.
  MatrixView First(size_t count) const { return {values.data(), count, cols}; }
};

// One column.
inline Cloud Column(std::vector<float> values) {
  const size_t rows = values.size();
  return {.rows = rows, .cols = 1, .values = std::move(values)};
}

// Independent normal values: `means[j]` and `deviation` in column j.
inline Cloud NormalCloud(size_t rows, std::span<const double> means,
                         double deviation, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Cloud cloud{.rows = rows, .cols = means.size()};
  cloud.values.reserve(rows * means.size());
  for (size_t i = 0; i < rows; ++i) {
    for (const double mean : means) {
      cloud.values.push_back(
          static_cast<float>(mean + deviation * normal(generator)));
    }
  }
  return cloud;
}

inline std::vector<MatrixView> Views(std::span<const Cloud> clouds) {
  std::vector<MatrixView> views;
  for (const Cloud& cloud : clouds) views.push_back(cloud.View());
  return views;
}

}  // namespace ladder::routing

#endif  // LADDER_TESTS_ROUTING_CLOUD_H_
