#include "routing/check_matrix.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::routing {
namespace {

TEST(CheckMatrixTest, AcceptsFiniteValuesOfTheRightWidth) {
  const std::vector<float> values(100, std::numeric_limits<float>::max());

  EXPECT_TRUE(CheckMatrix({values.data(), 20, 5}, "x", 5).ok());
}

TEST(CheckMatrixTest, FindsABadValueWhereverItIs) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (size_t place = 0; place < 37; ++place) {
      std::vector<float> values(37, 1);
      values[place] = bad;

      EXPECT_FALSE(CheckMatrix({values.data(), 37, 1}, "x", 1).ok())
          << bad << " at " << place;
    }
  }
}

TEST(CheckMatrixTest, SaysWhatWasExpectedAndWhatCame) {
  const std::vector<float> values = {
      1, 2, 3, 4, 5, std::numeric_limits<float>::quiet_NaN()};

  EXPECT_EQ(CheckMatrix({values.data(), 2, 3}, "style", 4),
            absl::InvalidArgumentError("style: expected 4 columns, got 3"));
  EXPECT_EQ(
      CheckMatrix({values.data(), 0, 3}, "style", 3),
      absl::InvalidArgumentError("style: expected at least one row, got none"));
  EXPECT_EQ(
      CheckMatrix({values.data(), 2, 3}, "style", 3),
      absl::InvalidArgumentError("style: value at row 1, column 2 is nan; "
                                 "expected finite values only"));
}

}  // namespace
}  // namespace ladder::routing
