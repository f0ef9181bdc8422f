#include <vector>

#include "gtest/gtest.h"
#include "routing/weights.h"
#include "tests/trainer/evaluate/small_world.h"
#include "trainer/evaluate/routed_rows.h"

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
  const char* const names[] = {"K=1 tau=0.5", "K=3 tau=0.5", "K=all tau=0.5"};

  const auto results =
      SweepK(split_, truth_, /*seed=*/3, ks, kOptions, {}).value();

  ASSERT_EQ(results.size(), 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(results[i].method, names[i]);
    EXPECT_EQ(results[i].seed, 3);
    ExpectSame(results[i].metrics, MetricsOf({.k = ks[i], .tau = 0.5}));
  }
  ExpectSame(results[0].metrics,
             MetricsOf({.method = routing::Method::kNearest}));
  EXPECT_TRUE(results[0].metrics.filtered_average.has_value());
  EXPECT_NE(results[0].metrics.accuracy, results[2].metrics.accuracy);
}

TEST_F(SweepTest, TriesEveryTauAtTheStacksK) {
  const std::vector<double> taus = {100, 0.01};
  const char* const names[] = {"K=2 tau=100", "K=2 tau=0.01"};

  const auto results =
      SweepTau(split_, truth_, /*seed=*/3, taus, kOptions, {}).value();

  ASSERT_EQ(results.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(results[i].method, names[i]);
    EXPECT_EQ(results[i].seed, 3);
    ExpectSame(results[i].metrics, MetricsOf({.k = 2, .tau = taus[i]}));
  }
  EXPECT_NE(results[0].metrics.accuracy, results[1].metrics.accuracy);
}

TEST_F(SweepTest, RefusesSettingsOutOfRange) {
  EXPECT_EQ(SweepK(split_, truth_, 3, std::vector<size_t>{1, 5}, kOptions, {})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SweepTau(split_, truth_, 3, std::vector<double>{0}, kOptions, {})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::trainer
