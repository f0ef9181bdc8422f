#include "routing/counter_rng.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/routing/chi_square.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The pinned values come from an independent implementation in Python. Stored
// bundles and recorded answers rest on them: if one of these tests fails, the
// code is wrong, not the test.
TEST(CounterRngTest, KeepsItsPinnedBits) {
  EXPECT_EQ(CounterRng(0).Bits(0), 0xa706dd2f4d197e6f);
  EXPECT_EQ(CounterRng(0).Bits(1), 0xb382a305f4414f5e);
  EXPECT_EQ(CounterRng(0).Bits(UINT64_MAX), 0x48218226ff3cd4bf);
  EXPECT_EQ(CounterRng(1).Bits(0), 0x5e41ab087439611e);
  EXPECT_EQ(CounterRng(UINT64_MAX).Bits(1), 0xbda5668a01d7049c);
}

TEST(CounterRngTest, KeepsItsPinnedBoundedDraws) {
  const CounterRng rng(7);

  std::vector<uint64_t> draws;
  for (uint64_t i = 0; i < 16; ++i) draws.push_back(rng.Below(10, i));

  EXPECT_THAT(draws,
              ElementsAre(7, 6, 5, 6, 3, 1, 9, 9, 8, 1, 9, 4, 0, 1, 8, 8));
  EXPECT_EQ(rng.Below(UINT64_MAX, 0), 13309476754707697220u);
}

TEST(CounterRngTest, DrawsBelowOneAreZero) {
  const CounterRng rng(3);

  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(rng.Below(1, i), 0u);
}

TEST(CounterRngTest, BoundedDrawsAreUniform) {
  const CounterRng rng(11);
  std::array<int, 37> counts = {};

  for (uint64_t i = 0; i < 100'000; ++i) ++counts[rng.Below(37, i)];

  EXPECT_TRUE(LooksUniform(counts));
}

TEST(CounterRngTest, DrawsOfNeighbouringCountersAreIndependent) {
  const CounterRng rng(12);
  std::array<int, 64> pairs = {};

  for (uint64_t i = 0; i < 100'000; ++i) {
    ++pairs[rng.Below(8, i) * 8 + rng.Below(8, i + 1)];
  }

  EXPECT_TRUE(LooksUniform(pairs));
}

TEST(CounterRngTest, DrawsOfNeighbouringSeedsAreIndependent) {
  std::array<int, 64> pairs = {};

  for (uint64_t seed = 0; seed < 100'000; ++seed) {
    ++pairs[CounterRng(seed).Below(8, 5) * 8 +
            CounterRng(seed + 1).Below(8, 5)];
  }

  EXPECT_TRUE(LooksUniform(pairs));
}

// With the seed added unhashed, seed + kGamma would be the same sequence
// shifted by one.
TEST(CounterRngTest, NoSeedIsAShiftedCopyOfAnother) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;

  EXPECT_NE(CounterRng(5).Bits(1), CounterRng(5 + kGamma).Bits(0));
}

TEST(SampleIndicesTest, KeepsItsPinnedSamples) {
  EXPECT_THAT(SampleIndices(10, 4, /*seed=*/0), ElementsAre(2, 5, 7, 8));
  EXPECT_THAT(SampleIndices(10, 4, /*seed=*/1), ElementsAre(0, 2, 4, 7));
  EXPECT_THAT(SampleIndices(1000, 5, /*seed=*/42),
              ElementsAre(204, 264, 267, 595, 670));
}

TEST(SampleIndicesTest, AreExactlyKAscendingAndInRange) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<size_t> indices = SampleIndices(50, 20, seed);

    ASSERT_EQ(indices.size(), 20u);
    EXPECT_LT(indices.back(), 50u);
    for (size_t i = 1; i < indices.size(); ++i) {
      EXPECT_LT(indices[i - 1], indices[i]);
    }
  }
}

TEST(SampleIndicesTest, AreAllIndicesIfEnoughAreAskedFor) {
  EXPECT_THAT(SampleIndices(3, 3, /*seed=*/9), ElementsAre(0, 1, 2));
  EXPECT_THAT(SampleIndices(3, SIZE_MAX, /*seed=*/9), ElementsAre(0, 1, 2));
}

TEST(SampleIndicesTest, AreNoneIfNoneAreAskedForOrThereAreNone) {
  EXPECT_THAT(SampleIndices(5, 0, /*seed=*/9), IsEmpty());
  EXPECT_THAT(SampleIndices(0, 5, /*seed=*/9), IsEmpty());
}

TEST(SampleIndicesTest, MakeEverySubsetEquallyLikely) {
  std::map<std::vector<size_t>, int> counts_by_subset;

  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    ++counts_by_subset[SampleIndices(6, 3, seed)];
  }

  std::vector<int> counts;
  counts.reserve(counts_by_subset.size());
  for (const auto& [subset, count] : counts_by_subset) counts.push_back(count);
  EXPECT_EQ(counts.size(), 20u);  // 6 choose 3.
  EXPECT_TRUE(LooksUniform(counts));
}

}  // namespace
}  // namespace ladder::routing
