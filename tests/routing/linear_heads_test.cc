#include "routing/linear_heads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/counter_rng.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Odd sizes, so that lanes, tiles and blocks of rows all have remainders.
constexpr size_t kSources = 5, kClasses = 11, kDimension = 109, kRows = 21;

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

// Uniform in [-1, 1].
Floats RandomValues(size_t count, uint64_t seed) {
  const CounterRng rng(seed);
  Floats values;
  for (uint64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(rng.Below(20'001, i)) / 10'000 - 1);
  }
  return values;
}

class LinearHeadsTest : public ::testing::Test {
 protected:
  MatrixView z_c() const { return {z_c_.data(), kRows, kDimension}; }

  Floats ExpertLogits(size_t source) const {
    Floats logits(kRows * kClasses);
    EXPECT_TRUE(heads_.ExpertLogits(source, z_c(), logits).ok());
    return logits;
  }

  Floats MixedLogits(const Doubles& weights) const {
    Floats logits(kRows * kClasses);
    EXPECT_TRUE(Logits(heads_.Mix(weights).value(), z_c(), logits).ok());
    return logits;
  }

  const Floats weights_ =
      RandomValues(kSources * kClasses * kDimension, /*seed=*/1);
  const Floats bias_ = RandomValues(kSources * kClasses, /*seed=*/2);
  const Floats z_c_ = RandomValues(kRows * kDimension, /*seed=*/3);
  const LinearHeads heads_ =
      LinearHeads::Create(kSources, kClasses, kDimension, weights_, bias_)
          .value();
};

TEST_F(LinearHeadsTest, ExpertLogitsFollowTheirDefinition) {
  for (size_t source = 0; source < kSources; ++source) {
    const Floats logits = ExpertLogits(source);

    for (size_t row = 0; row < kRows; ++row) {
      for (size_t c = 0; c < kClasses; ++c) {
        const size_t head = source * kClasses + c;
        const double expected = std::inner_product(
            z_c().Row(row).begin(), z_c().Row(row).end(),
            weights_.data() + head * kDimension, double{bias_[head]},
            std::plus<>(), [](double z, double w) { return z * w; });
        EXPECT_FLOAT_EQ(logits[row * kClasses + c],
                        static_cast<float>(expected));
      }
    }
  }
}

TEST_F(LinearHeadsTest, OneMixedHeadGivesTheWeightedSumOfTheExpertsLogits) {
  for (uint64_t seed = 10; seed < 20; ++seed) {
    const Floats random = RandomValues(kSources, seed);
    const Doubles weights(random.begin(), random.end());
    Doubles expected(kRows * kClasses, 0);
    for (size_t source = 0; source < kSources; ++source) {
      const Floats logits = ExpertLogits(source);
      for (size_t i = 0; i < logits.size(); ++i) {
        expected[i] += weights[source] * logits[i];
      }
    }

    const Floats logits = MixedLogits(weights);

    for (size_t i = 0; i < logits.size(); ++i) {
      EXPECT_NEAR(logits[i], expected[i], 5e-6);
    }
  }
}

TEST_F(LinearHeadsTest, OneHotWeightsGiveThatExpertsLogitsBitForBit) {
  for (size_t source = 0; source < kSources; ++source) {
    Doubles weights(kSources, 0);
    weights[source] = 1;

    EXPECT_EQ(MixedLogits(weights), ExpertLogits(source));
  }
}

TEST_F(LinearHeadsTest, MixedParametersAreRoundedOnlyOnce) {
  // Rounder weights would put many exact sums half-way between two floats.
  const Doubles weights = {0.1238471, 0, 0.2103847, 0.3320943, 0.3336739};

  const MixedHead head = heads_.Mix(weights).value();

  ASSERT_EQ(head.num_classes, kClasses);
  ASSERT_EQ(head.dimension, kDimension);
  constexpr size_t kSize = kClasses * kDimension;
  ASSERT_EQ(head.weight.size(), kSize);
  for (size_t i = 0; i < kSize; ++i) {
    long double exact = 0;
    for (size_t e = 0; e < kSources; ++e) {
      exact += static_cast<long double>(weights[e]) * weights_[e * kSize + i];
    }
    EXPECT_EQ(head.weight[i], static_cast<float>(exact)) << i;
  }
  EXPECT_EQ(head.bias.size(), kClasses);
}

TEST_F(LinearHeadsTest, EqualWeightsForEverySampleGiveTheLogitsOfTheMixedHead) {
  const Floats row = {0.5, 0, 0.25, 0.125, 0.125};
  Floats sample_weights;
  for (size_t i = 0; i < kRows; ++i) {
    sample_weights.insert(sample_weights.end(), row.begin(), row.end());
  }
  Floats logits(kRows * kClasses);

  ASSERT_TRUE(heads_
                  .MixedLogitsPerSample(
                      z_c(), {sample_weights.data(), kRows, kSources}, logits)
                  .ok());

  EXPECT_THAT(logits, Pointwise(FloatNear(5e-6f),
                                MixedLogits(Doubles(row.begin(), row.end()))));
}

TEST_F(LinearHeadsTest, OneHotWeightsPerSampleGiveEachSampleItsExpert) {
  Floats sample_weights(kRows * kSources, 0);
  Floats expected(kRows * kClasses);
  for (size_t row = 0; row < kRows; ++row) {
    const size_t source = row % kSources;
    sample_weights[row * kSources + source] = 1;
    const Floats expert = ExpertLogits(source);
    std::copy_n(expert.data() + row * kClasses, kClasses,
                expected.data() + row * kClasses);
  }
  Floats logits(kRows * kClasses);

  ASSERT_TRUE(heads_
                  .MixedLogitsPerSample(
                      z_c(), {sample_weights.data(), kRows, kSources}, logits)
                  .ok());

  EXPECT_EQ(logits, expected);
}

TEST_F(LinearHeadsTest, ASamplesLogitsDoNotDependOnItsBatch) {
  const Floats together = ExpertLogits(2);

  for (size_t row = 0; row < kRows; ++row) {
    Floats alone(kClasses);
    ASSERT_TRUE(
        heads_.ExpertLogits(2, {z_c().Row(row).data(), 1, kDimension}, alone)
            .ok());
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                           together.data() + row * kClasses));
  }
}

