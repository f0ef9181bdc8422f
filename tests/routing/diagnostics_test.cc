#include "routing/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/quantile_distance.h"
#include "routing/weights.h"
#include "tests/fakes/fake_style_distance.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAre;

std::vector<size_t> FirstSources(size_t count) {
  std::vector<size_t> sources(count);
  std::iota(sources.begin(), sources.end(), size_t{0});
  return sources;
}

// The spread of the weights of `style`, routed with `k` and tau = 0.5 over all
// sources of `distance`.
std::optional<WeightStability> Stability(const StyleDistance& distance,
                                         const MatrixView& style, size_t k,
                                         const StabilityOptions& options = {}) {
  const auto sources = FirstSources(distance.num_sources());
  std::vector<double> distances(sources.size());
  EXPECT_TRUE(distance.Compute(style, sources, distances, {}).ok());
  return AssessStability(distance,
                         {.style = style,
                          .sources = sources,
                          .distances = distances,
                          .k = k,
                          .tau = 0.5},
                         options, {})
      .value();
}

// Six sources around the origin of a line, so that a group's mean decides.
class LineTest : public testing::Test {
 protected:
  static QuantileDistance MakeDistance() {
    std::vector<Cloud> sources;
    for (uint64_t e = 0; e < 6; ++e) {
      const double centre[] = {0.5 * static_cast<double>(e) - 1.25};
      sources.push_back(NormalCloud(1000, centre, 1, /*seed=*/e));
    }
    return QuantileDistance::Create(Views(sources)).value();
  }

  // The mean spread over groups of `rows` rows, which one group alone would
  // give only roughly.
  double MeanSpread(size_t rows) const {
    constexpr size_t kGroups = 20;
    const double centre[] = {0};
    double sum = 0;
    for (uint64_t seed = 0; seed < kGroups; ++seed) {
      const Cloud group = NormalCloud(rows, centre, 1, /*seed=*/100 + seed);
      sum += Stability(distance_, group.View(), /*k=*/3)->mean_total_variation;
    }
    return sum / kGroups;
  }

  const QuantileDistance distance_ = MakeDistance();
};

TEST_F(LineTest, WeightsOfIdenticalRowsDoNotSpread) {
  const Cloud group = Column(std::vector<float>(40, 0.2f));

  const auto stability = Stability(distance_, group.View(), /*k=*/3);

  // Not quite zero: fewer rows mean a coarser grid of quantiles.
  EXPECT_LT(stability->max_total_variation, 0.02);
  EXPECT_EQ(stability->half_rows, 20u);
}

TEST_F(LineTest, SpreadShrinksWithTheGroup) {
  const double tiny = MeanSpread(8);
  const double medium = MeanSpread(64);
  const double large = MeanSpread(512);

  EXPECT_GT(tiny, 0.2);
  EXPECT_LT(medium, 0.75 * tiny);
  EXPECT_LT(large, 0.75 * medium);
}

TEST_F(LineTest, AMixedGroupSpreadsMoreThanAPureOne) {
  const double near[] = {0.0};
  const Cloud pure = NormalCloud(60, near, 0.5, /*seed=*/1);
  Cloud mixed = pure;
  for (size_t i = 0; i < mixed.rows; ++i) {
    mixed.values[i] += i % 2 == 0 ? 5.0f : -5.0f;
  }
  const StabilityOptions options{.num_pairs = 10};

  EXPECT_GT(
      Stability(distance_, mixed.View(), 3, options)->mean_total_variation,
      3 * Stability(distance_, pure.View(), 3, options)->mean_total_variation);
}

TEST_F(LineTest, HalvesErrAboutAsMuchAsTheWholeDoes) {
  // What the header promises to first order: the spread estimates the distance
  // between the group's weights and those of its domain.
  const double centre[] = {0};
  const auto sources = FirstSources(distance_.num_sources());
  const auto weights_of = [&](const MatrixView& style) {
    std::vector<double> distances(sources.size());
    EXPECT_TRUE(distance_.Compute(style, sources, distances, {}).ok());
    return SoftmaxWeights(distances, kAllSources, 0.5).value();
  };
  const auto truth = weights_of(NormalCloud(50000, centre, 1, 9).View());
  double error = 0;
  double spread = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Cloud group = NormalCloud(100, centre, 1, /*seed=*/1000 + seed);
    const auto weights = weights_of(group.View());
    for (size_t e = 0; e < truth.size(); ++e) {
      error += std::abs(weights[e] - truth[e]) / 2;
    }
    spread +=
        Stability(distance_, group.View(), kAllSources)->mean_total_variation;
  }

  EXPECT_GT(spread, 0.7 * error);
  EXPECT_LT(spread, 1.4 * error);
}

TEST_F(LineTest, TheSeedDecidesTheHalves) {
  const double centre[] = {0};
  const Cloud group = NormalCloud(50, centre, 1, /*seed=*/1);
  const auto spread = [&](uint64_t seed) {
    const auto stability =
        Stability(distance_, group.View(), 3, {.num_pairs = 2, .seed = seed});
    return std::pair(stability->mean_total_variation,
                     stability->max_total_variation);
  };

  EXPECT_EQ(spread(1), spread(1));
  EXPECT_NE(spread(1), spread(2));
  EXPECT_LT(spread(1).first, spread(1).second);
}

