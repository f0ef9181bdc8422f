#include "imaging/resizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tests/imaging/test_images.h"
#include "tests/simd_targets.h"

namespace ladder::imaging {
namespace {

struct Size {
  int width;
  int height;
};

// One output of one axis as the page defines it, slowly: every pixel of the
// line weighted by the triangle's height over its centre, in shares of 2^22.
double Sample(const std::vector<double>& line, int out_size, int i) {
  const double scale = static_cast<double>(line.size()) / out_size;
  const double radius = std::max(1.0, scale);
  const double center = (i + 0.5) * scale;
  std::vector<double> heights;
  for (size_t k = 0; k < line.size(); ++k) {
    const double distance = static_cast<double>(k) + 0.5 - center;
    heights.push_back(std::max(0.0, 1 - std::abs(distance) / radius));
  }
  const double total = std::accumulate(heights.begin(), heights.end(), 0.0);
  double sum = 0;
  for (size_t k = 0; k < line.size(); ++k) {
    sum += std::round(heights[k] / total * 4194304) * line[k];
  }
  return std::floor(sum / 4194304 + 0.5);
}

std::vector<uint8_t> Reference(const ImageView& image, const Size& size) {
  Image out;
  out.Reset(size.width, size.height);
  for (int c = 0; c < kChannels; ++c) {
    std::vector<std::vector<double>> columns(static_cast<size_t>(size.width));
    for (int y = 0; y < image.height; ++y) {
      std::vector<double> line(static_cast<size_t>(image.width));
      for (size_t x = 0; x < line.size(); ++x) {
        line[x] = image.Row(y)[x * kChannels + static_cast<size_t>(c)];
      }
      for (int x = 0; x < size.width; ++x) {
        columns[static_cast<size_t>(x)].push_back(Sample(line, size.width, x));
      }
    }
    for (int y = 0; y < size.height; ++y) {
      uint8_t* value = out.Row(y) + c;
      for (const std::vector<double>& column : columns) {
        *value = static_cast<uint8_t>(Sample(column, size.height, y));
        value += kChannels;
      }
    }
  }
  return Values(out.View());
}

class ResizerTest : public EveryTargetTest {};
LADDER_INSTANTIATE_FOR_EVERY_TARGET(ResizerTest);

TEST_P(ResizerTest, GivesTheBitsOfTheDefinition) {
  const std::pair<Size, Size> cases[] = {
      {{64, 48}, {28, 28}}, {{61, 47}, {31, 17}},   {{20, 30}, {40, 31}},
      {{1, 1}, {5, 4}},     {{1, 40}, {6, 7}},      {{40, 1}, {7, 6}},
      {{3, 2}, {64, 64}},   {{300, 5}, {3, 5}},     {{5, 300}, {5, 3}},
      {{130, 90}, {1, 1}},  {{2, 2}, {1, 3}},       {{64, 48}, {64, 20}},
      {{64, 48}, {23, 48}}, {{157, 119}, {41, 83}}, {{90, 70}, {200, 150}},
  };
  Resizer resizer;
  for (const auto& [from, to] : cases) {
    const Image image = Photograph(from.width, from.height);
    const ImageView resized = resizer.Resize(image.View(), to.width, to.height);
    ASSERT_EQ(resized.width, to.width);
    ASSERT_EQ(resized.height, to.height);

    EXPECT_EQ(Values(resized), Reference(image.View(), to));
  }
}

TEST_P(ResizerTest, FlatPicturesStayFlat) {
  Image image;
  image.Reset(37, 29);
  Resizer resizer;
  for (const int level : {0, 1, 128, 254, 255}) {
    const auto value = static_cast<uint8_t>(level);
    std::fill_n(image.Row(0), image.View().num_bytes(), value);

    const ImageView resized = resizer.Resize(image.View(), 11, 50);

    EXPECT_EQ(Values(resized),
              std::vector<uint8_t>(size_t{11} * 50 * 3, value));
  }
}

TEST_P(ResizerTest, ReadsNothingBeyondThePicture) {
  // Exact memory, so that a sanitizer sees its end.
  for (const Size& size : {Size{1, 1}, Size{2, 3}, Size{5, 1}, Size{17, 9}}) {
    const std::vector<uint8_t> values =
        Values(Photograph(size.width, size.height).View());
    const ImageView image{values.data(), size.width, size.height};
    Resizer resizer;
    EXPECT_EQ(resizer.Resize(image, 8, 8).height, 8);
    EXPECT_EQ(resizer.Resize(image, 1, 2).height, 2);
  }
}

TEST_P(ResizerTest, APictureOfTheRightSizeIsHandedBack) {
  const Image image = Photograph(20, 10);
  Resizer resizer;

  EXPECT_EQ(resizer.Resize(image.View(), 20, 10).pixels, image.View().pixels);
}

TEST_P(ResizerTest, EarlierPicturesDoNotShow) {
  const Image large = Photograph(120, 90, 1);
  const Image small = Photograph(33, 44, 2);
  Resizer fresh;
  const std::vector<uint8_t> expected =
      Values(fresh.Resize(small.View(), 16, 16));
  Resizer used;
  used.Resize(large.View(), 64, 64);
  used.Resize(large.View(), 16, 16);

  EXPECT_EQ(Values(used.Resize(small.View(), 16, 16)), expected);
}

}  // namespace
}  // namespace ladder::imaging
