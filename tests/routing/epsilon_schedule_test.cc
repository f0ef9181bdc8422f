#include "routing/epsilon_schedule.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/routing/reference_sinkhorn.h"

namespace ladder::routing {
namespace {

TEST(EpsilonScheduleTest, EqualsItsDefinitionForAnyDiameter) {
  for (int i = 0; i < 180; ++i) {
    const double diameter = 1e-3 * std::pow(1.0917, i);
    const std::vector<double> expected =
        ReferenceSinkhorn(0.05, 0.8).Schedule(diameter);

    const EpsilonSchedule schedule(diameter, 0.05, 0.8);

    ASSERT_EQ(schedule.size(), expected.size()) << diameter;
    for (size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(schedule[step], expected[step], 1e-12 * expected[step]);
    }
  }
}

TEST(EpsilonScheduleTest, OfADiameterBelowTheBlurHasTwoSteps) {
  const EpsilonSchedule schedule(0.01, 0.05, 0.8);

  ASSERT_EQ(schedule.size(), 2);
  EXPECT_DOUBLE_EQ(schedule[0], 0.01);
  EXPECT_DOUBLE_EQ(schedule[1], 0.05);
}

TEST(EpsilonScheduleTest, PhaseSaysWhereTheLastScaledStepLies) {
  for (const double diameter : {0.07, 1.0, 33.0, 70.0}) {
    const EpsilonSchedule schedule(diameter, 0.05, 0.8);

    const double phase = schedule.Phase();

    EXPECT_GT(phase, 0);
    EXPECT_LE(phase, 1 + 1e-12);
    EXPECT_NEAR(schedule[schedule.size() - 2], 0.05 * std::pow(0.8, -phase),
                1e-12);
  }
}

TEST(EpsilonScheduleTest, CanBeMadeFromItsPhase) {
  const EpsilonSchedule original(12.3, 0.05, 0.8);

  const EpsilonSchedule copy = EpsilonSchedule::WithPhase(
      original.Phase(), original.num_scaled_steps(), 0.05, 0.8);

  ASSERT_EQ(copy.size(), original.size());
  for (size_t step = 0; step < copy.size(); ++step) {
    EXPECT_NEAR(copy[step], original[step], 1e-12 * original[step]);
  }
}

}  // namespace
}  // namespace ladder::routing
