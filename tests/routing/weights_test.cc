#include "routing/weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "routing/counter_rng.h"
#include "tests/testdata.h"

namespace ladder::routing {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFloatMax = std::numeric_limits<float>::max();

using Doubles = std::vector<double>;

double Sum(const Doubles& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(MethodTest, NamesParseBackToTheirMethod) {
  for (const Method method :
       {Method::kLadder, Method::kNearest, Method::kUniform,
        Method::kSampleGate, Method::kSampleGateGroup, Method::kFixed}) {
    EXPECT_EQ(ParseMethod(MethodName(method)).value(), method);
  }
}

TEST(MethodTest, NamesAreTheOnesOfTheContract) {
  EXPECT_EQ(MethodName(Method::kLadder), "ladder");
  EXPECT_EQ(MethodName(Method::kNearest), "nearest");
  EXPECT_EQ(MethodName(Method::kUniform), "uniform");
  EXPECT_EQ(MethodName(Method::kSampleGate), "sample_gate");
  EXPECT_EQ(MethodName(Method::kSampleGateGroup), "sample_gate_group");
  EXPECT_EQ(MethodName(Method::kFixed), "fixed");
}

TEST(MethodTest, UnknownNamesAreRefusedWithTheValidOnes) {
  EXPECT_EQ(ParseMethod("Ladder").status(),
            absl::InvalidArgumentError(
                "routing method must be one of ladder, nearest, uniform, "
                "sample_gate, sample_gate_group, fixed, got \"Ladder\""));
  EXPECT_FALSE(ParseMethod("").ok());
}

TEST(NearestSourcesTest, AreAscendingByDistanceWithTiesToTheLowerIndex) {
  const Doubles distances = {3, 1, 2, 1, -1e-9, 1};

  EXPECT_THAT(NearestSources(distances, 1), ElementsAre(4));
  EXPECT_THAT(NearestSources(distances, 3), ElementsAre(4, 1, 3));
  EXPECT_THAT(NearestSources(distances, 6), ElementsAre(4, 1, 3, 5, 2, 0));
}

TEST(NearestSourcesTest, AreAllSourcesIfMoreAreAskedFor) {
  EXPECT_THAT(NearestSources(Doubles{2, 1}, kAllSources), ElementsAre(1, 0));
  EXPECT_THAT(NearestSources(Doubles{}, kAllSources), IsEmpty());
}

TEST(NearestSourcesTest, TreatBothZerosAsATie) {
  EXPECT_THAT(NearestSources(Doubles{0.0, -0.0}, 2), ElementsAre(0, 1));
}

// The distances and routing of every stored case, computed by GeomLoss and
// PyTorch in float64.
//
// Skip rule: a case with a null distance (GeomLoss could not compute it) has no
// routing to compare with. The last lines fail if any other case is skipped.
TEST(SoftmaxWeightsTest, MatchTheGoldenRoutingOfEveryCase) {
  const std::filesystem::path folder = TestdataFolder() / "golden";
  std::set<std::string> compared, skipped;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    const auto golden = nlohmann::json::parse(std::ifstream(file.path()));
    const std::string name = golden.at("name");
    SCOPED_TRACE(name);
    const auto& golden_distances = golden.at("distance_f64");
    if (std::any_of(golden_distances.begin(), golden_distances.end(),
                    [](const auto& distance) { return distance.is_null(); })) {
      EXPECT_TRUE(golden.at("routing_f64").empty());
      skipped.insert(name);
      continue;
    }
    const auto distances = golden_distances.get<Doubles>();
    for (const auto& routing : golden.at("routing_f64")) {
      const size_t k = routing.at("K");
      const double tau = routing.at("tau");
      const auto nearest = routing.at("nearest").get<std::vector<size_t>>();
      const auto nearest_weights = routing.at("weights").get<Doubles>();
      ASSERT_EQ(nearest.size(), nearest_weights.size());
      Doubles expected(distances.size(), 0);
      for (size_t i = 0; i < nearest.size(); ++i) {
        expected[nearest[i]] = nearest_weights[i];
      }

      EXPECT_EQ(NearestSources(distances, k), nearest);
      EXPECT_THAT(SoftmaxWeights(distances, k, tau).value(),
                  Pointwise(DoubleNear(1e-12), expected));
      compared.insert(name);
    }
  }
  EXPECT_EQ(compared.size(), 15u);
  EXPECT_THAT(skipped, ElementsAre("c16_zero_diameter"));
}

TEST(SoftmaxWeightsTest, FollowTheirDefinition) {
  const Doubles weights = SoftmaxWeights(Doubles{2, 0.5, 1}, 2, 0.5).value();

  const double sum = 1 + std::exp(-1.0);
  EXPECT_THAT(weights, ElementsAre(0, DoubleEq(1 / sum),
                                   DoubleEq(std::exp(-1.0) / sum)));
}

TEST(SoftmaxWeightsTest, OfOneNeighbourAreAllOnTheNearestSource) {
  EXPECT_THAT(SoftmaxWeights(Doubles{3, 1, 1, 2}, 1, 0.7).value(),
              ElementsAre(0, 1, 0, 0));
}

TEST(SoftmaxWeightsTest, OfAllSourcesAreThoseOfKEqualToTheirNumber) {
  const Doubles distances = {3, 1, 1, 2};

  EXPECT_EQ(SoftmaxWeights(distances, kAllSources, 0.7).value(),
            SoftmaxWeights(distances, 4, 0.7).value());
}

TEST(SoftmaxWeightsTest, GoToTheNearestAsTauFallsAndSplitExactTiesWithinK) {
  const Doubles distances = {2, 1, 1, 1, 1.001};

  EXPECT_THAT(SoftmaxWeights(distances, 5, 1e-300).value(),
              ElementsAre(0, DoubleEq(1 / 3.0), DoubleEq(1 / 3.0),
                          DoubleEq(1 / 3.0), 0));
  EXPECT_THAT(SoftmaxWeights(distances, 2, 1e-300).value(),
              ElementsAre(0, 0.5, 0.5, 0, 0));
}

TEST(SoftmaxWeightsTest, GoToUniformOverTheKNearestAsTauGrows) {
  EXPECT_THAT(SoftmaxWeights(Doubles{9, 1, 5, 3, 7}, 4, 1e300).value(),
              ElementsAre(0, 0.25, 0.25, 0.25, 0.25));
}

TEST(SoftmaxWeightsTest, AreFiniteAndSumToOneForExtremeDistancesAndTau) {
  const std::vector<Doubles> cases = {{1e300, -1e300, 0},
                                      {1e300, 1e300, 1e300},
                                      {1e-300, 2e-300, 0},
                                      {-1e-9, 0, 1e-9},
                                      {0, 0, 0},
                                      {-1e-9, 1e300, 5e-324},
                                      {1e300, 1e300 / 2, 1e3}};
  for (const Doubles& distances : cases) {
    for (const double tau : {5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e300}) {
      const Doubles weights = SoftmaxWeights(distances, 3, tau).value();

      for (const double weight : weights) {
        EXPECT_TRUE(weight >= 0 && weight <= 1) << weight << ", tau " << tau;
      }
      EXPECT_THAT(Sum(weights), DoubleNear(1, 1e-15)) << "tau " << tau;
    }
  }
}

TEST(SoftmaxWeightsTest, FallWithDistanceAndSumToOneOnRandomDistances) {
  const CounterRng rng(21);
  for (uint64_t round = 0; round < 200; ++round) {
    Doubles distances;
    for (uint64_t i = 0; i < 64; ++i) {
      distances.push_back(static_cast<double>(rng.Below(50, round * 64 + i)) /
                          10);
    }
    const size_t k = 1 + round % 64;

    const Doubles weights = SoftmaxWeights(distances, k, 0.5).value();

    EXPECT_THAT(Sum(weights), DoubleNear(1, 1e-14));
    EXPECT_EQ(64 - std::count(weights.begin(), weights.end(), 0.0),
              static_cast<ptrdiff_t>(k));
    const std::vector<size_t> nearest = NearestSources(distances, k);
    for (size_t i = 1; i < k; ++i) {
      EXPECT_GE(weights[nearest[i - 1]], weights[nearest[i]]);
    }
  }
}

TEST(SoftmaxWeightsTest, HaveTheNearestAndTheUniformAsLimitsOnRandomDistances) {
  const CounterRng rng(22);
  for (uint64_t round = 0; round < 200; ++round) {
    const size_t num_sources = 1 + round % 40;
    // Whole numbers plus a hundredth per index: at least that far apart.
    Doubles distances;
    for (uint64_t i = 0; i < num_sources; ++i) {
      distances.push_back(static_cast<double>(rng.Below(100, round * 40 + i)) +
                          static_cast<double>(i) / 100);
    }
    const size_t k = 1 + rng.Below(num_sources, 10'000 + round);
    const std::vector<size_t> nearest = NearestSources(distances, k);
    Doubles one_hot(num_sources, 0);
    one_hot[nearest.front()] = 1;
    Doubles uniform(num_sources, 0);
    for (const size_t source : nearest) {
      uniform[source] = 1 / static_cast<double>(k);
    }

    const Doubles cold = SoftmaxWeights(distances, k, 1e-4).value();
    const Doubles hot = SoftmaxWeights(distances, k, 1e9).value();

    for (size_t source = 0; source < num_sources; ++source) {
      EXPECT_NEAR(cold[source], one_hot[source], 1e-12);
      EXPECT_NEAR(hot[source], uniform[source], 1e-6);
    }
  }
}

TEST(SoftmaxWeightsTest, RefuseNoSources) {
  EXPECT_EQ(SoftmaxWeights(Doubles{}, kAllSources, 1).status(),
            absl::InvalidArgumentError("there are no sources to weight"));
}

TEST(SoftmaxWeightsTest, RefuseAKOutOfRange) {
  const Doubles distances(9, 1.0);

  EXPECT_EQ(SoftmaxWeights(distances, 12, 1).status(),
            absl::InvalidArgumentError("k must be between 1 and 9 (the number "
                                       "of sources) or all, got 12"));
  EXPECT_EQ(SoftmaxWeights(distances, 0, 1).status(),
            absl::InvalidArgumentError("k must be between 1 and 9 (the number "
                                       "of sources) or all, got 0"));
}

TEST(SoftmaxWeightsTest, RefuseATauThatIsNotPositiveAndFinite) {
  for (const double tau : {0.0, -0.5, kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(SoftmaxWeights(Doubles{1, 2}, 1, tau).status(),
              absl::InvalidArgumentError(
                  absl::StrCat("tau must be positive and finite, got ", tau)));
  }
}

TEST(SoftmaxWeightsTest, NameTheSourceOfADistanceThatIsNotFinite) {
  EXPECT_EQ(SoftmaxWeights(Doubles{1, 2, kNan}, 1, 1).status(),
            absl::InvalidArgumentError(
                "distance to source 2 is nan; expected a finite value"));
  EXPECT_EQ(SoftmaxWeights(Doubles{1, kInfinity}, 1, 1).status(),
            absl::InvalidArgumentError(
                "distance to source 1 is inf; expected a finite value"));
}

TEST(UniformWeightsTest, AreAllAlike) {
  EXPECT_THAT(UniformWeights(4), ElementsAre(0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(UniformWeights(0), IsEmpty());
}

TEST(FixedWeightsTest, PassIfTheySumToOneWithinTheTolerance) {
  EXPECT_TRUE(CheckFixedWeights(Doubles{0, 1, 0}, 3).ok());
  EXPECT_TRUE(CheckFixedWeights(Doubles{0.5, 0.5 + 0.9e-6}, 2).ok());
  EXPECT_TRUE(CheckFixedWeights(Doubles{0.5, 0.5 - 0.9e-6}, 2).ok());
}

TEST(FixedWeightsTest, AreRefusedWithTheSumTheyHave) {
  EXPECT_EQ(
      CheckFixedWeights(Doubles{0.5, 0.25}, 2),
      absl::InvalidArgumentError("weights must sum to 1, got a sum of "
                                 "0.75 (off by -0.25; 1e-06 is allowed)"));
  EXPECT_EQ(CheckFixedWeights(Doubles{0.5, 0.500002}, 2),
            absl::InvalidArgumentError("weights must sum to 1, got a sum of 1 "
                                       "(off by 2e-06; 1e-06 is allowed)"));
  EXPECT_FALSE(CheckFixedWeights(Doubles{1e308, 1e308}, 2).ok());
}

TEST(FixedWeightsTest, AreRefusedIfThereAreTooFewOrTooMany) {
  EXPECT_EQ(
      CheckFixedWeights(Doubles{0.5, 0.5}, 3),
      absl::InvalidArgumentError("expected 3 weights (one per source), got 2"));
  EXPECT_EQ(
      CheckFixedWeights(Doubles{0.5, 0.5}, 1),
      absl::InvalidArgumentError("expected 1 weights (one per source), got 2"));
}

TEST(FixedWeightsTest, AreRefusedIfOneIsNegativeOrNotFinite) {
  EXPECT_EQ(CheckFixedWeights(Doubles{1.5, -0.5}, 2),
            absl::InvalidArgumentError("weight of source 1 is -0.5; expected a "
                                       "finite value of at least 0"));
  EXPECT_EQ(CheckFixedWeights(Doubles{kNan, 1}, 2),
            absl::InvalidArgumentError("weight of source 0 is nan; expected a "
                                       "finite value of at least 0"));
}

const std::vector<std::string> kYears = {"2002", "2003", "2004"};
using Named = std::vector<NamedWeight>;

TEST(NamedWeightsTest, FollowTheOrderOfTheSourcesAndLeaveOthersAtZero) {
  const Named named = {{"2004", 0.75}, {"2002", 0.25}};

  EXPECT_THAT(NamedWeights(named, kYears).value(), ElementsAre(0.25, 0, 0.75));
}

TEST(NamedWeightsTest, RefuseAnUnknownNameAndListTheSources) {
  EXPECT_EQ(
      NamedWeights(Named{{"2002", 0.5}, {"2005", 0.5}}, kYears).status(),
      absl::InvalidArgumentError("weight for unknown source \"2005\"; the "
                                 "sources are 2002, 2003, 2004"));
}

TEST(NamedWeightsTest, RefuseANameThatComesTwiceEvenWithAZero) {
  EXPECT_EQ(
      NamedWeights(Named{{"2002", 0}, {"2002", 1}}, kYears).status(),
      absl::InvalidArgumentError("source \"2002\" is given a weight twice"));
}

TEST(NamedWeightsTest, RefuseBadValuesByName) {
  EXPECT_EQ(
      NamedWeights(Named{{"2003", -1}}, kYears).status(),
      absl::InvalidArgumentError("weight of source \"2003\" is -1; "
                                 "expected a finite value of at least 0"));
}

TEST(NamedWeightsTest, RefuseOtherSumsThanOne) {
  EXPECT_EQ(NamedWeights(Named{{"2003", 0.5}}, kYears).status(),
            absl::InvalidArgumentError("weights must sum to 1, got a sum of "
                                       "0.5 (off by -0.5; 1e-06 is allowed)"));
  EXPECT_FALSE(NamedWeights(Named{}, kYears).ok());
}

TEST(SampleGateTest, GivesEverySampleTheSoftmaxOfItsOwnGate) {
  const std::vector<float> gates = {0, 0, 0, 2};
  std::vector<float> weights(4);

  ASSERT_TRUE(SampleGateWeights({gates.data(), 2, 2}, 2, weights).ok());

  const double sum = 1 + std::exp(1.0);
  EXPECT_THAT(weights, ElementsAre(0.5f, 0.5f, static_cast<float>(1 / sum),
                                   static_cast<float>(std::exp(1.0) / sum)));
}

TEST(SampleGateTest, StaysFiniteForExtremeGates) {
  const std::vector<float> gates = {kFloatMax, -kFloatMax, kFloatMax};
  std::vector<float> weights(3);

  ASSERT_TRUE(SampleGateWeights({gates.data(), 1, 3}, 1e-300, weights).ok());

  EXPECT_THAT(weights, ElementsAre(0.5f, 0, 0.5f));
}

TEST(SampleGateTest, TheGroupsWeightsAreTheMeanOfTheSamples) {
  constexpr size_t kRows = 50, kSources = 7;
  const CounterRng rng(31);
  std::vector<float> gates;
  for (uint64_t i = 0; i < kRows * kSources; ++i) {
    gates.push_back(static_cast<float>(rng.Below(100, i)) / 10);
  }
  const MatrixView view{gates.data(), kRows, kSources};
  std::vector<float> weights(kRows * kSources);
  ASSERT_TRUE(SampleGateWeights(view, 1.5, weights).ok());
  Doubles expected(kSources, 0);
  for (size_t i = 0; i < weights.size(); ++i) {
    expected[i % kSources] += double{weights[i]} / kRows;
  }

  const Doubles mean = MeanGateWeights(view, 1.5).value();

  EXPECT_THAT(mean, Pointwise(DoubleNear(1e-7), expected));
  EXPECT_THAT(Sum(mean), DoubleNear(1, 1e-14));
}

TEST(SampleGateTest, RefusesBadGatesTemperaturesAndSizes) {
  const std::vector<float> gates = {0, 0, 0, static_cast<float>(kNan)};
  std::vector<float> weights(4);
  const auto error = [&](size_t rows, size_t cols, double temperature) {
    const MatrixView view{gates.data(), rows, cols};
    return SampleGateWeights(view, temperature, weights);
  };

  EXPECT_EQ(error(2, 2, 1),
            absl::InvalidArgumentError("gate logits: value at row 1, column 1 "
                                       "is nan; expected finite values only"));
  EXPECT_EQ(error(0, 2, 1),
            absl::InvalidArgumentError(
                "gate logits: expected at least one row, got none"));
  EXPECT_EQ(error(2, 0, 1),
            absl::InvalidArgumentError(
                "gate logits: expected at least one column, got none"));
  EXPECT_EQ(error(1, 2, 0),
            absl::InvalidArgumentError(
                "gate temperature must be positive and finite, got 0"));
  EXPECT_EQ(error(1, 3, 1),
            absl::InvalidArgumentError(
                "sample weights: expected room for 3 values, got 4"));
}

TEST(SampleGateTest, TheGroupsWeightsRefuseWhatTheSamplesRefuse) {
  const std::vector<float> gates = {0, static_cast<float>(kInfinity)};

  EXPECT_EQ(MeanGateWeights({gates.data(), 1, 2}, 1).status(),
            absl::InvalidArgumentError("gate logits: value at row 0, column 1 "
                                       "is inf; expected finite values only"));
  EXPECT_EQ(MeanGateWeights({gates.data(), 1, 1}, -1).status(),
            absl::InvalidArgumentError(
                "gate temperature must be positive and finite, got -1"));
}

TEST(EffectiveExpertsTest, CountEquallyWeightedSources) {
  EXPECT_THAT(EffectiveExperts(Doubles{0, 1, 0}), DoubleEq(1));
  EXPECT_THAT(EffectiveExperts(Doubles{0.5, 0, 0.5, 0}), DoubleEq(2));
  EXPECT_THAT(EffectiveExperts(UniformWeights(9)), DoubleNear(9, 1e-13));
}

TEST(EffectiveExpertsTest, LieBetweenForUnequalWeights) {
  const double entropy = -(0.9 * std::log(0.9) + 0.1 * std::log(0.1));

  EXPECT_THAT(EffectiveExperts(Doubles{0.9, 0.1}), DoubleEq(std::exp(entropy)));
}

}  // namespace
}  // namespace ladder::routing