TEST_F(LinearHeadsTest, MixRefusesAWrongCountAndValuesThatAreNotFinite) {
  EXPECT_EQ(
      heads_.Mix(Doubles{0.5, 0.5}).status(),
      absl::InvalidArgumentError("expected 5 weights (one per source), got 2"));
  EXPECT_EQ(heads_.Mix(Doubles{0, 0, 0, kNan, 1}).status(),
            absl::InvalidArgumentError(
                "weight of source 3 is nan; expected a finite value"));
}

TEST_F(LinearHeadsTest, LogitsRefuseOtherShapesAndValuesThatAreNotFinite) {
  Floats logits(kRows * kClasses);
  Floats bad = z_c_;
  bad[kDimension + 4] = kNan;

  EXPECT_EQ(heads_.ExpertLogits(5, z_c(), logits),
            absl::InvalidArgumentError("source must be below 5, got 5"));
  EXPECT_EQ(heads_.ExpertLogits(0, {z_c_.data(), kRows, 7}, logits),
            absl::InvalidArgumentError("z_c: expected 109 columns, got 7"));
  EXPECT_EQ(heads_.ExpertLogits(0, {bad.data(), kRows, kDimension}, logits),
            absl::InvalidArgumentError("z_c: value at row 1, column 4 is nan; "
                                       "expected finite values only"));
  EXPECT_EQ(
      heads_.ExpertLogits(0, {z_c_.data(), 3, kDimension}, logits),
      absl::InvalidArgumentError("logits: expected 3 x 11 values, got 231"));
}

TEST_F(LinearHeadsTest, LogitsRefuseAHeadWhoseSizesDoNotFitTogether) {
  Floats logits(kRows * kClasses);
  MixedHead head = heads_.Mix(Doubles(kSources, 0.2)).value();
  head.bias.pop_back();

  EXPECT_EQ(Logits(head, z_c(), logits),
            absl::InvalidArgumentError(
                "mixed head bias: expected 11 values, got 10"));
  EXPECT_FALSE(Logits(MixedHead{}, z_c(), logits).ok());
}

