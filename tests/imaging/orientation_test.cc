#include "imaging/orientation.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

// A picture from rows of letters.
Image FromLetters(const std::vector<std::string>& rows) {
  Image image;
  image.Reset(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()));
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      for (int c = 0; c < kChannels; ++c) {
        image.Row(y)[x * kChannels + c] = static_cast<uint8_t>(
            rows[static_cast<size_t>(y)][static_cast<size_t>(x)] + c);
      }
    }
  }
  return image;
}

TEST(OrientationTest, TurnsAsExifSays) {
  const Image stored = FromLetters({"abc",  //
                                    "def"});
  const std::vector<std::string> upright[] = {
      {"abc", "def"},      // 1: as it is
      {"cba", "fed"},      // 2: mirrored
      {"fed", "cba"},      // 3: rotated by 180 degrees
      {"def", "abc"},      // 4: flipped
      {"ad", "be", "cf"},  // 5: transposed
      {"da", "eb", "fc"},  // 6: rotated by 90 degrees clockwise
      {"fc", "eb", "da"},  // 7: transposed the other way
      {"cf", "be", "ad"},  // 8: rotated by 270 degrees clockwise
  };
  for (int i = 0; i < 8; ++i) {
    const Image expected = FromLetters(upright[i]);
    Image turned;

    Turn(stored.View(), static_cast<Orientation>(i + 1), turned);

    EXPECT_EQ(turned.width(), expected.width());
    EXPECT_EQ(turned.height(), expected.height());
    EXPECT_EQ(Values(turned.View()), Values(expected.View())) << i + 1;
  }
}

TEST(OrientationTest, TurningBackGivesTheOriginal) {
  const std::pair<Orientation, Orientation> inverses[] = {
      {Orientation::kRotate90, Orientation::kRotate270},
      {Orientation::kTransverse, Orientation::kTransverse},
      {Orientation::kRotate180, Orientation::kRotate180},
  };
  const Image photo = Photograph(101, 67);  // Larger than a tile.
  for (const auto& [there, back] : inverses) {
    Image turned;
    Image again;
    Turn(photo.View(), there, turned);
    Turn(turned.View(), back, again);
    EXPECT_EQ(Values(again.View()), Values(photo.View()));
  }
}

}  // namespace
}  // namespace ladder::imaging
