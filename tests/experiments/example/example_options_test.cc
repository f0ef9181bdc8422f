#include <string>

#include "experiments/example/world.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

TEST(ExampleOptionsTest, TheDefaultsAndANameAreEnough) {
  const ExampleOptions options = {.out = "example"};

  EXPECT_TRUE(options.Validate().ok()) << options.Validate();
  EXPECT_EQ(options.num_frames(), 24 * (1000 + 150 + 150) + 8 * 600);
}

TEST(ExampleOptionsTest, RejectsWhatIsOutOfRangeByName) {
  const auto message = [](ExampleOptions options) {
    options.out = "example";
    EXPECT_EQ(options.Validate().code(), absl::StatusCode::kInvalidArgument);
    return std::string(options.Validate().message());
  };
  EXPECT_EQ(message({.num_sources = 0}),
            "num_sources: expected 1 to 1000000, got 0");
  EXPECT_EQ(message({.num_targets = -1}),
            "num_targets: expected 0 to 1000000, got -1");
  EXPECT_EQ(message({.frames_per_source = 0}),
            "frames_per_source: expected 1 to 1000000, got 0");
  EXPECT_EQ(message({.held_out_per_source = -1}),
            "held_out_per_source: expected 0 to 1000000, got -1");
  EXPECT_EQ(message({.frames_per_target = 1'000'001}),
            "frames_per_target: expected 1 to 1000000, got 1000001");
}

TEST(ExampleOptionsTest, RejectsAnEmptyName) {
  EXPECT_EQ(ExampleOptions{}.Validate().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::experiments
