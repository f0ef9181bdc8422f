#include "trainer/evaluate/routed_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/weights.h"
#include "tests/trainer/evaluate/small_world.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

using Labels = std::vector<int64_t>;

// One stack on one split, measured both ways.
class World {
 public:
  explicit World(EncodedSamples encoded = ThreeDomains(),
                 TrainedStack trained = SmallStack())
      : stack(std::move(trained)),
        samples(std::move(encoded)),
        whole(MeasuredSplit::Measure(stack, samples, Grouping::kWholeSplit, {})
                  .value()),
        domains(MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {})
                    .value()) {}

  RoutedRows Rows() const { return PredictRows(whole, &domains, {}).value(); }
  RoutedRows SplitRows() const {
    return PredictRows(whole, nullptr, {}).value();
  }

  // What every sample's own weights give.
  template <typename Weights>
  Labels LabelsBy(Weights weights_of) const {
    Labels labels;
    for (size_t i = 0; i < samples.size(); ++i) {
      labels.push_back(ClassOf(stack, samples, i, weights_of(i)));
    }
    return labels;
  }

  // softmax of the sample's gate.
  std::vector<double> GateOf(size_t sample) const {
    std::vector<double> weights;
    double sum = 0;
    for (const float gate : samples.gate_view().Row(sample)) {
      weights.push_back(std::exp(double{gate}));
      sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  const TrainedStack stack;
  const EncodedSamples samples;
  const MeasuredSplit whole;
  const MeasuredSplit domains;
};

Labels LabelsOf(const RoutedRows& routed, const std::string& method) {
  for (const MethodPredictions& row : routed.rows) {
    if (row.method == method) return row.labels;
  }
  ADD_FAILURE() << "no row " << method;
  return {};
}

auto Named(const char* method) {
  return Field(&MethodPredictions::method, method);
}

TEST(RoutedRowsTest, HasTheRowsOfThePaper) {
  const RoutedRows routed = World().Rows();

  EXPECT_THAT(routed.rows,
              ElementsAre(Named("UniformExperts"), Named("NearestExpert"),
                          Named("SampleGate"), Named("SampleGate-group"),
                          Named("LADDER-split"), Named("LADDER-group")));
}

TEST(RoutedRowsTest, LeavesOutGroupRowsWithoutDomains) {
  const RoutedRows routed = World().SplitRows();

  EXPECT_THAT(routed.rows,
              ElementsAre(Named("UniformExperts"), Named("NearestExpert"),
                          Named("SampleGate"), Named("LADDER-split")));
}

TEST(RoutedRowsTest, NoTwoRowsAreTheSameHere) {
  const RoutedRows routed = World().Rows();

  for (size_t a = 0; a < routed.rows.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      EXPECT_NE(routed.rows[a].labels, routed.rows[b].labels)
          << routed.rows[a].method << " and " << routed.rows[b].method;
    }
  }
}

TEST(RoutedRowsTest, UniformExpertsGivesEverySourceTheSameWeight) {
  const World world;

  EXPECT_EQ(LabelsOf(world.Rows(), kUniformExperts), world.LabelsBy([](size_t) {
    return std::vector<double>(kNumSources, 0.25);
  }));
}

TEST(RoutedRowsTest, NearestExpertUsesTheNearestSourceOfTheDomain) {
  const World world;
  const RoutedRows routed = world.Rows();

  EXPECT_EQ(LabelsOf(routed, kNearestExpert), world.LabelsBy([&](size_t i) {
    const auto domain = static_cast<size_t>(world.samples.domains[i]);
    const auto& distances = routed.groups[domain].routing.distances;
    const auto nearest = std::min_element(distances.begin(), distances.end());
    std::vector<double> weights(kNumSources, 0);
    weights[static_cast<size_t>(nearest - distances.begin())] = 1;
    return weights;
  }));
}

TEST(RoutedRowsTest, SampleGateUsesEverySamplesOwnGate) {
  const World world;

  EXPECT_EQ(LabelsOf(world.Rows(), kSampleGate),
            world.LabelsBy([&](size_t i) { return world.GateOf(i); }));
}

TEST(RoutedRowsTest, SampleGateGroupUsesTheMeanGateOfTheDomain) {
  const World world;

  EXPECT_EQ(LabelsOf(world.Rows(), kSampleGateGroup),
            world.LabelsBy([&](size_t i) {
              std::vector<double> mean(kNumSources, 0);
              for (size_t j = 0; j < world.samples.size(); ++j) {
                if (world.samples.domains[j] != world.samples.domains[i]) {
                  continue;
                }
                const std::vector<double> gate = world.GateOf(j);
                for (size_t e = 0; e < kNumSources; ++e) {
                  mean[e] += gate[e] / 30;
                }
              }
              return mean;
            }));
}

TEST(RoutedRowsTest, LadderUsesTheWeightsThatItReports) {
  const World world;
  const RoutedRows routed = world.Rows();

  ASSERT_EQ(routed.groups.size(), 3);
  EXPECT_EQ(LabelsOf(routed, kLadderGroup), world.LabelsBy([&](size_t i) {
    const auto domain = static_cast<size_t>(world.samples.domains[i]);
    EXPECT_EQ(routed.groups[domain].domain, world.samples.domains[i]);
    return routed.groups[domain].routing.weights;
  }));
}

TEST(RoutedRowsTest, ReportsTheRoutingOfTheSplitWithoutDomains) {
  const World world;
  const RoutedRows routed = world.SplitRows();

  ASSERT_EQ(routed.groups.size(), 1);
  EXPECT_EQ(routed.groups[0].domain, -1);
  EXPECT_EQ(LabelsOf(routed, kLadderSplit), world.LabelsBy([&](size_t) {
    return routed.groups[0].routing.weights;
  }));
}

TEST(RoutedRowsTest, OneDomainIsTheWholeSplit) {
  const World world(SmallSamples(std::vector<int64_t>(60, 1)));
  const RoutedRows routed = world.Rows();

  EXPECT_EQ(LabelsOf(routed, kLadderGroup), LabelsOf(routed, kLadderSplit));
}

TEST(RoutedRowsTest, NearestExpertIsLadderWithOneNeighbour) {
  TrainedStack stack = SmallStack();
  stack.routing.k = 1;
  const World world(ThreeDomains(), std::move(stack));

  EXPECT_EQ(LabelsOf(world.Rows(), kNearestExpert),
            LabelsOf(world.Rows(), kLadderGroup));
  EXPECT_EQ(LabelsOf(world.SplitRows(), kNearestExpert),
            LabelsOf(world.SplitRows(), kLadderSplit));
}

TEST(RoutedRowsTest, HotLadderOverAllSourcesIsUniformExperts) {
  TrainedStack stack = SmallStack();
  stack.routing.k = routing::kAllSources;
  stack.routing.tau = 1e9;
  const RoutedRows routed = World(ThreeDomains(), std::move(stack)).Rows();

  EXPECT_EQ(LabelsOf(routed, kLadderGroup), LabelsOf(routed, kUniformExperts));
  EXPECT_EQ(LabelsOf(routed, kLadderSplit), LabelsOf(routed, kUniformExperts));
}

TEST(RoutedRowsTest, RefusesWhatTheRouterRefuses) {
  TrainedStack stack = SmallStack();
  stack.routing.tau = 0;
  const World world(ThreeDomains(), std::move(stack));

  EXPECT_EQ(PredictRows(world.whole, &world.domains, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::trainer
