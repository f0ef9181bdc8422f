#include "experiments/simulate/replication.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "experiments/simulate/features.h"
#include "experiments/simulate/linear_fit.h"
#include "experiments/simulate/pooled_mlp.h"
#include "experiments/simulate/routed_experts.h"
#include "experiments/simulate/settings.h"
#include "experiments/simulate/style_hyper_net.h"

namespace ladder::trainer {
namespace {

constexpr size_t kNumTargets = std::size(kSimTargets);

// The scores of a head on one target's features.
Scores HeadScores(const SimulatedWorld& world, const SimulatedDomain& target,
                  FeatureMap map, std::span<const float> head) {
  Scores scores = ScoresOf(LinearLogits(map(target), head), target.labels);
  scores[kSimParameterError] = ParameterError(
      ContentPart(target, map, head), world.Coefficients(target.coordinate));
  return scores;
}

// The scores of what `head(target)` gives, a classifier of the content.
template <typename HeadOf>
TargetScores ContentScores(const SimulatedWorld& world, HeadOf head) {
  TargetScores scores;
  for (size_t t = 0; t < kNumTargets; ++t) {
    const SimulatedDomain& target = world.targets[t];
    scores[t] = HeadScores(world, target, ContentFeatures, head(target));
  }
  return scores;
}

TargetScores PooledScores(const SimulatedWorld& world, FeatureMap map,
                          LinearObjective objective) {
  const std::vector<float> head =
      FitLinear(FeaturesOf(world.sources, map), objective);
  TargetScores scores;
  for (size_t t = 0; t < kNumTargets; ++t) {
    scores[t] = HeadScores(world, world.targets[t], map, head);
  }
  return scores;
}

TargetScores MlpScores(const SimulatedWorld& world, PooledMlp mlp) {
  mlp.Fit(world.sources);
  TargetScores scores;
  for (size_t t = 0; t < kNumTargets; ++t) {
    const SimulatedDomain& target = world.targets[t];
    scores[t] = ScoresOf(mlp.Logits(NetworkFeatures(target)), target.labels);
  }
  return scores;
}

TargetScores HyperNetScores(const SimulatedWorld& world, StyleHyperNet net) {
  net.Fit(world.sources);
  return ContentScores(world, [&](const SimulatedDomain& target) {
    return net.HeadFor(target.summary);
  });
}

absl::StatusOr<std::vector<TargetScores>> RoutedScores(
    const SimulatedWorld& world, const RoutedExperts& experts,
    std::span<const RoutedSetting> settings) {
  std::vector<TargetScores> scores(settings.size());
  for (size_t t = 0; t < kNumTargets; ++t) {
    const SimulatedDomain& target = world.targets[t];
    std::map<size_t, RoutedExperts::Target> measured;  // By number of rows.
    for (size_t i = 0; i < settings.size(); ++i) {
      const size_t rows = settings[i].summary_rows;
      if (measured.count(rows) == 0) {
        auto routed = experts.Measure(target, rows);
        if (!routed.ok()) return routed.status();
        measured.emplace(rows, *std::move(routed));
      }
      const auto head = experts.Head(measured.at(rows), settings[i].options);
      if (!head.ok()) return head.status();
      scores[i][t] = HeadScores(world, target, ContentFeatures, *head);
    }
  }
  return scores;
}

std::vector<RoutedSetting> MainSettings() {
  using routing::Method;
  return {{.name = "UniformExperts",
           .options = {.method = Method::kUniform},
           .summary_rows = kSimRows},
          {.name = "NearestExpert",
           .options = {.method = Method::kNearest},
           .summary_rows = kSimRows},
          {.name = "LADDER",
           .options = {.k = kSimK, .tau = kSimTau},
           .summary_rows = kSimRows}};
}

}  // namespace

absl::StatusOr<Replication> Replicate(uint64_t seed) {
  RandomDraws draws(seed);
  const SimulatedWorld world = DrawWorld(draws);
  const StyleHyperNet hyper_net(draws);
  const PooledMlp mlp(draws);
  const auto experts = RoutedExperts::Train(world.sources);
  if (!experts.ok()) return experts.status();
  const auto main = RoutedScores(world, *experts, MainSettings());
  if (!main.ok()) return main.status();
  auto neighbours = RoutedScores(world, *experts, NeighbourSettings());
  if (!neighbours.ok()) return neighbours.status();
  auto summaries = RoutedScores(world, *experts, SummarySettings());
  if (!summaries.ok()) return summaries.status();

  using enum LinearObjective;
  return Replication{
      .methods = {PooledScores(world, ContentFeatures, kErm),
                  PooledScores(world, ContentFeatures, kIrm),
                  PooledScores(world, ContentFeatures, kEqrm),
                  PooledScores(world, IndexFeatures, kErm),
                  PooledScores(world, ContentFeatures, kRdm),
                  PooledScores(world, JointFeatures, kErm),
                  PooledScores(world, InteractionFeatures, kErm),
                  MlpScores(world, mlp), HyperNetScores(world, hyper_net),
                  (*main)[0], (*main)[1], (*main)[2],
                  ContentScores(world,
                                [&](const SimulatedDomain& target) {
                                  return world.Coefficients(target.coordinate);
                                })},
      .neighbours = *std::move(neighbours),
      .summaries = *std::move(summaries)};
}

}  // namespace ladder::trainer
