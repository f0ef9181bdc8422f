#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "routing/aligned_buffer.h"
#include "routing/packed_cloud.h"
#include "routing/simd/costs.h"
#include "routing/simd/kernel_sums.h"
#include "routing/simd/potentials.h"
#include "routing/simd/processor.h"
#include "tests/routing/cloud.h"
#include "tests/simd_targets.h"

namespace ladder::routing::simd {
namespace {

class SimdKernelsTest : public EveryTargetTest {};

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Cloud Normal(size_t rows, size_t cols, double mean, uint64_t seed) {
  return NormalCloud(rows, std::vector<double>(cols, mean), 1, seed);
}

PackedCloud Pack(const Cloud& cloud) {
  PackedCloud packed;
  packed.Assign(cloud.View());
  return packed;
}

double Cost(const Cloud& x, size_t i, const Cloud& y, size_t j) {
  double squared = 0;
  for (size_t k = 0; k < x.cols; ++k) {
    const double gap =
        static_cast<double>(x.View().Row(i)[k]) - y.View().Row(j)[k];
    squared += gap * gap;
  }
  return std::sqrt(std::max(squared, 1e-8));
}

// A cost matrix with its storage.
struct Costs {
  Costs(size_t rows, size_t cols, bool upper_only)
      : view{.data =
                 storage.Reserve(RoundUp(rows, kRowBlock) * CostStride(cols)),
             .stride = CostStride(cols),
             .rows = rows,
             .cols = cols,
             .upper_only = upper_only} {}

  double At(size_t i, size_t j) const { return view.data[i * view.stride + j]; }

  AlignedBuffer<float> storage;
  CostMatrix view;
};

// An array padded for any kernel, filled with `value`.
struct Array {
  Array(size_t count, float value) : size(RoundUp(count, 64) + 64) {
    std::fill_n(buffer.Reserve(size), size, value);
  }
  float* data() { return buffer.data(); }
  float& operator[](size_t i) { return buffer.data()[i]; }

  size_t size;
  AlignedBuffer<float> buffer;
};

// The cross costs of two clouds with their sums.
struct CrossCostsOf {
  CrossCostsOf(const Cloud& x, const Cloud& y)
      : costs(x.rows, y.rows, /*upper_only=*/false),
        row_sums(x.rows, 9),
        col_sums(y.rows, 9) {
    CrossCosts(Pack(x).View(), Pack(y).View(), costs.view, row_sums.data(),
               col_sums.data());
  }

