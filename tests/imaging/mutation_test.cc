// Damaged files of every kind are decoded or refused, never a crash, a leak or
// a read out of bounds; the asan preset is what makes this test sharp.

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "imaging/preprocessor.h"
#include "imaging/rejection.h"
#include "png.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

std::vector<Bytes> OneOfEachKind() {
  const Image photo = Photograph(40, 30);
  const std::vector<uint8_t> values = Values(photo.View());
  const std::span<const uint8_t> all(values);
  std::vector<uint8_t> indices = values;
  for (uint8_t& index : indices) index %= 4;
  return {
      WriteJpeg({}, photo.View()),
      WriteJpeg({.progressive = true, .exif = ExifBlock(6)}, photo.View()),
      WriteJpeg({.arithmetic = true}, photo.View()),
      WriteJpeg({.restart_interval = 2, .luma_down = 1}, photo.View()),
      WriteJpeg({.colors = JpegColors::kYcck}, 20, 15, all),
      WriteJpeg({.colors = JpegColors::kGrey, .num_scans = 30}, 40, 30, all),
      WritePng({.exif = ExifBlock(3)}, photo.View()),
      WritePng({.interlaced = true}, photo.View()),
      WritePng({.color_type = PNG_COLOR_TYPE_RGBA, .bit_depth = 16}, 12, 9,
               all),
      WritePng({.color_type = PNG_COLOR_TYPE_PALETTE,
                .palette = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                .palette_alpha = {0, 50}},
               40, 30, indices),
      WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 1}, 40, 30,
               all),
  };
}

class MutationTest : public ::testing::Test {
 protected:
  // Returns whether the file could be decoded.
  bool Try(const Bytes& file) {
    const absl::Status status = preprocessor_.Run(file, out_);
    if (status.ok()) return true;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(GetRejection(status).has_value()) << status;
    return false;
  }

  const Preprocessor preprocessor_ =
      Preprocessor::Create(
          {.height = 16, .width = 16, .limits = {.max_pixels = 1 << 16}})
          .value();
  std::vector<float> out_ = std::vector<float>(preprocessor_.output_size());
  std::mt19937 random_ = std::mt19937(11);
};

TEST_F(MutationTest, FlippedBytes) {
  int decoded = 0;
  int refused = 0;
  for (const Bytes& file : OneOfEachKind()) {
    ASSERT_TRUE(Try(file));
    for (int i = 0; i < 1500; ++i) {
      Bytes damaged = file;
      const size_t num_flips = 1 + random_() % 4;
      for (size_t flip = 0; flip < num_flips; ++flip) {
        // Every other one in the headers, where most of the decisions are.
        const size_t range = random_() % 2 == 0
                                 ? damaged.size()
                                 : std::min<size_t>(damaged.size(), 200);
        damaged[random_() % range] = static_cast<std::byte>(random_());
      }
      (Try(damaged) ? decoded : refused) += 1;
    }
  }
  // Both ends were reached, so the files were neither too broken nor too well.
  EXPECT_GT(decoded, 500);
  EXPECT_GT(refused, 5000);
}

TEST_F(MutationTest, MissingAndRepeatedPieces) {
  for (const Bytes& file : OneOfEachKind()) {
    for (int i = 0; i < 300; ++i) {
      const size_t from = random_() % file.size();
      const size_t to = from + random_() % (file.size() - from);
      Bytes damaged = file;
      if (i % 2 == 0) {
        damaged.erase(damaged.begin() + static_cast<ptrdiff_t>(from),
                      damaged.begin() + static_cast<ptrdiff_t>(to));
      } else {
        damaged.insert(damaged.end() - 2,
                       file.begin() + static_cast<ptrdiff_t>(from),
                       file.begin() + static_cast<ptrdiff_t>(to));
      }
      Try(damaged);
    }
  }
}

TEST_F(MutationTest, NoiseBehindARightStart) {
  for (const Bytes& file : OneOfEachKind()) {
    for (int i = 0; i < 300; ++i) {
      Bytes damaged = file;
      for (size_t at = 2 + random_() % 60; at < damaged.size(); ++at) {
        damaged[at] = static_cast<std::byte>(random_());
      }
      Try(damaged);
    }
  }
}

}  // namespace
}  // namespace ladder::imaging
