#include "model_store/graphs/bundle_graphs.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"
#include "model_store/graphs/router_constants.h"
#include "model_store/graphs/sinkhorn_graph.h"
#include "routing/self_term.h"
#include "routing/simd/cost_matrix.h"

namespace ladder::model_store {
namespace {

using routing::EpsilonSchedule;
using routing::Fingerprints;
using routing::SelfTerm;
using routing::SinkhornOptions;
using routing::StyleNormalizer;

constexpr double kSmallestCost = routing::simd::kSmallestCost;
// The square of a distance at which no point has any influence.
constexpr double kOutOfReach = 1e36;

absl::Status CheckArguments(const Fingerprints& fingerprints,
                            const StyleNormalizer& normalizer,
                            const RouterGraphOptions& options) {
  if (normalizer.dimension() != fingerprints.dimension()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "style normalizer: expected ", fingerprints.dimension(),
        " columns, as the fingerprints have, got ", normalizer.dimension()));
  }
  if (options.sources_per_tile == 0) {
    return absl::InvalidArgumentError(
        "sources_per_tile: expected at least 1, got 0");
  }
  const double scaling = fingerprints.options().scaling;
  if (!(scaling >= kSmallestGraphScaling)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "scaling: expected at least ", kSmallestGraphScaling,
        ", below which floats could overflow in the graph, got ", scaling));
  }
  return absl::OkStatus();
}

// The tensors that belong to one tile of T sources.
struct Tile {
  GraphValue diameters;       // T, of the box around target and source.
  GraphValue num_scaled;      // T, steps of the schedule.
  GraphValue self_terms;      // T, of target and source, if schedules are long.
  GraphValue points;          // T x m x d, from the origin.
  GraphValue origins;         // T x 1 x d
  GraphValue inverse_counts;  // T x 1 x 1
  GraphValue is_true_point;   // T x 1 x m
};

// Emits the graph: one method per stage, with what the stages share.
class RouterEmitter {
 public:
  RouterEmitter(const Fingerprints& fingerprints,
                const StyleNormalizer& normalizer, size_t sources_per_tile)
      : fingerprints_(fingerprints),
        normalizer_(normalizer),
        options_(fingerprints.options()),
        tiles_(TileSources(fingerprints, sources_per_tile)),
        polynomial_(options_),
        graph_("router") {}

  absl::StatusOr<std::string> Emit() {
    x_ = Normalized(graph_.Input("z_s", {"n", dimension()}));
    inverse_n_ = Reciprocal(ToFloat(SizeOf(x_, 0)));
    target_costs_ = TargetCosts();

    const GraphValue diameters = Diameters();
    const ScheduleEnds ends = FindScheduleEnds(diameters, options_);
    const ScanValues tiles = {
        .elements = {diameters, ends.num_scaled, LongSelfTerms(ends.phase),
                     Tiled(tiles_.points, {num_points(), dimension()}),
                     Tiled(tiles_.origins, {1, dimension()}),
                     Tiled(tiles_.inverse_counts, {1, 1}),
                     Tiled(tiles_.is_true_point, {1, num_points()})}};
    const ScanValues distances =
        Scan(tiles, [this](const ScanValues& slices) -> ScanValues {
          const std::vector<GraphValue>& of = slices.elements;
          return {.elements = {TileDistances(
                      {of[0], of[1], of[2], of[3], of[4], of[5], of[6]})}};
        });

    const auto num_sources = static_cast<int64_t>(fingerprints_.num_sources());
    graph_.Output("distances",
                  First(Reshape(distances.elements[0], {-1}),
                        graph_.IntList({num_sources})),
                  {num_sources});
    return graph_.Serialize();
  }

 private:
  int64_t dimension() const { return static_cast<int64_t>(tiles_.dimension); }
  int64_t num_tiles() const { return static_cast<int64_t>(tiles_.num_tiles); }
  int64_t tile_size() const { return static_cast<int64_t>(tiles_.tile_size); }
  int64_t num_points() const { return static_cast<int64_t>(tiles_.num_points); }

  // A constant that holds something of shape `part` for every source.
  GraphValue Tiled(std::span<const float> values, std::vector<int64_t> part) {
    part.insert(part.begin(), {num_tiles(), tile_size()});
    return graph_.Floats(std::move(part), values);
  }