  Costs costs;
  Array row_sums;
  Array col_sums;
};

// Sizes on both sides of every block and vector boundary.
const std::vector<std::tuple<size_t, size_t, size_t>> kShapes = {
    {1, 1, 1},   {1, 40, 3},  {3, 5, 2},    {4, 16, 8},   {5, 17, 9},
    {8, 32, 16}, {9, 33, 15}, {31, 64, 33}, {70, 100, 7}, {64, 128, 128}};

TEST_P(SimdKernelsTest, CrossCostsAreEuclideanDistances) {
  for (const auto& [rows, cols, dimension] : kShapes) {
    const Cloud x = Normal(rows, dimension, 0, 1);
    const Cloud y = Normal(cols, dimension, 0.5, 2);

    auto [costs, row_sums, col_sums] = CrossCostsOf(x, y);

    std::vector<double> expected_col_sums(cols);
    for (size_t i = 0; i < rows; ++i) {
      double expected_row_sum = 0;
      for (size_t j = 0; j < cols; ++j) {
        const double expected = Cost(x, i, y, j);
        ASSERT_NEAR(costs.At(i, j), expected, 2e-6 * std::max(1.0, expected))
            << rows << " x " << cols << ", d = " << dimension;
        expected_row_sum += expected;
        expected_col_sums[j] += expected;
      }
      EXPECT_NEAR(row_sums[i], expected_row_sum, 1e-5 * expected_row_sum);
    }
    for (size_t j = 0; j < cols; ++j) {
      EXPECT_NEAR(col_sums[j], expected_col_sums[j],
                  1e-5 * expected_col_sums[j]);
    }
  }
}

TEST_P(SimdKernelsTest, CrossCostsNeverReachThePadding) {
  const Cloud x = Normal(5, 3, 0, 1);
  const Cloud y = Normal(17, 3, 0, 2);

  auto [costs, sums, more_sums] = CrossCostsOf(x, y);

  for (size_t i = 0; i < RoundUp(5, kRowBlock); ++i) {
    for (size_t j = 0; j < costs.view.stride; ++j) {
      if (i < 5 && j < 17) continue;
      EXPECT_EQ(costs.At(i, j), kNeverCost) << i << ", " << j;
    }
  }
}

TEST_P(SimdKernelsTest, CostsOfNearPointsDoNotCancel) {
  // Norms of 1e4 and gaps of 1e-3: |x|^2 + |y|^2 - 2xy would be noise.
  Cloud x = Normal(20, 16, 2500, 1);
  Cloud y = x;
  for (float& value : y.values) value += 0.25F / 64;

  auto [costs, row_sums, col_sums] = CrossCostsOf(x, y);

  for (size_t i = 0; i < 20; ++i) {
    const double expected = Cost(x, i, y, i);
    EXPECT_NEAR(costs.At(i, i), expected, 1e-6 * expected);
  }
}

TEST_P(SimdKernelsTest, CoincidingPointsCostExactlyTheFloor) {
  const Cloud x = Normal(20, 16, 1, 1);

  auto [costs, row_sums, col_sums] = CrossCostsOf(x, x);

  for (size_t i = 0; i < 20; ++i) EXPECT_NEAR(costs.At(i, i), 1e-4, 2e-11);
}

TEST_P(SimdKernelsTest, SelfCostsFillTheUpperTriangleAndFindTheSmallest) {
  for (const size_t rows : {1, 2, 15, 16, 17, 40, 100}) {
    const Cloud x = Normal(rows, 5, 0, 1);
    Costs costs(rows, rows, /*upper_only=*/true);

    const float smallest = SelfCosts(Pack(x).View(), costs.view);

    double expected_smallest = kNeverCost;
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = i + 1; j < rows; ++j) {
        EXPECT_NEAR(costs.At(i, j), Cost(x, i, x, j), 2e-6);
        expected_smallest = std::min(expected_smallest, costs.At(i, j));
      }
      for (size_t j = i / kLanePad * kLanePad; j <= i; ++j) {
        EXPECT_EQ(costs.At(i, j), kNeverCost);
      }
    }
    EXPECT_EQ(smallest, static_cast<float>(expected_smallest));
  }
}

TEST_P(SimdKernelsTest, KernelSumsAddTheExponentialsOfRowsAndColumns) {
  for (const auto& [rows, cols, dimension] : kShapes) {
    const Cloud x = Normal(rows, dimension, 0, 1);
    const Cloud y = Normal(cols, dimension, 0.5, 2);
    auto [costs, row_sums, col_sums] = CrossCostsOf(x, y);
    Array row_exponents(rows, 0);
    Array col_exponents(cols, 0);
    for (size_t i = 0; i < rows; ++i) {
      row_exponents[i] = 3 + 0.37F * static_cast<float>(i % 7);
    }
    for (size_t j = 0; j < cols; ++j) {
      col_exponents[j] = 2 - 0.41F * static_cast<float>(j % 5);
    }
    const float scale = 2.5F;
    std::vector<double> expected_rows(rows);
    std::vector<double> expected_cols(cols);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < cols; ++j) {
        const double entry = std::exp2(row_exponents[i] + col_exponents[j] -
                                       scale * costs.At(i, j));
        expected_rows[i] += entry;
        expected_cols[j] += entry;
      }
    }

    for (const Sweep sweep : {Sweep::kDown, Sweep::kUp}) {
      KernelSums(costs.view, row_exponents.data(), col_exponents.data(), scale,
                 sweep, row_sums.data(), col_sums.data());
      for (size_t i = 0; i < rows; ++i) {
        ASSERT_NEAR(row_sums[i] / expected_rows[i], 1, 4e-6);
      }
      for (size_t j = 0; j < cols; ++j) {
        ASSERT_NEAR(col_sums[j] / expected_cols[j], 1, 4e-6);
      }
    }
  }
}

