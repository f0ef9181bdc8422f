#include "routing/router.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_style_distance.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Pointwise;

const std::vector<double> kDistances = {3, 1, 2, 5};

// Quantiles 0, 0.1, ..., 2: distance 1 is in, 2 at the edge, 5 out.
CoverageCalibration Calibration() {
  CoverageCalibration::Level level{.sample_size = 4, .num_sources = 4};
  for (size_t i = 0; i < CoverageCalibration::kNumQuantiles; ++i) {
    level.quantiles.push_back(0.1 * static_cast<double>(i));
  }
  return {.levels = {level}};
}

// Four sources at fixed distances; groups of six samples, four of them in the
// style sample.
class RouterTest : public testing::Test {
 protected:
  Routing RouteOk(const RoutingOptions& options) const {
    return router_.Route(Group(), options, {}).value();
  }

  GroupStyle Group() const {
    return {.style = style_.View(),
            .gate_logits = gate_logits_.View(),
            .num_seen = 6};
  }

  const Cloud style_ = Column({1, 2, 3, 4});
  const Cloud gate_logits_ = {
      .rows = 2, .cols = 4, .values = {9, 0, 0, 0, 0, 9, 0, 0}};
  const std::shared_ptr<const FakeStyleDistance> distance_ =
      std::make_shared<FakeStyleDistance>(kDistances);
  const Router router_ = Router::Create(distance_, Calibration()).value();
};

TEST_F(RouterTest, LadderWeightsTheNearestSourcesBySoftmax) {
  const Routing routing =
      RouteOk({.method = Method::kLadder, .k = 2, .tau = 0.5});

  const double odds = std::exp(-(2.0 - 1.0) / 0.5);
  EXPECT_EQ(routing.method, Method::kLadder);
  EXPECT_THAT(routing.weights,
              Pointwise(DoubleNear(1e-12),
                        {0.0, 1 / (1 + odds), odds / (1 + odds), 0.0}));
  EXPECT_FALSE(routing.per_sample);
  EXPECT_THAT(routing.distances, ElementsAreArray(kDistances));
  EXPECT_DOUBLE_EQ(routing.effective_experts,
                   EffectiveExperts(routing.weights));
  EXPECT_EQ(routing.num_seen, 6u);
  EXPECT_EQ(routing.num_style, 4u);
}

TEST_F(RouterTest, LadderOverAllSourcesLeavesNoneOut) {
  const Routing routing = RouteOk({.k = kAllSources});

  for (const double weight : routing.weights) EXPECT_GT(weight, 0);
}