TEST(StabilityTest, MeasuresOnlyTheNearestSourcesAndBoundedHalves) {
  const FakeStyleDistance distance({9, 4, 8, 2, 7, 3, 6, 1, 5});
  const Cloud group = Column(std::vector<float>(1000, 0));
  const auto sources = FirstSources(9);

  const auto stability = AssessStability(
      distance,
      {.style = group.View(),
       .sources = sources,
       .distances = std::vector<double>{9, 4, 8, 2, 7, 3, 6, 1, 5},
       .k = 2,
       .tau = 1},
      {.num_pairs = 3, .max_half_rows = 200}, {});

  ASSERT_TRUE(stability.ok());
  EXPECT_EQ((*stability)->half_rows, 200u);
  EXPECT_EQ((*stability)->max_total_variation, 0);
  ASSERT_EQ(distance.calls().size(), 6u);
  for (const FakeStyleDistance::Call& call : distance.calls()) {
    EXPECT_EQ(call.rows, 200u);
    EXPECT_THAT(call.sources, ElementsAre(1, 3, 5, 7));
  }
}

TEST(StabilityTest, HalvesThatAreLentAreMeasuredOnce) {
  const FakeStyleDistance distance({9, 4, 8, 2, 7, 3, 6, 1, 5});
  const std::vector<float> rows(100, 1);
  const MatrixView style = {rows.data(), rows.size(), 1};
  const std::vector<size_t> sources = FirstSources(9);
  const std::vector<double> distances = {9, 4, 8, 2, 7, 3, 6, 1, 5};
  HalfSamples halves(style, {});
  const auto assess = [&](size_t k) {
    return AssessStability(distance,
                           {.style = style,
                            .sources = sources,
                            .distances = distances,
                            .k = k,
                            .tau = 0.5},
                           halves, {})
        .value();
  };

  const auto first = assess(2);
  const size_t num_calls = distance.calls().size();
  EXPECT_EQ(assess(2)->mean_total_variation, first->mean_total_variation);
  EXPECT_EQ(assess(1)->half_rows, 50);
  EXPECT_EQ(distance.calls().size(), num_calls);

  // Only what the wider question needs beside.
  assess(3);
  ASSERT_EQ(distance.calls().size(), num_calls + 2);
  EXPECT_THAT(distance.calls().back().sources, ElementsAre(6, 8));
}

TEST(StabilityTest, KeepsToTheSourcesThatMayGetWeight) {
  const FakeStyleDistance distance({1, 2, 3, 4, 5});
  const Cloud group = Column({0, 0, 0, 0});
  const std::vector<size_t> sources = {1, 4};

  const auto stability =
      AssessStability(distance,
                      {.style = group.View(),
                       .sources = sources,
                       .distances = std::vector<double>{2, 5},
                       .k = kAllSources,
                       .tau = 1},
                      {}, {});

  EXPECT_EQ((*stability)->max_total_variation, 0);
  EXPECT_THAT(distance.calls().at(0).sources, ElementsAre(1, 4));
}

// Remembers the values it is shown; only good for columns.
class RecordingDistance final : public StyleDistance {
 public:
  size_t num_sources() const override { return 1; }
  size_t dimension() const override { return 1; }

  mutable std::vector<float> seen;

 private:
  absl::Status DoCompute(const MatrixView& target, std::span<const size_t>,
                         std::span<double> distances,
                         const Execution&) const override {
    const auto values = target.Values();
    seen.insert(seen.end(), values.begin(), values.end());
    distances[0] = 0;
    return absl::OkStatus();
  }
};

TEST(StabilityTest, AnEvenGroupFallsIntoTwoDisjointHalves) {
  const RecordingDistance distance;
  std::vector<float> values(10);
  std::iota(values.begin(), values.end(), 0.0f);
  const Cloud group = Column(values);

  ASSERT_TRUE(AssessStability(distance,
                              {.style = group.View(),
                               .sources = std::vector<size_t>{0},
                               .distances = std::vector<double>{0}},
                              {}, {})
                  .ok());

  EXPECT_NE(distance.seen, values);
  std::sort(distance.seen.begin(), distance.seen.end());
  EXPECT_EQ(distance.seen, values);
}

TEST(StabilityTest, HasNothingToSayAboutFewerThanFourRows) {
  const FakeStyleDistance distance({1, 2});

  EXPECT_FALSE(Stability(distance, Column({0, 0, 0}).View(), 1).has_value());
  EXPECT_TRUE(Stability(distance, Column({0, 0, 0, 0}).View(), 1).has_value());
}

TEST(StabilityTest, RefusesWhatDoesNotFit) {
  const FakeStyleDistance distance({1, 2});
  const Cloud group = Column({0, 0, 0, 0});
  const auto sources = FirstSources(2);
  const std::vector<double> distances = {1, 2};
  const RoutedSample good{.style = group.View(),
                          .sources = sources,
                          .distances = distances,
                          .k = 2,
                          .tau = 1};
  const auto code = [&](const RoutedSample& sample, StabilityOptions options) {
    return AssessStability(distance, sample, options, {}).status().code();
  };
  RoutedSample missing_distance = good;
  missing_distance.distances = std::span(distances).first(1);
  RoutedSample zero_tau = good;
  zero_tau.tau = 0;

  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code(good, {}), absl::StatusCode::kOk);
  EXPECT_EQ(code(good, {.num_pairs = 0}), kInvalid);
  EXPECT_EQ(code(good, {.max_half_rows = 0}), kInvalid);
  EXPECT_EQ(code(missing_distance, {}), kInvalid);
  EXPECT_EQ(code(zero_tau, {}), kInvalid);
}

TEST(StabilityTest, StopsWhenAskedTo) {
  const FakeStyleDistance distance({1});
  const Cloud group = Column({0, 0, 0, 0});
  std::stop_source stop;
  stop.request_stop();

  const auto stability =
      AssessStability(distance,
                      {.style = group.View(),
                       .sources = std::vector<size_t>{0},
                       .distances = std::vector<double>{1}},
                      {}, {.pool = nullptr, .stop = stop.get_token()});

  EXPECT_EQ(stability.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::routing
