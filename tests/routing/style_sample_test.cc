#include "routing/style_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/counter_rng.h"
#include "tests/routing/chi_square.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

StyleNormalizer Normalizer(std::vector<float> mean, std::vector<float> std) {
  return StyleNormalizer::Create(std::move(mean), std::move(std)).value();
}

std::vector<float> Normalised(const StyleNormalizer& normalizer,
                              std::vector<float> values) {
  const size_t cols = normalizer.dimension();
  std::vector<float> out(values.size());
  EXPECT_TRUE(
      normalizer.Apply({values.data(), values.size() / cols, cols}, out).ok());
  return out;
}

TEST(StyleNormalizerTest, SubtractsTheMeanAndDividesByStdPlusTheFloor) {
  const StyleNormalizer normalizer = Normalizer({1, -10}, {2, 0.5});

  const std::vector<float> out = Normalised(normalizer, {3, -10, 0, -9});

  EXPECT_THAT(out, ElementsAre(static_cast<float>(2 / (2 + 1e-6)), 0,
                               static_cast<float>(-1 / (2 + 1e-6)),
                               static_cast<float>(1 / (0.5 + 1e-6))));
}

TEST(StyleNormalizerTest, DividesConstantColumnsByTheFloor) {
  const StyleNormalizer normalizer = Normalizer({2}, {0});

  EXPECT_THAT(Normalised(normalizer, {2, 3}), ElementsAre(0, 1e6f));
}

// In float, std + 1e-6 and the difference would each round before the quotient.
TEST(StyleNormalizerTest, RoundsOnlyTheResult) {
  const float mean = 0.1f, std = 3.7e-6f;
  const StyleNormalizer normalizer = Normalizer({mean}, {std});
  const CounterRng rng(5);
  int float_arithmetic_differs = 0;

  for (uint64_t i = 0; i < 100; ++i) {
    const float z = static_cast<float>(rng.Below(1000, i)) / 7;
    const float exact =
        static_cast<float>((double{z} - mean) / (double{std} + 1e-6));
    EXPECT_EQ(Normalised(normalizer, {z})[0], exact);
    float_arithmetic_differs += (z - mean) / (std + 1e-6f) != exact;
  }

  EXPECT_GT(float_arithmetic_differs, 10);
}

TEST(StyleNormalizerTest, MayWriteOverItsInput) {
  const StyleNormalizer normalizer = Normalizer({1, 2}, {1, 4});
  std::vector<float> values = {5, 6, 7, 8};
  const std::vector<float> expected = Normalised(normalizer, values);

  ASSERT_TRUE(normalizer.Apply({values.data(), 2, 2}, values).ok());

  EXPECT_EQ(values, expected);
}

TEST(StyleNormalizerTest, GivesInfinityBeyondTheRangeOfAFloat) {
  const StyleNormalizer normalizer = Normalizer({0}, {0});

  EXPECT_THAT(Normalised(normalizer, {1e38f}), ElementsAre(kInfinity));
}

TEST(StyleNormalizerTest, RefusesMatricesOfOtherShapes) {
  const StyleNormalizer normalizer = Normalizer({1, 2}, {1, 4});
  const std::vector<float> values(6);
  std::vector<float> out(4);

  EXPECT_EQ(normalizer.Apply({values.data(), 2, 3}, out),
            absl::InvalidArgumentError("raw style: expected 2 columns, got 3"));
  EXPECT_EQ(normalizer.Apply({values.data(), 3, 2}, out),
            absl::InvalidArgumentError(
                "normalised style: expected room for 6 values, got 4"));
}

TEST(StyleNormalizerTest, RefusesStatisticsOfUnequalOrNoSize) {
  EXPECT_EQ(StyleNormalizer::Create({1, 2}, {1}).status(),
            absl::InvalidArgumentError("style mean and std must have the same "
                                       "positive size, got 2 and 1"));
  EXPECT_EQ(StyleNormalizer::Create({}, {}).status(),
            absl::InvalidArgumentError("style mean and std must have the same "
                                       "positive size, got 0 and 0"));
}

