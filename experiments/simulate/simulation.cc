#include "experiments/simulate/simulation.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "experiments/simulate/linear_fit.h"
#include "experiments/simulate/networks.h"
#include "experiments/simulate/routed_experts.h"
#include "routing/counter_rng.h"
#include "trainer/network/torch_status.h"

namespace ladder::experiments {
namespace {

// The scores of a head on one target's features.
Scores HeadScores(const SimulatedWorld& world, const SimulatedDomain& target,
                  FeatureMap map, const torch::Tensor& head) {
  Scores scores = ScoresOf(map(target).matmul(head.t()), target.labels);
  scores[kSimParameterError] = ParameterError(
      ContentPart(target, map, head), world.Coefficients(target.coordinate));
  return scores;
}

// The value of `score(target)` for each of the targets.
template <typename Score>
TargetScores ForEachTarget(const SimulatedWorld& world, Score score) {
  TargetScores scores;
  std::ranges::transform(world.targets, scores.begin(), score);
  return scores;
}

TargetScores PooledScores(const SimulatedWorld& world, FeatureMap map,
                          LinearObjective objective) {
  const torch::Tensor head =
      FitLinear(FeaturesOf(world.sources, map), objective);
  return ForEachTarget(world, [&](const SimulatedDomain& target) {
    return HeadScores(world, target, map, head);
  });
}

TargetScores MlpScores(const SimulatedWorld& world, PooledMlp& mlp) {
  mlp.Fit(world.sources);
  return ForEachTarget(world, [&](const SimulatedDomain& target) {
    return ScoresOf(mlp.Logits(NetworkFeatures(target).t()).t(), target.labels);
  });
}

TargetScores HyperNetScores(const SimulatedWorld& world, StyleHyperNet& net) {
  net.Fit(world.sources);
  return ForEachTarget(world, [&](const SimulatedDomain& target) {
    return HeadScores(world, target, ContentFeatures,
                      net.HeadsFor(target.summary)[0]);
  });
}

TargetScores OracleScores(const SimulatedWorld& world) {
  return ForEachTarget(world, [&](const SimulatedDomain& target) {
    return HeadScores(world, target, ContentFeatures,
                      world.Coefficients(target.coordinate));
  });
}

absl::StatusOr<std::vector<TargetScores>> RoutedScores(
    const SimulatedWorld& world, const RoutedExperts& experts,
    std::span<const RoutedSetting> settings) {
  std::vector<TargetScores> scores(settings.size());
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    const SimulatedDomain& target = world.targets[t];
    std::map<int64_t, RoutedExperts::Target>
        measured;  // Key: the number of rows.
    for (size_t i = 0; i < settings.size(); ++i) {
      const auto rows = static_cast<int64_t>(settings[i].summary_rows);
      if (measured.count(rows) == 0) {
        LADDER_ASSIGN_OR_RETURN(measured[rows], experts.Measure(target, rows));
      }
      LADDER_ASSIGN_OR_RETURN(
          const torch::Tensor head,
          experts.Head(measured.at(rows), settings[i].options));
      scores[i][t] = HeadScores(world, target, ContentFeatures, head);
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

// Draws a world, trains every method on its sources and measures all settings
// on its targets. The result depends on the seed alone. Errors are those of the
// routing core; none is expected.
absl::StatusOr<Replication> Replicate(uint64_t seed) {
  RandomDraws draws(seed);
  const SimulatedWorld world = DrawWorld(draws);
  StyleHyperNet hyper_net(draws);
  PooledMlp mlp(draws);
  LADDER_ASSIGN_OR_RETURN(const RoutedExperts experts,
                          RoutedExperts::Train(world.sources));
  LADDER_ASSIGN_OR_RETURN(const std::vector<TargetScores> main,
                          RoutedScores(world, experts, MainSettings()));
  LADDER_ASSIGN_OR_RETURN(std::vector<TargetScores> neighbours,
                          RoutedScores(world, experts, NeighbourSettings()));
  LADDER_ASSIGN_OR_RETURN(std::vector<TargetScores> summaries,
                          RoutedScores(world, experts, SummarySettings()));

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
                  main[0], main[1], main[2], OracleScores(world)},
      .neighbours = std::move(neighbours),
      .summaries = std::move(summaries)};
}

}  // namespace

std::vector<RoutedSetting> NeighbourSettings() {
  std::vector<RoutedSetting> settings;
  for (size_t k = 1; k <= kSimSources; ++k) {
    const bool all = k == kSimSources;
    settings.push_back(
        {.name = all ? "K=all" : absl::StrCat("K=", k),
         .options = {.k = all ? routing::kAllSources : k, .tau = kSimTau},
         .summary_rows = kSimRows});
  }
  return settings;
}

std::vector<RoutedSetting> SummarySettings() {
  std::vector<RoutedSetting> settings;
  for (const double tau : kSimTaus) {
    for (const size_t rows : kSimSummaryRows) {
      settings.push_back({.name = absl::StrCat("n0=", rows, " tau=", tau),
                          .options = {.k = kSimK, .tau = tau},
                          .summary_rows = rows});
    }
  }
  return settings;
}

absl::StatusOr<std::vector<Replication>> Simulate(
    const SimulationOptions& options, const routing::Execution& execution,
    SimulationProgress progress) {
  if (options.num_replications < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "reps: expected at least 2, got ", options.num_replications));
  }
  const routing::CounterRng seeds(options.seed);
  std::vector<Replication> replications(options.num_replications);
  base::Mutex mutex;
  size_t done = 0;           // Guarded by the mutex,
  absl::Status first_error;  // as is this.
  // Replications are what runs in parallel.
  at::set_num_threads(1);
  absl::Status stopped = execution.ForEach(replications.size(), [&](size_t i) {
    at::init_num_threads();  // The pool's threads take over the number.
    auto replication = trainer::CatchTorchErrors<Replication>(
        [&] { return Replicate(seeds.Bits(i)); });
    const base::MutexLock lock(mutex);
    if (!replication.ok()) {
      first_error.Update(replication.status());
      return;
    }
    replications[i] = *std::move(replication);
    progress(++done, replications.size());
  });
  first_error.Update(std::move(stopped));
  LADDER_RETURN_IF_ERROR(first_error);
  return replications;
}

}  // namespace ladder::experiments
