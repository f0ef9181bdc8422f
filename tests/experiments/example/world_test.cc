#include "experiments/example/world.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::SizeIs;

std::vector<uint8_t> Labels(size_t per_class) {
  std::vector<uint8_t> labels(10 * per_class);
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<uint8_t>(i % 10);
  }
  return labels;
}

struct World {
  std::vector<Location> locations;
  std::vector<Frame> frames;
};

World MakeWorld(const ExampleOptions& options,
                std::span<const uint8_t> labels) {
  World world;
  world.locations = MakeLocations(options);
  world.frames = PlanFrames(options, world.locations, labels).value();
  return world;
}

// exp(-(rank/9 - c)^2 / (2 * 0.12^2)) + 0.02, divided by its sum; computed in
// another language.
TEST(WorldTest, ClassMixIsABellOverTheRanksOnAFloor) {
  EXPECT_THAT(ClassMix(0.0),
              Pointwise(DoubleNear(1e-6),
                        {0.496694, 0.326929, 0.097402, 0.020019, 0.010251,
                         0.009750, 0.009739, 0.009739, 0.009739, 0.009739}));
  EXPECT_THAT(ClassMix(0.3),
              Pointwise(DoubleNear(1e-6),
                        {0.022015, 0.106642, 0.285976, 0.338178, 0.173742,
                         0.042542, 0.010119, 0.007011, 0.006888, 0.006886}));
}

TEST(WorldTest, EveryStratumOfHabitatsHasOneLocation) {
  const ExampleOptions options = {.seed = 3};

  std::set<int> source_strata;
  std::set<int> target_strata;
  for (const Location& location : MakeLocations(options)) {
    if (location.is_source) {
      source_strata.insert(static_cast<int>(location.habitat * 24));
    } else {
      target_strata.insert(static_cast<int>(location.habitat * 8));
    }
  }

  std::set<int> all;
  for (int i = 0; i < 24; ++i) all.insert(i);
  EXPECT_EQ(source_strata, all);
  all.erase(all.find(8), all.end());
  EXPECT_EQ(target_strata, all);
}

TEST(WorldTest, ALocationsNumberSaysNothingAboutItsHabitat) {
  const auto locations =
      MakeLocations({.num_sources = 3000, .num_targets = 1000});

  const auto n = static_cast<double>(locations.size());
  double with_habitat = 0;
  double with_kind = 0;
  for (size_t i = 0; i < locations.size(); ++i) {
    const double number = (static_cast<double>(i) + 0.5) / n - 0.5;
    with_habitat += number * (locations[i].habitat - 0.5);
    with_kind += number * (locations[i].is_source ? 0.25 : -0.75);
  }
  // Divided by the standard deviations: four times 1 / sqrt(n) at most.
  EXPECT_NEAR(with_habitat / n * 12, 0, 0.064);
  EXPECT_NEAR(with_kind / n / std::sqrt(3.0 / 16 / 12), 0, 0.064);
}

TEST(WorldTest, NoGarmentIsUsedTwiceAndAllHaveTheFramesClass) {
  const std::vector<uint8_t> labels = Labels(/*per_class=*/400);
  const World world = MakeWorld({.num_sources = 6,
                                 .num_targets = 3,
                                 .frames_per_source = 200,
                                 .held_out_per_source = 50,
                                 .frames_per_target = 100},
                                labels);

  ASSERT_THAT(world.frames, SizeIs(6 * 300 + 3 * 100));
  std::set<size_t> garments;
  std::set<uint64_t> paint_seeds;
  for (const Frame& frame : world.frames) {
    garments.insert(frame.garment);
    paint_seeds.insert(frame.paint_seed);
    ASSERT_LT(frame.garment, labels.size());
    EXPECT_EQ(labels[frame.garment], frame.label);
  }
  EXPECT_THAT(garments, SizeIs(world.frames.size()));
  EXPECT_THAT(paint_seeds, SizeIs(world.frames.size()));
}

TEST(WorldTest, EveryClassMayBeUsedUp) {
  ExampleOptions options = {.num_sources = 2,
                            .num_targets = 0,
                            .frames_per_source = 100,
                            .held_out_per_source = 0};
  const auto locations = MakeLocations(options);
  const World world = MakeWorld(options, Labels(200));
  std::vector<uint8_t> exactly;
  for (const Frame& frame : world.frames) {
    exactly.push_back(static_cast<uint8_t>(frame.label));
  }

  EXPECT_TRUE(PlanFrames(options, locations, exactly).ok());

  // Another one is there in its place, but of another class.
  const size_t missing = exactly.back();
  exactly.back() = static_cast<uint8_t>((missing + 1) % 10);
  const absl::Status status = PlanFrames(options, locations, exactly).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const auto needed = static_cast<size_t>(
      std::ranges::count(world.frames, missing, &Frame::label));
  EXPECT_EQ(
      status.message(),
      "the frames need " + std::to_string(needed) + " pictures of class \"" +
          std::string(kGarmentClasses[missing]) + "\", expected at most the " +
          std::to_string(needed - 1) + " that there are");
}

TEST(WorldTest, SaysHowManyPicturesAllFramesNeed) {
  const ExampleOptions options = {.num_sources = 1'000'000,
                                  .num_targets = 1,
                                  .frames_per_source = 1'000'000,
                                  .held_out_per_source = 0,
                                  .frames_per_target = 5};

  const absl::Status status =
      PlanFrames(options, /*locations=*/{}, Labels(2)).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("need 1000000000005 pictures, expected at most the 20"));
}

TEST(WorldTest, ClassesFollowTheMixOfTheHabitatInEverySplit) {
  const World world = MakeWorld({.seed = 11,
                                 .num_sources = 4,
                                 .num_targets = 2,
                                 .frames_per_source = 1500,
                                 .held_out_per_source = 1500,
                                 .frames_per_target = 1500},
                                Labels(20'000));

  for (const trainer::Split split :
       {trainer::Split::kTrain, trainer::Split::kIdVal, trainer::Split::kIdTest,
        trainer::Split::kTest}) {
    for (size_t i = 0; i < world.locations.size(); ++i) {
      if (world.locations[i].is_source == (split == trainer::Split::kTest))
        continue;
      std::vector<double> counts(10);
      for (const Frame& frame : world.frames) {
        if (frame.location == i && frame.split == split) ++counts[frame.label];
      }
      const auto mix = ClassMix(world.locations[i].habitat);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 1500);
      double chi_square = 0;
      for (size_t label = 0; label < 10; ++label) {
        const double expected = 1500 * mix[label];
        chi_square += std::pow(counts[label] - expected, 2) / expected;
      }
      // Exceeded once in 100,000 times, with 9 degrees of freedom.
      EXPECT_LT(chi_square, 39.3) << trainer::SplitName(split) << " of " << i;
      EXPECT_GT(chi_square, 0.2) << "drawn, not rounded";
    }
  }
}

TEST(WorldTest, AnotherSeedGivesAnotherWorld) {
  ExampleOptions options = {.num_sources = 5,
                            .num_targets = 2,
                            .frames_per_source = 20,
                            .held_out_per_source = 0,
                            .frames_per_target = 20};
  const World world = MakeWorld(options, Labels(140));
  options.seed = 1;
  const World other = MakeWorld(options, Labels(140));

  size_t num_same = 0;
  for (size_t i = 0; i < world.frames.size(); ++i) {
    num_same += world.frames[i].garment == other.frames[i].garment ? 1 : 0;
  }
  EXPECT_LT(num_same, 20u);
  EXPECT_NE(world.locations[0].habitat, other.locations[0].habitat);
}

}  // namespace
}  // namespace ladder::experiments