  GraphValue Normalized(const GraphValue& z_s) {
    std::vector<float> scale;
    for (const float std : normalizer_.std()) {
      scale.push_back(static_cast<float>(std + StyleNormalizer::kStdFloor));
    }
    return (z_s - graph_.Floats({dimension()}, normalizer_.mean())) /
           graph_.Floats({dimension()}, scale);
  }

  // The target's distances from itself, 1 x n x n.
  GraphValue TargetCosts() {
    const GraphValue x =
        x_ - ExactOrigin(ReduceMin(x_, {0}), ReduceMax(x_, {0}));
    return SelfCosts(Unsqueeze(x, {0}),
                     graph_.Float(kSmallestCost * kSmallestCost),
                     tiles_.dimension);
  }

  // The diameters of the boxes around target and source, N x T, but at least
  // the smallest cost: below, all costs are that one and only logarithms would
  // suffer.
  GraphValue Diameters() {
    const GraphValue upper =
        Max(ReduceMax(x_, {0}), Tiled(tiles_.upper, {dimension()}));
    const GraphValue lower =
        Min(ReduceMin(x_, {0}), Tiled(tiles_.lower, {dimension()}));
    return Max(Squeeze(ReduceL2(upper - lower, {2}), {2}),
               graph_.Float(kSmallestCost));
  }

  // The self terms of target and source together, N x T, as they are along any
  // schedule of this phase that is long enough.
  GraphValue LongSelfTerms(const GraphValue& phase) {
    constexpr auto kSize = static_cast<int64_t>(SelfTermPolynomial::kSize);
    std::vector<EpsilonSchedule> schedules;
    std::vector<float> bases;
    std::vector<float> powers;
    for (size_t node = 0; node < SelfTermPolynomial::kSize; ++node) {
      schedules.push_back(SelfTerm::NodeSchedule(node, options_));
      bases.insert(bases.end(), polynomial_.basis(node).begin(),
                   polynomial_.basis(node).end());
      powers.push_back(static_cast<float>(node));
    }
    const GraphValue potentials = SolveSelf(
        target_costs_, inverse_n_, ConstantSteps(graph_, schedules), kSize);
    const GraphValue values = Squeeze(ReduceMean(potentials, {1}), {2});
    // Multiplied by element, since a matrix product may be computed with fewer
    // digits.
    const GraphValue target_coefficients =
        ReduceSum(values * graph_.Floats({kSize, kSize}, bases), {0});

    const GraphValue u = SelfTermPolynomial::kPhaseScale * phase +
                         SelfTermPolynomial::kPhaseOffset;
    const GraphValue terms =
        Pow(Unsqueeze(u, {2}), graph_.Floats({kSize}, powers)) *
        (target_coefficients + Tiled(SourceCoefficients(), {kSize}));
    return Squeeze(ReduceSum(terms, {2}), {2});
  }

  std::vector<float> SourceCoefficients() const {
    std::vector<float> all;
    for (size_t place = 0; place < tiles_.num_places(); ++place) {
      const auto coefficients =
          polynomial_.Through(fingerprints_.self_term(tiles_.source_at(place)));
      all.insert(all.end(), coefficients.begin(), coefficients.end());
    }
    return all;
  }

  // The distances from the target to the sources of one tile, T.
  GraphValue TileDistances(const Tile& tile) {
    const UpdateSteps steps =
        ComputedSteps(tile.diameters, tile.num_scaled, options_);
    const GraphValue smallest_squares = Where(
        Greater(tile.is_true_point, graph_.Float(0)),
        graph_.Float(kSmallestCost * kSmallestCost), graph_.Float(kOutOfReach));
    const GraphValue squares =
        SquaredDistances(x_ - tile.origins, tile.points, tiles_.dimension);
    const CrossPotentials cross =
        SolveCross(Sqrt(Max(squares, smallest_squares)), tile.inverse_counts,
                   steps, tile_size());

    const GraphValue mass = tile.is_true_point * tile.inverse_counts;
    const GraphValue cross_terms = Squeeze(
        ReduceMean(cross.f, {1}) + ReduceSum(cross.g * mass, {2}), {1, 2});
    const GraphValue self_terms = SelfTerms(tile, steps, smallest_squares);
    // Costs that are all the same make no difference, but rounding might.
    return Where(Greater(tile.diameters, graph_.Float(kSmallestCost)),
                 cross_terms - self_terms, graph_.Float(0));
  }

