#ifndef LADDER_EXPERIMENTS_EXAMPLE_WORLD_H_
#define LADDER_EXPERIMENTS_EXAMPLE_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "experiments/example/garments.h"
#include "trainer/data/dataset.h"

// The example's world: what is seen where. All of it is a pure function of the
// options and of the pictures there are.
namespace ladder::experiments {

struct ExampleOptions {
  uint64_t seed = 0;
  int64_t num_sources = 24;           // Locations that are trained on.
  int64_t num_targets = 8;            // Locations that are not.
  int64_t frames_per_source = 1000;   // Frames in the split train.
  int64_t held_out_per_source = 150;  // Frames in id_val, as many in id_test.
  int64_t frames_per_target = 600;    // Frames in the split test.
  std::filesystem::path images = kDebianGarments;  // Fashion-MNIST's folder.
  std::filesystem::path out = {};                  // The folder to make.

  int64_t num_frames() const {
    return num_sources * (frames_per_source + 2 * held_out_per_source) +
           num_targets * frames_per_target;
  }

  // InvalidArgument if a number is out of range or there is no `out`.
  // Afterwards num_frames() does not overflow.
  absl::Status Validate() const;
};

// A place with a camera.
struct Location {
  double habitat = 0;  // A number in [0, 1] that no data set tells.
  bool is_source = false;
};

// A picture that a camera takes, before it is painted.
struct Frame {
  size_t location = 0;
  trainer::Split split = trainer::Split::kTrain;
  size_t label = 0;    // Index into kGarmentClasses.
  size_t garment = 0;  // Index into Garments; no two frames share one.
  uint64_t paint_seed = 0;
};

// The probability of each class in a habitat; sums to 1. Some three of the ten
// classes make up most of it.
std::array<double, kGarmentClasses.size()> ClassMix(double habitat);

// Sources and targets in a random order, so that a location's number says
// nothing; each kind is spread evenly over the habitats.
std::vector<Location> MakeLocations(const ExampleOptions& options);

// The frames of all locations, location by location. `labels` are those of the
// garments there are. InvalidArgument, saying how many it takes and how many
// there are, if there are too few, in all or of one class.
absl::StatusOr<std::vector<Frame>> PlanFrames(
    const ExampleOptions& options, std::span<const Location> locations,
    std::span<const uint8_t> labels);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_EXAMPLE_WORLD_H_