TEST(StyleNormalizerTest, NamesTheColumnOfABadStatistic) {
  EXPECT_EQ(StyleNormalizer::Create({0, kInfinity}, {1, 1}).status(),
            absl::InvalidArgumentError(
                "style mean of column 1 is inf; expected a finite value"));
  EXPECT_EQ(StyleNormalizer::Create({0, 0, 0}, {1, 1, kNan}).status(),
            absl::InvalidArgumentError("style std of column 2 is nan; expected "
                                       "a finite value of at least 0"));
  EXPECT_EQ(
      StyleNormalizer::Create({0}, {-0.5}).status(),
      absl::InvalidArgumentError("style std of column 0 is -0.5; "
                                 "expected a finite value of at least 0"));
}

TEST(StyleNormalizerFitTest, TakesPopulationStatisticsOverTheRowsOfAllClouds) {
  const std::vector<float> first = {0, 10, 2, 10, 4, 10}, second = {6, 50};
  const std::vector<MatrixView> clouds = {{first.data(), 3, 2},
                                          {second.data(), 1, 2}};

  const StyleNormalizer normalizer = StyleNormalizer::Fit(clouds).value();

  EXPECT_THAT(normalizer.mean(), ElementsAre(3, 20));
  EXPECT_THAT(normalizer.std(),
              ElementsAre(static_cast<float>(std::sqrt(5.0)),
                          static_cast<float>(std::sqrt(300.0))));
}

TEST(StyleNormalizerFitTest, DoesNotCancelWhenTheMeanIsFarFromZero) {
  std::vector<float> values(50'000, 4e6f);
  for (size_t i = 0; i < values.size(); i += 2) values[i] += 0.5f;
  const std::vector<MatrixView> clouds = {{values.data(), values.size(), 1}};

  const StyleNormalizer normalizer = StyleNormalizer::Fit(clouds).value();

  EXPECT_THAT(normalizer.mean(), ElementsAre(4e6f + 0.25f));
  EXPECT_THAT(normalizer.std(), ElementsAre(0.25f));
}

TEST(StyleNormalizerFitTest, GivesConstantColumnsAStdOfExactlyZero) {
  const std::vector<float> values(1001, 0.1f);
  const std::vector<MatrixView> clouds = {{values.data(), values.size(), 1}};

  const StyleNormalizer normalizer = StyleNormalizer::Fit(clouds).value();

  EXPECT_THAT(normalizer.mean(), ElementsAre(0.1f));
  EXPECT_THAT(normalizer.std(), ElementsAre(0));
}

TEST(StyleNormalizerFitTest, RefusesNoCloudsEmptyCloudsAndUnequalWidths) {
  const std::vector<float> values = {1, 2, kNan, 4};
  using Clouds = std::vector<MatrixView>;

  EXPECT_EQ(StyleNormalizer::Fit({}).status(),
            absl::InvalidArgumentError(
                "style statistics need at least one cloud, got none"));
  EXPECT_EQ(
      StyleNormalizer::Fit(Clouds{{values.data(), 1, 2}, {values.data(), 0, 2}})
          .status(),
      absl::InvalidArgumentError(
          "style cloud 1: expected at least one row, got none"));
  EXPECT_EQ(
      StyleNormalizer::Fit(Clouds{{values.data(), 1, 2}, {values.data(), 2, 1}})
          .status(),
      absl::InvalidArgumentError("style cloud 1: expected 2 columns, got 1"));
  EXPECT_EQ(
      StyleNormalizer::Fit(Clouds{{values.data(), 2, 2}}).status(),
      absl::InvalidArgumentError("style cloud 0: value at row 1, column "
                                 "0 is nan; expected finite values only"));
}

// A stream whose row i is {i, -i}, so that a sample shows what it was drawn of.
std::vector<float> Stream(size_t num_rows) {
  std::vector<float> values;
  for (size_t i = 0; i < num_rows; ++i) {
    values.push_back(static_cast<float>(i));
    values.push_back(-static_cast<float>(i));
  }
  return values;
}

std::vector<float> Held(const StyleSample& sample) {
  const auto values = sample.rows().Values();
  return {values.begin(), values.end()};
}

// The stream indices of the rows held; fails if a row was torn.
std::vector<size_t> HeldIndices(const StyleSample& sample) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < sample.rows().rows; ++i) {
    const auto row = sample.rows().Row(i);
    EXPECT_EQ(row[0], -row[1]);
    indices.push_back(static_cast<size_t>(row[0]));
  }
  return indices;
}

