#ifndef LADDER_MODEL_STORE_GRAPHS_ROUTER_CONSTANTS_H_
#define LADDER_MODEL_STORE_GRAPHS_ROUTER_CONSTANTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "routing/fingerprints.h"
#include "routing/self_term.h"
#include "routing/sinkhorn_options.h"

namespace ladder::model_store {

// The sources' points laid out for a graph that works on one tile of sources at
// a time: as many sources in every tile and as many points in every source. The
// last source is repeated to fill the last tile, a source's first point to fill
// the source; the latter have no mass.
struct SourceTiles {
  size_t num_sources = 0;
  size_t num_tiles = 0;   // N
  size_t tile_size = 0;   // T, places for sources in a tile.
  size_t num_points = 0;  // m, in the largest source.
  size_t dimension = 0;   // d

  size_t num_places() const { return num_tiles * tile_size; }
  // The source that a place holds.
  size_t source_at(size_t place) const {
    return std::min(place, num_sources - 1);
  }

  std::vector<float> origins = {};         // N x T x 1 x d
  std::vector<float> points = {};          // N x T x m x d, from the origin.
  std::vector<float> lower = {};           // N x T x d, the bounding box.
  std::vector<float> upper = {};           // N x T x d
  std::vector<float> inverse_counts = {};  // N x T x 1 x 1, of true points.
  std::vector<float> is_true_point = {};   // N x T x 1 x m, 1 or 0.
};

// Expects sources_per_tile > 0. Tiles are as few as that allows, and then as
// small as that allows.
SourceTiles TileSources(const routing::Fingerprints& fingerprints,
                        size_t sources_per_tile);

// The polynomial by which SelfTerm interpolates between the phases at which it
// keeps values, by its coefficients: a graph can evaluate it for many phases at
// once, without dividing by the distance to a node.
//
// Immutable and thread-safe.
class SelfTermPolynomial {
 public:
  static constexpr size_t kSize = routing::SelfTerm::kNumNodes;
  using Coefficients = std::array<double, kSize>;  // Factors of 1, u, ...

  explicit SelfTermPolynomial(const routing::SinkhornOptions& options);

  // Its argument: the phase, moved from (0, 1] to (-1, 1] so that the powers
  // stay small.
  static constexpr double kPhaseScale = 2;
  static constexpr double kPhaseOffset = -1;

  // The polynomial that is 1 at one node and 0 at the others.
  const Coefficients& basis(size_t node) const { return basis_[node]; }

  // The polynomial through the values that `term` keeps at the nodes.
  Coefficients Through(const routing::SelfTerm& term) const;

 private:
  std::array<Coefficients, kSize> basis_ = {};
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_ROUTER_CONSTANTS_H_
