#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/data/dataset_report.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(BrokenSamplesTest, CountsEachSampleOnce) {
  BrokenSamples broken;

  EXPECT_TRUE(broken.Add({4, base::Fault("corrupt", "a.jpg")}));
  EXPECT_FALSE(broken.Add({4, base::Fault("corrupt", "a.jpg")}));
  EXPECT_TRUE(broken.Add({5, base::Fault("missing file", "b.jpg")}));
  EXPECT_TRUE(broken.Add({6, base::Fault("corrupt", "c.jpg")}));

  EXPECT_EQ(broken.size(), 3);
  EXPECT_THAT(broken.counts(),
              ElementsAre(Pair("corrupt", 2), Pair("missing file", 1)));
}

}  // namespace
}  // namespace ladder::trainer
