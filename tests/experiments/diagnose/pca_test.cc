#include <ATen/Parallel.h>

#include <cmath>
#include <vector>

#include "experiments/diagnose/embedding.h"
#include "gtest/gtest.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

TEST(PcaTest, FindsTheDirectionsOfLargestVariance) {
  // Along (0.6, 0.8) with deviation 10, across it with 3, and 0.5 in the third
  // coordinate; far from the origin.
  constexpr size_t kCount = 400;
  const std::vector<float> along = RandomValues(kCount, 1);
  const std::vector<float> across = RandomValues(kCount, 2);
  const std::vector<float> third = RandomValues(kCount, 3);
  std::vector<float> points;
  for (size_t i = 0; i < kCount; ++i) {
    points.push_back(100 + 0.6f * 10 * along[i] - 0.8f * 3 * across[i]);
    points.push_back(-50 + 0.8f * 10 * along[i] + 0.6f * 3 * across[i]);
    points.push_back(0.5f * third[i]);
  }

  const auto components = PrincipalComponents({points.data(), kCount, 3}, 2);

  ASSERT_TRUE(components.ok()) << components.status();
  double along_mean = 0;
  double across_mean = 0;
  for (size_t i = 0; i < kCount; ++i) {
    along_mean += along[i] / double{kCount};
    across_mean += across[i] / double{kCount};
  }
  // Up to sign, and up to what the sample's own directions differ.
  const double along_sign =
      (*components)[0] * (along[0] - along_mean) > 0 ? 1 : -1;
  const double across_sign =
      (*components)[1] * (across[0] - across_mean) > 0 ? 1 : -1;
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_NEAR(along_sign * (*components)[2 * i], 10 * (along[i] - along_mean),
                1.0);
    EXPECT_NEAR(across_sign * (*components)[2 * i + 1],
                3 * (across[i] - across_mean), 2.0);
  }
}

TEST(PcaTest, KeepsDistancesIfItKeepsAllDirections) {
  constexpr size_t kCount = 20;
  constexpr size_t kDimension = 6;
  const std::vector<float> points = RandomValues(kCount * kDimension, 4);

  const auto components =
      PrincipalComponents({points.data(), kCount, kDimension}, kDimension);

  ASSERT_TRUE(components.ok()) << components.status();
  for (size_t i = 1; i < kCount; ++i) {
    double expected = 0;
    double found = 0;
    for (size_t k = 0; k < kDimension; ++k) {
      expected += std::pow(points[i * kDimension + k] - points[k], 2);
      found +=
          std::pow((*components)[i * kDimension + k] - (*components)[k], 2);
    }
    EXPECT_NEAR(found, expected, 1e-5 * expected);
  }
}

TEST(PcaTest, GivesZerosWhereThereIsNoVariance) {
  // All on one line in space.
  const std::vector<float> points = {1, 1, 1, 2, 2, 2, 4, 4, 4};

  const auto components = PrincipalComponents({points.data(), 3, 3}, 3);

  ASSERT_TRUE(components.ok()) << components.status();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GT(std::abs((*components)[3 * i]), 0.1);
    EXPECT_NEAR((*components)[3 * i + 1], 0, 1e-6);
    EXPECT_NEAR((*components)[3 * i + 2], 0, 1e-6);
  }
}

TEST(PcaTest, IsTheSameOnAnyNumberOfThreads) {
  // Enough for LibTorch to share the work out.
  constexpr size_t kRows = 600;
  constexpr size_t kColumns = 96;
  const std::vector<float> points = RandomValues(kRows * kColumns, 5);
  const auto on_threads = [&](int count) {
    at::set_num_threads(count);
    const auto components =
        PrincipalComponents({points.data(), kRows, kColumns}, 50);
    EXPECT_EQ(at::get_num_threads(), count);
    return components.value();
  };

  const std::vector<double> shared = on_threads(4);

  EXPECT_EQ(on_threads(1), shared);
}

}  // namespace
}  // namespace ladder::experiments
