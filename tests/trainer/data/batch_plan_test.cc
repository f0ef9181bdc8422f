#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/data/batch_loader.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BatchPlanTest, GoesThroughTheSamplesOnceInOrder) {
  const BatchPlan plan = InOrder({5, 3, 9, 1, 2}, /*batch_size=*/2);

  EXPECT_EQ(NumBatches(5, 2), 3u);
  EXPECT_THAT(plan(0), ElementsAre(5, 3));
  EXPECT_THAT(plan(1), ElementsAre(9, 1));
  EXPECT_THAT(plan(2), ElementsAre(2));
  EXPECT_THAT(plan(3), IsEmpty());
}

TEST(BatchPlanTest, CountsWholeBatches) {
  EXPECT_EQ(NumBatches(0, 4), 0u);
  EXPECT_EQ(NumBatches(4, 4), 1u);
  EXPECT_EQ(NumBatches(5, 4), 2u);
}

}  // namespace
}  // namespace ladder::trainer
