#include "experiments/example/paint_frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

using Garment = std::array<uint8_t, kGarmentPixels>;

Garment Plain(uint8_t value) {
  Garment garment;
  garment.fill(value);
  return garment;
}

// The values of one channel in a part of a picture: mean and standard
// deviation, of 0..1.
struct Level {
  double mean = 0;
  double sd = 0;
};

Level Measure(std::span<const double> values) {
  Level level;
  for (const double value : values) level.mean += value;
  level.mean /= static_cast<double>(values.size());
  for (const double value : values) {
    level.sd += std::pow(value - level.mean, 2);
  }
  level.sd = std::sqrt(level.sd / static_cast<double>(values.size()));
  return level;
}

// Each pixel of the scene counts once; the part is the garment's.
Level MeasureFrame(const imaging::Image& frame, int channel) {
  std::vector<double> values;
  for (int y = 4; y < 60; y += 2) {
    for (int x = 4; x < 60; x += 2) {
      values.push_back(frame.View().Row(y)[3 * x + channel] / 255.0);
    }
  }
  return Measure(values);
}

// The same, of a frame of the model as it was laid down, drawn by the standard
// library. `cover` is the garment's grey value.
std::array<Level, 3> MeasureModel(double c, double cover, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double t = 0.6 * (c - 0.5) + 0.45 * normal(rng);
  const double background[] = {0.6 * (0.5 + 0.5 * std::tanh(t)),
                               0.6 * (0.5 - 0.3 * std::tanh(t)),
                               0.6 * (0.5 + 0.2 * normal(rng))};
  const double contrast = 1 - 0.5 * uniform(rng);
  const double x = std::gamma_distribution<double>(1 + 4 * c)(rng);
  const double y = std::gamma_distribution<double>(5 - 4 * c)(rng);
  const double noise_sd = 0.4 + 0.6 * x / (x + y);
  std::array<Level, 3> levels;
  for (size_t channel = 0; channel < 3; ++channel) {
    std::vector<double> values(784);
    for (double& value : values) {
      value = background[channel] * (1 - cover) + cover * contrast +
              noise_sd * normal(rng);
      value = std::clamp(value, 0.0, 1.0);
    }
    levels[channel] = Measure(values);
  }
  return levels;
}

TEST(PaintFrameTest, FramesHaveTheDistributionOfTheModel) {
  constexpr int kFrames = 800;
  std::mt19937 rng(7);
  for (const double habitat : {0.0, 0.4, 1.0}) {
    for (const int grey : {0, 102, 255}) {
      const Garment garment = Plain(static_cast<uint8_t>(grey));
      std::array<std::vector<double>, 3> means, model_means;
      std::array<std::vector<double>, 3> sds, model_sds;
      for (int i = 0; i < kFrames; ++i) {
        const imaging::Image frame = PaintFrame(garment, habitat, i);
        const auto model = MeasureModel(habitat, grey / 255.0, rng);
        for (int channel = 0; channel < 3; ++channel) {
          const Level level = MeasureFrame(frame, channel);
          means[channel].push_back(level.mean);
          sds[channel].push_back(level.sd);
          model_means[channel].push_back(model[channel].mean);
          model_sds[channel].push_back(model[channel].sd);
        }
      }
      for (int channel = 0; channel < 3; ++channel) {
        SCOPED_TRACE(testing::Message() << "habitat " << habitat << ", grey "
                                        << grey << ", channel " << channel);
        const auto expect_alike = [](std::span<const double> painted,
                                     std::span<const double> model) {
          const Level expected = Measure(model);
          const Level found = Measure(painted);
          // Four standard errors of a difference of means; roughly so of
          // standard deviations.
          const double tolerance = 4 * expected.sd * std::sqrt(2.0 / kFrames);
          EXPECT_NEAR(found.mean, expected.mean, tolerance);
          EXPECT_NEAR(found.sd, expected.sd, tolerance);
        };
        expect_alike(means[channel], model_means[channel]);
        expect_alike(sds[channel], model_sds[channel]);
      }
    }
  }
}

TEST(PaintFrameTest, EveryPixelOfTheSceneIsASquareOfFour) {
  const imaging::Image frame = PaintFrame(Plain(90), 0.5, /*seed=*/3);

  ASSERT_EQ(frame.width(), 64);
  ASSERT_EQ(frame.height(), 64);
  const imaging::ImageView view = frame.View();
  for (int y = 0; y < 64; ++y) {
    for (int i = 0; i < 64 * 3; ++i) {
      const int left = i / 6 * 6 + i % 3;
      ASSERT_EQ(view.Row(y)[i], view.Row(y / 2 * 2)[left]);
    }
  }
}

TEST(PaintFrameTest, TheGarmentLiesInTheMiddleAsItIs) {
  Garment garment = Plain(0);
  garment[0] = 255;            // Top left.
  garment[2 * 28 + 27] = 255;  // In the third row, at the right.

  // The average over many frames shows where it is bright.
  std::vector<double> sums(32 * 32);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const imaging::Image frame = PaintFrame(garment, 0.5, seed);
    for (int i = 0; i < 32 * 32; ++i) {
      const uint8_t* pixel = frame.View().Row(i / 32 * 2) + i % 32 * 6;
      sums[i] += pixel[0] + pixel[1] + pixel[2];
    }
  }

  std::vector<int> bright;
  const double bound = 0.5 * 3 * 255 * 400;
  for (int i = 0; i < 32 * 32; ++i) {
    if (sums[i] > bound) bright.push_back(i);
  }
  EXPECT_THAT(bright, testing::ElementsAre(2 * 32 + 2, 4 * 32 + 29));
}

TEST(PaintFrameTest, OneFrameSaysLittleAboutTheHabitatButAGroupMuch) {
  constexpr int kFrames = 600;
  std::array<Level, 2> redness;
  for (size_t i = 0; i < 2; ++i) {
    std::vector<double> values;
    for (int frame = 0; frame < kFrames; ++frame) {
      const imaging::Image picture =
          PaintFrame(Plain(0), i == 0 ? 0.3 : 0.7, frame + 1000 * i);
      values.push_back(MeasureFrame(picture, 0).mean -
                       MeasureFrame(picture, 1).mean);
    }
    redness[i] = Measure(values);
  }

  const double difference = redness[1].mean - redness[0].mean;
  EXPECT_LT(difference, redness[0].sd);
  EXPECT_GT(difference, 5 * redness[0].sd * std::sqrt(2.0 / kFrames));
}

}  // namespace
}  // namespace ladder::experiments
