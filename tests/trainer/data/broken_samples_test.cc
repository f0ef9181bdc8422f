#include "trainer/data/broken_samples.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/fault.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(BrokenSamplesTest, CountsEachSampleOnce) {
  BrokenSamples broken;

  EXPECT_TRUE(broken.Add({4, tables::Fault("corrupt", "a.jpg")}));
  EXPECT_FALSE(broken.Add({4, tables::Fault("corrupt", "a.jpg")}));
  EXPECT_TRUE(broken.Add({5, tables::Fault("missing file", "b.jpg")}));
  EXPECT_TRUE(broken.Add({6, tables::Fault("corrupt", "c.jpg")}));

  EXPECT_EQ(broken.size(), 3);
  EXPECT_THAT(broken.counts(),
              ElementsAre(Pair("corrupt", 2), Pair("missing file", 1)));
}

}  // namespace
}  // namespace ladder::trainer
