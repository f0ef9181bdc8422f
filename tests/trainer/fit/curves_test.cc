#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"
#include "tests/trainer/fit/small_run.h"
#include "trainer/fit/run_folder.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;

class CurvesTest : public ::testing::Test {
 protected:
  void Add(uint64_t last_step, uint64_t step, double total) const {
    auto curves = Curves::Open(path_, last_step);
    ASSERT_TRUE(curves.ok()) << curves.status();
    const absl::Status status =
        curves->Add(step, {{"total", total}, {"cls", 0.5}});
    ASSERT_TRUE(status.ok()) << status;
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_.path() / "curves.csv";
};

TEST_F(CurvesTest, HasAHeaderAndARowPerReport) {
  auto curves = Curves::Open(path_, 0);
  ASSERT_TRUE(curves.ok()) << curves.status();

  ASSERT_TRUE(curves->Add(20, {{"total", 1.5}, {"cls", 1}}).ok());
  ASSERT_TRUE(curves->Add(40, {{"total", 0.25}, {"cls", 1e-3}}).ok());

  EXPECT_EQ(Contents(path_), "step,total,cls\n20,1.5,1\n40,0.25,0.001\n");
}

TEST_F(CurvesTest, GoesOnWhereItEnded) {
  Add(0, 20, 3);
  Add(20, 40, 2);

  EXPECT_EQ(Contents(path_), "step,total,cls\n20,3,0.5\n40,2,0.5\n");
}

TEST_F(CurvesTest, DropsRowsPastTheCheckpoint) {
  Add(0, 20, 3);
  Add(20, 40, 2);
  Add(30, 40, 1);

  EXPECT_EQ(Contents(path_), "step,total,cls\n20,3,0.5\n40,1,0.5\n");
}

TEST_F(CurvesTest, TellsThatItCannotBeWritten) {
  auto curves = Curves::Open(directory_.path() / "missing" / "curves.csv", 0);
  ASSERT_TRUE(curves.ok()) << curves.status();

  const absl::Status status = curves->Add(20, {{"total", 1}});

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("missing/curves.csv"));
}

}  // namespace
}  // namespace ladder::trainer