TEST_F(RouterTest, NearestIsLadderWithOneNeighbour) {
  const Routing nearest =
      RouteOk({.method = Method::kNearest, .k = 0, .tau = -1});
  const Routing ladder = RouteOk({.method = Method::kLadder, .k = 1});

  EXPECT_THAT(nearest.weights, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(nearest.weights, ladder.weights);
  EXPECT_EQ(nearest.distances, ladder.distances);
  EXPECT_EQ(nearest.effective_experts, 1);
}

TEST_F(RouterTest, UniformLooksAtNothing) {
  const auto routing =
      router_.Route({.num_seen = 3}, {.method = Method::kUniform}, {});

  ASSERT_TRUE(routing.ok());
  EXPECT_THAT(routing->weights, ElementsAre(0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(routing->distances, IsEmpty());
  EXPECT_EQ(routing->coverage.verdict, CoverageVerdict::kUnknown);
  EXPECT_EQ(routing->coverage.basis, CoverageBasis::kNoDistances);
  EXPECT_EQ(routing->num_seen, 3u);
  EXPECT_EQ(routing->num_style, 0u);
  EXPECT_THAT(distance_->calls(), IsEmpty());
}

TEST_F(RouterTest, FixedTakesTheCallersWeights) {
  const auto routing = router_.Route(
      {}, {.method = Method::kFixed, .fixed_weights = {0.5, 0, 0.5, 0}}, {});

  ASSERT_TRUE(routing.ok());
  EXPECT_THAT(routing->weights, ElementsAre(0.5, 0, 0.5, 0));
  EXPECT_DOUBLE_EQ(routing->effective_experts, 2);
  EXPECT_THAT(distance_->calls(), IsEmpty());
}

TEST_F(RouterTest, GroupGateIsTheMeanOfTheSampleGates) {
  const Routing group = RouteOk({.method = Method::kSampleGateGroup});
  const Routing sample = RouteOk({.method = Method::kSampleGate});

  EXPECT_NEAR(group.weights[0], 0.5, 1e-3);
  EXPECT_NEAR(group.weights[1], 0.5, 1e-3);
  EXPECT_FALSE(group.per_sample);
  EXPECT_EQ(sample.weights, group.weights);
  EXPECT_TRUE(sample.per_sample);
  EXPECT_THAT(sample.distances, IsEmpty());
}

TEST_F(RouterTest, GateTemperatureFlattensTheGates) {
  const Routing routing =
      RouteOk({.method = Method::kSampleGateGroup, .gate_temperature = 1e6});

  for (const double weight : routing.weights) EXPECT_NEAR(weight, 0.25, 1e-4);
}

TEST_F(RouterTest, SampleWeightsAreThoseTheGroupGateAverages) {
  const RoutingOptions options{.method = Method::kSampleGate,
                               .sources = {3, 1}};
  std::vector<float> weights(8, 7.0f);

  ASSERT_TRUE(
      router_.SampleWeights(gate_logits_.View(), options, weights).ok());

  // Between sources 1 and 3 alone the first sample is undecided.
  EXPECT_EQ(weights[0], 0);
  EXPECT_FLOAT_EQ(weights[1], 0.5f);
  EXPECT_FLOAT_EQ(weights[3], 0.5f);
  EXPECT_NEAR(weights[4 + 1], 1, 1e-3);
  const Routing routing = RouteOk(options);
  for (size_t source = 0; source < 4; ++source) {
    EXPECT_NEAR(routing.weights[source],
                (weights[source] + weights[4 + source]) / 2, 1e-6);
  }
}

TEST_F(RouterTest, ASubsetOfTheSourcesGetsAllTheWeight) {
  const std::vector<size_t> subset = {3, 0};
  const Routing ladder = RouteOk({.k = 4, .sources = subset});
  const Routing nearest =
      RouteOk({.method = Method::kNearest, .sources = subset});
  const Routing uniform =
      RouteOk({.method = Method::kUniform, .sources = subset});
  const Routing gate =
      RouteOk({.method = Method::kSampleGateGroup, .sources = subset});

  EXPECT_DOUBLE_EQ(ladder.weights[0] + ladder.weights[3], 1);
  EXPECT_GT(ladder.weights[3], 0);
  EXPECT_THAT(ladder.distances, ElementsAreArray(kDistances));
  EXPECT_THAT(nearest.weights, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(uniform.weights, ElementsAre(0.5, 0, 0, 0.5));
  EXPECT_NEAR(gate.weights[0] + gate.weights[3], 1, 1e-12);
  EXPECT_NEAR(gate.weights[0], 0.75, 1e-3);
}

TEST_F(RouterTest, CoverageIsThatOfTheNearestSourceAllowed) {
  const auto verdict = [&](std::vector<size_t> sources) {
    return RouteOk({.method = Method::kNearest, .sources = std::move(sources)})
        .coverage.verdict;
  };

  EXPECT_EQ(verdict({}), CoverageVerdict::kIn);
  EXPECT_EQ(verdict({0, 2, 3}), CoverageVerdict::kEdge);
  EXPECT_EQ(verdict({3}), CoverageVerdict::kOut);
}

TEST_F(RouterTest, CoverageIsUnknownWithoutCalibration) {
  const Router router = Router::Create(distance_).value();

  const auto routing = router.Route(Group(), {.method = Method::kNearest}, {});

  EXPECT_EQ(routing->coverage.basis, CoverageBasis::kNotCalibrated);
  EXPECT_EQ(routing->coverage.nearest_distance, 1);
}

TEST_F(RouterTest, StabilityIsAssessedOnDemandAndOnlyWhereDistancesCount) {
  const Routing without = RouteOk({.k = 2});
  const Routing with = RouteOk({.k = 2, .stability = StabilityOptions{}});
  const Routing uniform =
      RouteOk({.method = Method::kUniform, .stability = StabilityOptions{}});

  EXPECT_FALSE(without.stability.has_value());
  ASSERT_TRUE(with.stability.has_value());
  EXPECT_EQ(with.stability->half_rows, 2u);
  EXPECT_EQ(with.stability->max_total_variation, 0);
  EXPECT_FALSE(uniform.stability.has_value());
}

TEST_F(RouterTest, ManyAnswersFromOneSetOfDistancesAreThoseOfRoute) {
  const std::vector<RoutingOptions> questions = {
      {.k = 2, .tau = 0.5},
      {.k = kAllSources, .tau = 3},
      {.k = 3, .sources = {0, 2}},
      {.method = Method::kNearest, .sources = {2, 3}},
      {.method = Method::kUniform},
      {.method = Method::kSampleGateGroup},
      {.method = Method::kFixed, .fixed_weights = {0, 0, 0, 1}}};
  const auto distances = router_.Distances(style_.View(), {});
  ASSERT_TRUE(distances.ok());

  for (const RoutingOptions& question : questions) {
    const size_t calls = distance_->calls().size();
    const Routing decided =
        router_.Decide(Group(), *distances, question, {}).value();
    EXPECT_EQ(distance_->calls().size(), calls);

    const Routing routed = RouteOk(question);
    EXPECT_EQ(decided.method, routed.method);
    EXPECT_EQ(decided.weights, routed.weights);
    EXPECT_EQ(decided.distances, routed.distances);
    EXPECT_EQ(decided.effective_experts, routed.effective_experts);
    EXPECT_EQ(decided.coverage.verdict, routed.coverage.verdict);
    EXPECT_EQ(decided.coverage.nearest_distance,
              routed.coverage.nearest_distance);
    EXPECT_EQ(decided.num_style, routed.num_style);
  }
}

}  // namespace
}  // namespace ladder::routing
