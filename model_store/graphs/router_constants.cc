#include "model_store/graphs/router_constants.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "routing/matrix_view.h"
#include "routing/packed_cloud.h"

namespace ladder::model_store {
namespace {

using routing::PackedCloud;

size_t DivideRoundingUp(size_t a, size_t b) { return (a + b - 1) / b; }

void Append(std::span<const float> values, std::vector<float>& to) {
  to.insert(to.end(), values.begin(), values.end());
}

// See ExactOrigin in sinkhorn_graph.h, which does this in a graph.
std::vector<float> Origin(const PackedCloud& cloud) {
  std::vector<float> origin;
  for (size_t k = 0; k < cloud.points().cols; ++k) {
    const float lower = cloud.lower()[k];
    const float upper = cloud.upper()[k];
    const bool is_exact =
        upper - lower <= std::min(std::abs(lower), std::abs(upper));
    origin.push_back(is_exact ? lower : 0);
  }
  return origin;
}

void AppendSource(const PackedCloud& cloud, SourceTiles& tiles) {
  const routing::MatrixView& points = cloud.points();
  Append(cloud.lower(), tiles.lower);
  Append(cloud.upper(), tiles.upper);
  const std::vector<float> origin = Origin(cloud);
  Append(origin, tiles.origins);
  tiles.inverse_counts.push_back(1 / static_cast<float>(points.rows));
  for (size_t i = 0; i < tiles.num_points; ++i) {
    const bool is_true_point = i < points.rows;
    tiles.is_true_point.push_back(is_true_point ? 1 : 0);
    const auto row = points.Row(is_true_point ? i : 0);
    for (size_t k = 0; k < points.cols; ++k) {
      tiles.points.push_back(row[k] - origin[k]);
    }
  }
}

}  // namespace

SourceTiles TileSources(const routing::Fingerprints& fingerprints,
                        size_t sources_per_tile) {
  SourceTiles tiles;
  tiles.num_sources = fingerprints.num_sources();
  tiles.num_tiles = DivideRoundingUp(tiles.num_sources, sources_per_tile);
  tiles.tile_size = DivideRoundingUp(tiles.num_sources, tiles.num_tiles);
  tiles.dimension = fingerprints.dimension();
  for (size_t e = 0; e < tiles.num_sources; ++e) {
    tiles.num_points =
        std::max(tiles.num_points, fingerprints.cloud(e).points().rows);
  }
  tiles.points.reserve(tiles.num_places() * tiles.num_points * tiles.dimension);
  for (size_t place = 0; place < tiles.num_places(); ++place) {
    AppendSource(fingerprints.cloud(tiles.source_at(place)), tiles);
  }
  return tiles;
}

SelfTermPolynomial::SelfTermPolynomial(
    const routing::SinkhornOptions& options) {
  std::array<double, kSize> nodes = {};
  for (size_t node = 0; node < kSize; ++node) {
    const double phase = routing::SelfTerm::NodeSchedule(node, options).Phase();
    nodes[node] = kPhaseScale * phase + kPhaseOffset;
  }
  for (size_t node = 0; node < kSize; ++node) {
    Coefficients& product = basis_[node];
    product[0] = 1;
    for (size_t other = 0; other < kSize; ++other) {
      if (other == node) continue;
      // Times (u - u_other) / (u_node - u_other).
      for (size_t power = kSize; power-- > 0;) {
        const double times_u = power == 0 ? 0 : product[power - 1];
        product[power] = (times_u - nodes[other] * product[power]) /
                         (nodes[node] - nodes[other]);
      }
    }
  }
}

SelfTermPolynomial::Coefficients SelfTermPolynomial::Through(
    const routing::SelfTerm& term) const {
  Coefficients sum = {};
  for (size_t node = 0; node < kSize; ++node) {
    for (size_t power = 0; power < kSize; ++power) {
      sum[power] += term.values()[node] * basis_[node][power];
    }
  }
  return sum;
}

}  // namespace ladder::model_store