  // The self terms, T: computed along the very schedules where these are too
  // short to forget their beginning.
  GraphValue SelfTerms(const Tile& tile, const UpdateSteps& steps,
                       const GraphValue& smallest_squares) {
    const auto long_enough = static_cast<double>(
        SelfTerm::NodeSchedule(0, options_).num_scaled_steps());
    const GraphValue is_short =
        Less(tile.num_scaled, graph_.Float(long_enough));
    const GraphValue any_short = Squeeze(
        Greater(ReduceMax(ToFloat(is_short), {0}), graph_.Float(0)), {0});
    const auto with_short = [&]() -> std::vector<GraphValue> {
      const GraphValue p =
          SolveSelf(target_costs_, inverse_n_, steps, tile_size());
      const GraphValue q =
          SolveSelf(SelfCosts(tile.points, smallest_squares, tiles_.dimension),
                    tile.inverse_counts, steps, tile_size());
      const GraphValue mass = tile.is_true_point * tile.inverse_counts;
      const GraphValue short_terms = Squeeze(
          ReduceMean(p, {1}) + ReduceSum(q * Transpose(mass, {0, 2, 1}), {1}),
          {1, 2});
      return {Where(is_short, short_terms, tile.self_terms)};
    };
    const auto all_long = [&]() -> std::vector<GraphValue> {
      return {tile.self_terms};
    };
    return If(any_short, with_short, all_long)[0];
  }

  const Fingerprints& fingerprints_;
  const StyleNormalizer& normalizer_;
  const SinkhornOptions options_;
  const SourceTiles tiles_;
  const SelfTermPolynomial polynomial_;
  GraphBuilder graph_;
  GraphValue x_;             // n x d, normalised.
  GraphValue inverse_n_;     // 1
  GraphValue target_costs_;  // 1 x n x n
};

}  // namespace

absl::StatusOr<std::string> BuildHeadsGraph(const routing::LinearHeads& heads) {
  const auto num_sources = static_cast<int64_t>(heads.num_sources());
  const auto num_classes = static_cast<int64_t>(heads.num_classes());
  const auto dimension = static_cast<int64_t>(heads.dimension());
  GraphBuilder graph("heads");
  const GraphValue z_c = graph.Input("z_c", {"n", dimension});
  const GraphValue weights = graph.Input("weights", {"r", num_sources});
  const GraphValue head_weights =
      graph.Floats({num_sources, num_classes * dimension}, heads.weights());
  const GraphValue head_bias =
      graph.Floats({num_sources, num_classes}, heads.bias());

  const auto mix_heads = [&]() -> std::vector<GraphValue> {
    const GraphValue weight =
        Reshape(MatMul(weights, head_weights), {num_classes, dimension});
    return {Linear(z_c, weight, MatMul(weights, head_bias))};
  };
  // The logits of all heads first: n x E x C numbers instead of a head, C x d,
  // for every sample.
  const auto mix_logits = [&]() -> std::vector<GraphValue> {
    const GraphValue logits = Linear(
        z_c, Reshape(head_weights, {-1, dimension}), Reshape(head_bias, {-1}));
    const GraphValue mixed =
        MatMul(Unsqueeze(weights, {1}),
               Reshape(logits, {-1, num_sources, num_classes}));
    return {Squeeze(mixed, {1})};
  };
  const GraphValue is_one_row =
      Squeeze(Equal(SizeOf(weights, 0), graph.IntList({1})), {0});
  graph.Output("logits", If(is_one_row, mix_heads, mix_logits)[0],
               {"n", num_classes});
  return graph.Serialize();
}

absl::StatusOr<std::string> BuildRouterGraph(
    const Fingerprints& fingerprints, const StyleNormalizer& normalizer,
    const RouterGraphOptions& options) {
  LADDER_RETURN_IF_ERROR(CheckArguments(fingerprints, normalizer, options));
  return RouterEmitter(fingerprints, normalizer, options.sources_per_tile)
      .Emit();
}

}  // namespace ladder::model_store