// 2^t as the kernels compute it, by way of a matrix with one entry.
class Exponential {
 public:
  Exponential() : costs_(1, 1, /*upper_only=*/false) {
    std::fill_n(costs_.view.data, costs_.view.stride * kRowBlock, kNeverCost);
    costs_.view.data[0] = 0;
  }

  float operator()(float t) {
    row_[0] = t;
    KernelSums(costs_.view, row_.data(), col_.data(), 1, Sweep::kDown,
               row_sums_.data(), col_sums_.data());
    EXPECT_EQ(std::isnan(row_sums_[0]), std::isnan(col_sums_[0]));
    if (!std::isnan(t)) {
      EXPECT_EQ(row_sums_[0], col_sums_[0]) << "2^" << t;
    }
    return row_sums_[0];
  }

 private:
  Costs costs_;
  Array row_{1, 0};
  Array col_{1, 0};
  Array row_sums_{1, 0};
  Array col_sums_{1, 0};
};

TEST_P(SimdKernelsTest, ExponentialsAreExactToTheLastBits) {
  Exponential exponential;
  for (int step = 0; step < 18500; ++step) {
    const auto t = static_cast<float>(-126 + 0.0137 * step);
    const double expected = std::exp2(static_cast<double>(t));
    ASSERT_NEAR(exponential(t) / expected, 1, 2.5e-7) << "2^" << t;
  }
}

TEST_P(SimdKernelsTest, ExponentialsFadeToZeroAndNeverTurnIntoGarbage) {
  const ScopedFlushDenormals flush;
  Exponential exponential;
  for (const float t : {-126.2F, -126.9F, -127.0F, -127.4F, -130.0F, -200.0F,
                        -254.0F, -255.0F, -256.0F, -300.0F, -1e3F, -1e5F, -2e5F,
                        -1e6F, -1e7F, -1e12F, -kNeverCost, -kInfinity}) {
    EXPECT_GE(exponential(t), 0) << "2^" << t;
    EXPECT_LE(exponential(t), 0x1p-126F) << "2^" << t;
  }
}

TEST_P(SimdKernelsTest, ExponentialsThatOverflowAreInfinite) {
  Exponential exponential;
  for (int step = 0; step < 20000; ++step) {
    const auto t = static_cast<float>(128 + 0.0137 * step);
    ASSERT_EQ(exponential(t), kInfinity) << "2^" << t;
  }
  for (const float t : {1e3F, 1e5F, 2e5F, 1e6F, 1e7F, 1e12F, kNeverCost,
                        std::numeric_limits<float>::max(), kInfinity}) {
    EXPECT_EQ(exponential(t), kInfinity) << "2^" << t;
  }
  // Just below they may be infinite already, but are never small.
  for (int step = 0; step < 200; ++step) {
    const auto t = static_cast<float>(127.4 + 0.003 * step);
    ASSERT_GT(exponential(t), 0x1p127F) << "2^" << t;
  }
}

TEST_P(SimdKernelsTest, ExponentialsOfWhatIsNotANumberAreNeitherANumber) {
  EXPECT_TRUE(std::isnan(Exponential()(kNan)));
  EXPECT_TRUE(std::isnan(Exponential()(-kNan)));
}

TEST_P(SimdKernelsTest, MirrorAndDiagonalCompleteASymmetricSum) {
  for (const size_t rows : {1, 3, 16, 50}) {
    const Cloud x = Normal(rows, 5, 0, 1);
    Costs costs(rows, rows, /*upper_only=*/true);
    SelfCosts(Pack(x).View(), costs.view);
    Array exponents(rows, 0);
    for (size_t i = 0; i < rows; ++i) {
      exponents[i] = 0.3F * static_cast<float>(i % 4);
    }
    Array sums(rows, 0);
    Array mirror(rows, 0);
    const float scale = 1.5F;

    KernelSums(costs.view, exponents.data(), exponents.data(), scale,
               Sweep::kDown, sums.data(), mirror.data());
    AddMirrorAndDiagonal(exponents.data(), mirror.data(), scale, rows,
                         sums.data());

    for (size_t i = 0; i < rows; ++i) {
      double expected = 0;
      for (size_t j = 0; j < rows; ++j) {
        const double cost = i == j ? 1e-4 : Cost(x, i, x, j);
        expected += std::exp2(exponents[i] + exponents[j] - scale * cost);
      }
      EXPECT_NEAR(sums[i] / expected, 1, 4e-6) << i << " of " << rows;
    }
  }
}

