#include "routing/self_term.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "routing/sinkhorn.h"
#include "tests/routing/cloud.h"
#include "tests/simd_targets.h"

namespace ladder::routing {
namespace {

Cloud Normal(size_t rows, size_t cols, double deviation, uint64_t seed) {
  return NormalCloud(rows, std::vector<double>(cols), deviation, seed);
}

using SelfTermTest = EveryTargetTest;
LADDER_INSTANTIATE_FOR_EVERY_TARGET(SelfTermTest);

TEST_P(SelfTermTest, EqualsTheSolverAlongEverySchedule) {
  const SinkhornOptions options;
  SinkhornSolver solver(options);
  // These go from points that all exchange mass to points that hardly do.
  for (const double deviation : {0.02, 0.1, 0.3, 1.0}) {
    const Cloud cloud = Normal(80, 3, deviation, 1);
    PackedCloud packed;
    packed.Assign(cloud.View());
    const SelfTerm term = SelfTerm::Compute(packed, options, solver);

    for (int i = 0; i < 56; ++i) {
      const double diameter = 2 * std::pow(1.07, i);
      const EpsilonSchedule schedule(diameter, options.blur, options.scaling);
      ASSERT_TRUE(SelfTerm::Covers(schedule, options));
      solver.PrepareSelf(packed);
      EXPECT_NEAR(term.At(schedule), solver.Self(schedule), 2e-8)
          << "deviation " << deviation << ", diameter " << diameter;
    }
  }
}

TEST_P(SelfTermTest, OfIsolatedPointsIsTheirEntropy) {
  const SinkhornOptions options;
  SinkhornSolver solver(options);
  const Cloud cloud = Normal(100, 64, 1, 1);
  PackedCloud packed;
  packed.Assign(cloud.View());

  const SelfTerm term = SelfTerm::Compute(packed, options, solver);

  for (const double value : term.values()) {
    EXPECT_NEAR(value, 0.5 * (0.05 * std::log(100) + 1e-4), 1e-9);
  }
}

TEST_P(SelfTermTest, DoesNotCoverSchedulesTooShortToForgetTheirStart) {
  const SinkhornOptions options;

  EXPECT_TRUE(SelfTerm::Covers(EpsilonSchedule(2, 0.05, 0.8), options));
  EXPECT_FALSE(SelfTerm::Covers(EpsilonSchedule(1, 0.05, 0.8), options));
  EXPECT_FALSE(SelfTerm::Covers(EpsilonSchedule(0.01, 0.05, 0.8), options));
}

TEST_P(SelfTermTest, HasItsValuesAtTheSchedulesOfItsNodes) {
  const SinkhornOptions options;
  const SelfTerm term =
      SelfTerm::FromValues(std::vector<double>{1, 2, 3, 4, 5}).value();

  for (size_t node = 0; node < SelfTerm::kNumNodes; ++node) {
    const EpsilonSchedule schedule = SelfTerm::NodeSchedule(node, options);
    EXPECT_TRUE(SelfTerm::Covers(schedule, options));
    EXPECT_NEAR(term.At(schedule), term.values()[node], 1e-12);
  }
}

TEST_P(SelfTermTest, IsRestoredFromItsValuesOnly) {
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_TRUE(SelfTerm::FromValues(values).ok());
  EXPECT_EQ(SelfTerm::FromValues(std::vector<double>{1, 2}).status(),
            absl::InvalidArgumentError("self term: expected 5 values, got 2"));
  EXPECT_EQ(
      SelfTerm::FromValues(std::vector<double>{1, 2, 3, nan, 5}).status(),
      absl::InvalidArgumentError("self term: expected finite values, got nan"));
}

}  // namespace
}  // namespace ladder::routing