StyleSample SampleOf(size_t num_rows, size_t capacity, uint64_t seed) {
  const std::vector<float> values = Stream(num_rows);
  StyleSample sample(/*dimension=*/2, capacity, seed);
  EXPECT_TRUE(sample.Add({values.data(), num_rows, 2}).ok());
  return sample;
}

TEST(StyleSampleTest, HoldsAllRowsInOrderWhileTheyFit) {
  EXPECT_THAT(HeldIndices(SampleOf(3, /*capacity=*/5, /*seed=*/1)),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(HeldIndices(SampleOf(5, /*capacity=*/5, /*seed=*/1)),
              ElementsAre(0, 1, 2, 3, 4));
}

TEST(StyleSampleTest, HoldsNothingBeforeTheFirstRow) {
  const StyleSample sample(/*dimension=*/2, /*capacity=*/5, /*seed=*/1);

  EXPECT_EQ(sample.rows().rows, 0u);
  EXPECT_EQ(sample.rows().cols, 2u);
  EXPECT_EQ(sample.num_seen(), 0u);
}

TEST(StyleSampleTest, TellsWhatItWasMadeWithAndSaw) {
  const StyleSample sample = SampleOf(9, /*capacity=*/4, /*seed=*/77);

  EXPECT_EQ(sample.dimension(), 2u);
  EXPECT_EQ(sample.capacity(), 4u);
  EXPECT_EQ(sample.seed(), 77u);
  EXPECT_EQ(sample.num_seen(), 9u);
  EXPECT_EQ(sample.rows().rows, 4u);
}

// An independent implementation in Python gave these; answers must not change.
TEST(StyleSampleTest, KeepsItsPinnedSamples) {
  EXPECT_THAT(HeldIndices(SampleOf(20, /*capacity=*/5, /*seed=*/0)),
              ElementsAre(5, 19, 7, 8, 10));
  EXPECT_THAT(HeldIndices(SampleOf(20, /*capacity=*/5, /*seed=*/1)),
              ElementsAre(0, 19, 9, 3, 6));
  EXPECT_THAT(HeldIndices(SampleOf(100'000, /*capacity=*/4, /*seed=*/42)),
              ElementsAre(28336, 5147, 53589, 2179));
}

TEST(StyleSampleTest, DoesNotDependOnHowTheStreamWasCut) {
  constexpr size_t kRows = 300;
  const std::vector<float> values = Stream(kRows);
  const StyleSample whole = SampleOf(kRows, /*capacity=*/16, /*seed=*/8);

  for (uint64_t split = 0; split < 200; ++split) {
    const CounterRng rng(split);
    StyleSample sample(/*dimension=*/2, /*capacity=*/16, /*seed=*/8);
    for (size_t begin = 0, draw = 0; begin < kRows; ++draw) {
      const size_t size =
          std::min<size_t>(rng.Below(/*bound=*/40, draw), kRows - begin);
      ASSERT_TRUE(sample.Add({values.data() + begin * 2, size, 2}).ok());
      begin += size;
    }

    EXPECT_EQ(Held(sample), Held(whole)) << "split " << split;
    EXPECT_EQ(sample.num_seen(), kRows);
  }
}

TEST(StyleSampleTest, MakesEverySubsetOfTheStreamEquallyLikely) {
  std::map<std::vector<size_t>, int> counts_by_subset;

  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    std::vector<size_t> held = HeldIndices(SampleOf(6, /*capacity=*/3, seed));
    std::sort(held.begin(), held.end());
    ++counts_by_subset[held];
  }

  std::vector<int> counts;
  counts.reserve(counts_by_subset.size());
  for (const auto& [subset, count] : counts_by_subset) counts.push_back(count);
  EXPECT_EQ(counts.size(), 20u);  // 6 choose 3.
  EXPECT_TRUE(LooksUniform(counts));
}

// Takes one row of each sample: rows of one sample exclude each other, which
// would make the counts too even.
TEST(StyleSampleTest, FavoursNoPositionOfALongStream) {
  std::vector<int> counts(200, 0);

  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    const std::vector<size_t> held =
        HeldIndices(SampleOf(200, /*capacity=*/8, seed));
    ++counts[held[CounterRng(~seed).Below(8, 0)]];
  }

  EXPECT_TRUE(LooksUniform(counts));
}

TEST(StyleSampleTest, DiffersBetweenSeeds) {
  const StyleSample sample = SampleOf(1000, /*capacity=*/10, /*seed=*/1);

  EXPECT_NE(Held(sample), Held(SampleOf(1000, /*capacity=*/10, /*seed=*/2)));
}

TEST(StyleSampleTest, TakesChunksWithoutRowsAsNothing) {
  StyleSample sample = SampleOf(9, /*capacity=*/4, /*seed=*/3);
  const std::vector<float> before = Held(sample);

  EXPECT_TRUE(sample.Add({}).ok());
  EXPECT_TRUE(sample.Add({nullptr, 0, 2}).ok());

  EXPECT_EQ(Held(sample), before);
  EXPECT_EQ(sample.num_seen(), 9u);
}

TEST(StyleSampleTest, IsUnchangedByAChunkOfAnotherWidth) {
  StyleSample sample = SampleOf(9, /*capacity=*/4, /*seed=*/3);
  const std::vector<float> before = Held(sample);
  const std::vector<float> chunk(6);

  EXPECT_EQ(
      sample.Add({chunk.data(), 2, 3}),
      absl::InvalidArgumentError("style chunk: expected 2 columns, got 3"));

  EXPECT_EQ(Held(sample), before);
  EXPECT_EQ(sample.num_seen(), 9u);
}

// The bad value comes last: the rows before it must leave no trace either, and
// the stream goes on as if the chunk had never come.
TEST(StyleSampleTest, IsUnchangedByAChunkThatIsNotFinite) {
  const std::vector<float> values = Stream(100);
  std::vector<float> bad_chunk = Stream(50);
  bad_chunk.back() = kNan;
  StyleSample sample(/*dimension=*/2, /*capacity=*/10, /*seed=*/4);
  ASSERT_TRUE(sample.Add({values.data(), 30, 2}).ok());
  const std::vector<float> before = Held(sample);

  EXPECT_EQ(sample.Add({bad_chunk.data(), 50, 2}),
            absl::InvalidArgumentError("style chunk: value at row 49, column 1 "
                                       "is nan; expected finite values only"));

  EXPECT_EQ(Held(sample), before);
  EXPECT_EQ(sample.num_seen(), 30u);
  ASSERT_TRUE(sample.Add({values.data() + 60, 70, 2}).ok());
  EXPECT_EQ(Held(sample), Held(SampleOf(100, /*capacity=*/10, /*seed=*/4)));
}

TEST(StyleSampleTest, DoesNotReserveItsCapacityUpFront) {
  StyleSample sample(/*dimension=*/2, /*capacity=*/SIZE_MAX, /*seed=*/4);
  const std::vector<float> values = Stream(10);

  ASSERT_TRUE(sample.Add({values.data(), 10, 2}).ok());

  EXPECT_EQ(Held(sample), values);
}

}  // namespace
}  // namespace ladder::routing