TEST_F(LinearHeadsTest, PerSampleMixingRefusesOtherShapes) {
  const Floats weights(kRows * kSources, 0.2f);
  Floats logits(kRows * kClasses);

  EXPECT_EQ(heads_.MixedLogitsPerSample(
                z_c(), {weights.data(), kRows - 1, kSources}, logits),
            absl::InvalidArgumentError("sample weights: expected 21 rows (one "
                                       "per row of z_c), got 20"));
  EXPECT_EQ(
      heads_.MixedLogitsPerSample(z_c(), {weights.data(), kRows, kSources - 1},
                                  logits),
      absl::InvalidArgumentError("sample weights: expected 5 columns, got 4"));
  logits.pop_back();
  EXPECT_EQ(
      heads_.MixedLogitsPerSample(z_c(), {weights.data(), kRows, kSources},
                                  logits),
      absl::InvalidArgumentError("logits: expected 21 x 11 values, got 230"));
}

TEST(LinearHeadsCreateTest, RefusesSizesThatDoNotFitTogether) {
  EXPECT_EQ(LinearHeads::Create(2, 3, 4, Floats(23), Floats(6)).status(),
            absl::InvalidArgumentError(
                "head weights: expected 2 x 3 x 4 values, got 23"));
  EXPECT_EQ(
      LinearHeads::Create(2, 3, 4, Floats(24), Floats(5)).status(),
      absl::InvalidArgumentError("head bias: expected 2 x 3 values, got 5"));
  EXPECT_FALSE(LinearHeads::Create(0, 3, 4, {}, {}).ok());
  EXPECT_FALSE(LinearHeads::Create(2, 0, 4, {}, {}).ok());
  EXPECT_FALSE(LinearHeads::Create(2, 3, 0, {}, Floats(6)).ok());
}

// 2^32 x 2^32 wraps around to 0 in 64 bits.
TEST(LinearHeadsCreateTest, RefusesSizesWhoseProductWrapsAround) {
  constexpr size_t kHuge = size_t{1} << 32;

  EXPECT_FALSE(LinearHeads::Create(kHuge, kHuge, 1, {}, {}).ok());
}

TEST(LinearHeadsCreateTest, NamesTheSourceAndPlaceOfAValueThatIsNotFinite) {
  Floats weights(24, 1), bias(6, 1);
  weights[2 * 4 + 12 + 1] = kNan;
  EXPECT_EQ(LinearHeads::Create(2, 3, 4, weights, bias).status(),
            absl::InvalidArgumentError(
                "head weights of source 1: value at row 2, column 1 is nan; "
                "expected finite values only"));

  bias[4] = kNan;
  EXPECT_EQ(LinearHeads::Create(2, 3, 4, Floats(24), bias).status(),
            absl::InvalidArgumentError("head bias: value at row 1, column 1 is "
                                       "nan; expected finite values only"));
}

TEST(SoftmaxRowsTest, AreFiniteForExtremeLogits) {
  constexpr float kMax = std::numeric_limits<float>::max();
  const Floats logits = {kMax, -kMax, -1000, -1000, 80, 0};
  Floats probabilities(6);

  ASSERT_TRUE(SoftmaxRows({logits.data(), 3, 2}, probabilities).ok());

  EXPECT_THAT(probabilities, ElementsAre(1, 0, 0.5f, 0.5f, 1,
                                         static_cast<float>(std::exp(-80.0))));
}

TEST(SoftmaxRowsTest, SumToOneOnRandomLogits) {
  const Floats logits = RandomValues(kRows * kClasses, /*seed=*/4);
  Floats probabilities(logits.size());

  ASSERT_TRUE(
      SoftmaxRows({logits.data(), kRows, kClasses}, probabilities).ok());

  for (size_t row = 0; row < kRows; ++row) {
    const float* const begin = probabilities.data() + row * kClasses;
    EXPECT_NEAR(std::accumulate(begin, begin + kClasses, 0.0), 1, 1e-6);
  }
}

TEST(SoftmaxRowsTest, RefuseOtherSizesAndLogitsThatAreNotFinite) {
  const Floats logits = {0, kNan};
  Floats probabilities(3);

  EXPECT_EQ(SoftmaxRows({logits.data(), 1, 2}, probabilities),
            absl::InvalidArgumentError("logits: value at row 0, column 1 is "
                                       "nan; expected finite values only"));
  EXPECT_EQ(SoftmaxRows({logits.data(), 1, 1}, probabilities),
            absl::InvalidArgumentError(
                "probabilities: expected 1 x 1 values, got 3"));
}

}  // namespace
}  // namespace ladder::routing
