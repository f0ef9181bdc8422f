#include <cmath>
#include <numeric>
#include <vector>

#include "experiments/diagnose/tsne.h"
#include "gtest/gtest.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

constexpr size_t kCount = 60;

std::vector<double> RandomPoints(double scale) {
  std::vector<double> points;
  for (const float value : RandomValues(kCount * 2, 1)) {
    points.push_back(scale * value);
  }
  return points;
}

TEST(AffinitiesTest, AreASymmetricDistribution) {
  const auto p = TsneAffinities(RandomPoints(1), 2, /*perplexity=*/10, {});

  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_NEAR(std::accumulate(p->begin(), p->end(), 0.0), 1, 1e-5);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ((*p)[i * kCount + i], 0);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_EQ((*p)[i * kCount + j], (*p)[j * kCount + i]);
    }
  }
}

TEST(AffinitiesTest, HaveThePerplexityAskedFor) {
  // On the corners of a square all have the same view: two neighbours near, one
  // far. Perplexity 2.2 fixes the far one's share s by -s log s - (1 - s) log
  // ((1 - s) / 2) = log 2.2.
  const std::vector<double> square = {0, 0, 0, 7, 7, 7, 7, 0};

  const auto p = TsneAffinities(square, 2, /*perplexity=*/2.2, {});

  ASSERT_TRUE(p.ok()) << p.status();
  const double far = 4 * (*p)[0 * 4 + 2];
  const double near = 4 * (*p)[0 * 4 + 1];
  EXPECT_NEAR(far + 2 * near, 1, 1e-5);
  EXPECT_NEAR(-far * std::log(far) - 2 * near * std::log(near), std::log(2.2),
              1e-5);
  EXPECT_LT(far, near);
}

TEST(AffinitiesTest, DoNotDependOnTheUnit) {
  const auto small = TsneAffinities(RandomPoints(1e-6), 2, 10, {});
  const auto large = TsneAffinities(RandomPoints(1e6), 2, 10, {});

  ASSERT_TRUE(small.ok() && large.ok());
  for (size_t i = 0; i < small->size(); ++i) {
    ASSERT_NEAR((*small)[i], (*large)[i], 1e-6);
  }
}

TEST(AffinitiesTest, AreEqualForEqualPoints) {
  const auto p =
      TsneAffinities(std::vector<double>(10, 3.0), 2, /*perplexity=*/2, {});

  ASSERT_TRUE(p.ok()) << p.status();
  for (size_t j = 1; j < 5; ++j) EXPECT_NEAR((*p)[j], 1.0 / 20, 1e-6);
}

}  // namespace
}  // namespace ladder::experiments