TEST_P(SimdKernelsTest, ResidualSumsSquareWhatOffsetsLeave) {
  const Cloud x = Normal(10, 4, 0, 1);
  const Cloud y = Normal(37, 4, 0, 2);
  auto [costs, rows, cols] = CrossCostsOf(x, y);
  Array row_offset(10, 1.5F);
  Array col_offset(37, 0.5F);
  double expected_largest = 0;
  std::vector<double> expected_rows(10);
  std::vector<double> expected_cols(37);
  for (size_t i = 0; i < 10; ++i) {
    for (size_t j = 0; j < 37; ++j) {
      const double a = costs.At(i, j) - 2;
      expected_largest = std::max(expected_largest, std::abs(a));
      expected_rows[i] += a * a;
      expected_cols[j] += a * a;
    }
  }

  const float largest =
      ResidualSums(costs.view, row_offset.data(), col_offset.data(), 1e9F,
                   rows.data(), cols.data());

  EXPECT_NEAR(largest, expected_largest, 1e-5);
  for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(rows[i], expected_rows[i], 1e-3);
  for (size_t j = 0; j < 37; ++j) EXPECT_NEAR(cols[j], expected_cols[j], 1e-3);
  EXPECT_GT(ResidualSums(costs.view, row_offset.data(), col_offset.data(),
                         0.01F, rows.data(), cols.data()),
            0.01F);
}

TEST_P(SimdKernelsTest, PotentialsFollowTheirTransform) {
  for (const size_t count : {1, 7, 16, 33}) {
    Array sums(count, 1);
    Array exponents(count, 0);
    AlignedBuffer<double> potentials;
    potentials.Reserve(RoundUp(count, kLanePad));
    std::vector<double> expected(count);
    const float scale = 20;
    for (size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i);
      sums[i] = std::exp2(17 * std::sin(x)) * (1 + 0.01F * x);
      exponents[i] = 300 + x;
      potentials.data()[i] = 0.1 * static_cast<double>(i);
      const double transform =
          (exponents[i] - std::log2(static_cast<double>(sums[i])) + 10) / scale;
      expected[i] = 0.5 * (potentials.data()[i] + transform);
    }

    UpdatePotentials(
        {.scale = scale, .next_scale = 25, .log2_count = 10, .average = true},
        sums.data(), count, potentials.data(), exponents.data());

    for (size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(potentials.data()[i], expected[i], 3e-9);
      EXPECT_FLOAT_EQ(exponents[i], static_cast<float>(25 * expected[i]));
    }
  }
}

TEST_P(SimdKernelsTest, SumsOutOfRangeAreNoticedWhereTheyCount) {
  for (const float bad : {0.0F, 1e-35F, 1e35F, kInfinity, kNan}) {
    Array sums(33, 1);
    EXPECT_TRUE(SumsInRange(sums.data(), 33));

    sums[33] = bad;  // Padding.
    EXPECT_TRUE(SumsInRange(sums.data(), 33));

    sums[32] = bad;
    EXPECT_FALSE(SumsInRange(sums.data(), 33)) << bad;
  }
}

LADDER_INSTANTIATE_FOR_EVERY_TARGET(SimdKernelsTest);

TEST(SimdTargetsTest, ScalarCodeIsAlwaysAmongTheTestedTargets) {
  EXPECT_GE(CompiledTargets().size(), 2);
  EXPECT_EQ(CompiledTargets().back(), HWY_STATIC_TARGET);
}

}  // namespace
}  // namespace ladder::routing::simd
