#include "trainer/evaluate/sweep.h"

#include <vector>

#include "gtest/gtest.h"
#include "routing/weights.h"
#include "tests/trainer/evaluate/small_world.h"

namespace ladder::trainer {
namespace {

// Metrics that tests of three domains of 30 samples can tell apart.
constexpr MetricOptions kOptions{.min_domain_samples = 10};

class SweepTest : public ::testing::Test {
 protected:
  Metrics MetricsOf(const routing::RoutingOptions& options) const {
    return ComputeMetrics(truth_, split_.Predict(options, {}).value(), kOptions)
        .value();
  }

  static void ExpectSame(const Metrics& a, const Metrics& b) {
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.macro_f1, b.macro_f1);
    EXPECT_EQ(a.filtered_average, b.filtered_average);
    EXPECT_EQ(a.raw_worst, b.raw_worst);
  }

  const TrainedStack stack_ = SmallStack();
  const EncodedSamples samples_ = ThreeDomains();
  const LabelledSplit truth_ =
      SplitOf(samples_, /*region_names=*/{}, kNumClasses);
  const MeasuredSplit split_ =
      MeasuredSplit::Measure(stack_, samples_, Grouping::kPerDomain, {})
          .value();
};

TEST_F(SweepTest, TriesEveryKAtTheStacksTau) {
  const std::vector<size_t> ks = {1, 3, routing::kAllSources};

  const auto points = SweepK(split_, truth_, ks, kOptions, {}).value();

  ASSERT_EQ(points.size(), 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].k, ks[i]);
    EXPECT_EQ(points[i].tau, 0.5);
    ExpectSame(points[i].metrics, MetricsOf({.k = ks[i], .tau = 0.5}));
  }
  ExpectSame(points[0].metrics,
             MetricsOf({.method = routing::Method::kNearest}));
  EXPECT_TRUE(points[0].metrics.filtered_average.has_value());
  EXPECT_NE(points[0].metrics.accuracy, points[2].metrics.accuracy);
}

TEST_F(SweepTest, TriesEveryTauAtTheStacksK) {
  const std::vector<double> taus = {100, 0.01};

  const auto points = SweepTau(split_, truth_, taus, kOptions, {}).value();

  ASSERT_EQ(points.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(points[i].k, 2);
    EXPECT_EQ(points[i].tau, taus[i]);
    ExpectSame(points[i].metrics, MetricsOf({.k = 2, .tau = taus[i]}));
  }
  EXPECT_NE(points[0].metrics.accuracy, points[1].metrics.accuracy);
}

TEST_F(SweepTest, RefusesSettingsOutOfRange) {
  EXPECT_EQ(SweepK(split_, truth_, std::vector<size_t>{1, 5}, kOptions, {})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SweepTau(split_, truth_, std::vector<double>{0}, kOptions, {})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(SweepTest, APointBecomesARowNamedAfterItsSetting) {
  const SeedResult some = SweepResult(
      {.k = 6, .tau = 0.5, .metrics = {.accuracy = 0.25}}, /*seed=*/3);
  const SeedResult all =
      SweepResult({.k = routing::kAllSources, .tau = 2}, /*seed=*/3);

  EXPECT_EQ(some.method, "K=6 tau=0.5");
  EXPECT_EQ(some.seed, 3);
  EXPECT_EQ(some.metrics.accuracy, 0.25);
  EXPECT_EQ(all.method, "K=all tau=2");
}

}  // namespace
}  // namespace ladder::trainer
