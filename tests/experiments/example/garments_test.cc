#include "experiments/example/garments.h"

#include <array>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/experiments/example/idx_files.h"
#include "tests/temporary_directory.h"

namespace ladder::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The name for each label, after Fashion-MNIST's documentation: "T-shirt/top",
// "Trouser"...
constexpr std::array<absl::string_view, 10> kNameOfLabel = {
    "top",    "trouser", "pullover", "dress", "coat",
    "sandal", "shirt",   "sneaker",  "bag",   "boot"};

class GarmentsTest : public ::testing::Test {
 protected:
  void SetUp() override { WriteFashion(folder(), /*per_class=*/7); }

  const std::filesystem::path& folder() const { return directory_.path(); }

  void ExpectError(absl::StatusCode code, const std::string& file,
                   const std::string& message) const {
    const absl::Status status = ReadGarments(folder()).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(file), HasSubstr(message)));
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(GarmentsTest, ReadsPicturesOfBothPartsWithTheirClasses) {
  const auto garments = ReadGarments(folder());

  ASSERT_TRUE(garments.ok()) << garments.status();
  ASSERT_THAT(garments->labels, SizeIs(70));
  ASSERT_THAT(garments->pixels, SizeIs(70 * 784));
  // The files' 60 training pictures are those not numbered 6, 13, 20, ...
  size_t place = 0;
  for (const bool test : {false, true}) {
    for (size_t i = 0; i < 70; ++i) {
      if ((i % 7 == 6) != test) continue;
      EXPECT_EQ(kGarmentClasses[garments->labels[place]], kNameOfLabel[i % 10]);
      EXPECT_THAT(garments->picture(place), Each(i / 10));
      ++place;
    }
  }
}

TEST_F(GarmentsTest, SaysWhichPackageHasAMissingFile) {
  std::filesystem::remove(folder() / "t10k-labels-idx1-ubyte.gz");
  ExpectError(absl::StatusCode::kNotFound, "t10k-labels-idx1-ubyte.gz",
              "install the package dataset-fashion-mnist or pass its folder");
}

TEST_F(GarmentsTest, RejectsPicturesOfAnotherSize) {
  WriteGzip(folder() / "t10k-images-idx3-ubyte.gz",
            Idx({10, 28, 27}, std::string(10 * 28 * 27, 'a')));
  ExpectError(absl::StatusCode::kInvalidArgument, "t10k-images-idx3-ubyte.gz",
              "expected pictures of 28 x 28, found an array of 10 x 28 x 27");
}

TEST_F(GarmentsTest, RejectsAnotherNumberOfLabelsThanOfPictures) {
  WriteGzip(folder() / "t10k-labels-idx1-ubyte.gz",
            Idx({9}, std::string(9, 1)));
  ExpectError(absl::StatusCode::kInvalidArgument, "t10k-labels-idx1-ubyte.gz",
              "expected 10 labels, one a picture, found 9");
}

TEST_F(GarmentsTest, RejectsALabelThatIsNone) {
  WriteGzip(folder() / "t10k-labels-idx1-ubyte.gz",
            Idx({10}, std::string(10, 10)));
  ExpectError(absl::StatusCode::kInvalidArgument, "t10k-labels-idx1-ubyte.gz",
              "expected labels from 0 to 9, found 10");
}

}  // namespace
}  // namespace ladder::experiments
