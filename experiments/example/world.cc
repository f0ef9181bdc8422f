#include "experiments/example/world.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "experiments/random_draws.h"
#include "routing/counter_rng.h"
#include "trainer/data/domain_sampler.h"

namespace ladder::experiments {
namespace {

constexpr int64_t kMaxCount = 1'000'000;  // Far more than there are pictures.
constexpr size_t kNumClasses = kGarmentClasses.size();

constexpr double kMixWidth = 0.12;  // How far a class spreads over habitats.
constexpr double kMixFloor =
    0.02;  // Every class is seen everywhere, if rarely.

// Each use of randomness has a seed of its own.
enum class Use : uint64_t { kNumbers, kHabitats, kLabels, kPaint, kGarments };

uint64_t SeedFor(uint64_t seed, Use use) {
  return routing::CounterRng(seed).Bits(static_cast<uint64_t>(use));
}

size_t DrawLabel(double habitat, uint64_t seed) {
  const std::array<double, kNumClasses> mix = ClassMix(habitat);
  double rest = RandomDraws(seed).Uniform();
  size_t label = 0;
  // Rounding may leave some rest behind the last class.
  while (label + 1 < kNumClasses && rest >= mix[label]) rest -= mix[label++];
  return label;
}

// The frames of all locations, but for their garments.
std::vector<Frame> ListFrames(const ExampleOptions& options,
                              std::span<const Location> locations) {
  const routing::CounterRng label_seeds(SeedFor(options.seed, Use::kLabels));
  const routing::CounterRng paint_seeds(SeedFor(options.seed, Use::kPaint));
  std::vector<Frame> frames;
  const auto add = [&](size_t location, trainer::Split split, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const double habitat = locations[location].habitat;
      frames.push_back(
          {.location = location,
           .split = split,
           .label = DrawLabel(habitat, label_seeds.Bits(frames.size())),
           .paint_seed = paint_seeds.Bits(frames.size())});
    }
  };
  for (size_t i = 0; i < locations.size(); ++i) {
    if (locations[i].is_source) {
      add(i, trainer::Split::kTrain, options.frames_per_source);
      add(i, trainer::Split::kIdVal, options.held_out_per_source);
      add(i, trainer::Split::kIdTest, options.held_out_per_source);
    } else {
      add(i, trainer::Split::kTest, options.frames_per_target);
    }
  }
  return frames;
}

}  // namespace

absl::Status ExampleOptions::Validate() const {
  const struct {
    absl::string_view name;
    int64_t value;
    int64_t least;
  } counts[] = {{"num_sources", num_sources, 1},
                {"num_targets", num_targets, 0},
                {"frames_per_source", frames_per_source, 1},
                {"held_out_per_source", held_out_per_source, 0},
                {"frames_per_target", frames_per_target, 1}};
  for (const auto& [name, value, least] : counts) {
    if (value >= least && value <= kMaxCount) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": expected ", least, " to ", kMaxCount, ", got ", value));
  }
  if (out.empty()) {
    return absl::InvalidArgumentError("out: expected a folder's name");
  }
  return absl::OkStatus();
}

std::array<double, kNumClasses> ClassMix(double habitat) {
  std::array<double, kNumClasses> mix = {};
  double sum = 0;
  for (size_t rank = 0; rank < kNumClasses; ++rank) {
    const double home = static_cast<double>(rank) / (kNumClasses - 1);
    const double distance = (home - habitat) / kMixWidth;
    mix[rank] = std::exp(-0.5 * distance * distance) + kMixFloor;
    sum += mix[rank];
  }
  for (double& share : mix) share /= sum;
  return mix;
}

std::vector<Location> MakeLocations(const ExampleOptions& options) {
  const auto num_sources = static_cast<size_t>(options.num_sources);
  const auto num_targets = static_cast<size_t>(options.num_targets);
  const routing::CounterRng seeds(SeedFor(options.seed, Use::kHabitats));
  const trainer::RandomOrder order(num_sources + num_targets,
                                   SeedFor(options.seed, Use::kNumbers));
  std::vector<Location> locations(num_sources + num_targets);
  for (size_t i = 0; i < locations.size(); ++i) {
    const uint64_t place = order.At(i);  // Sources first, by habitat.
    const bool is_source = place < num_sources;
    const uint64_t stratum = is_source ? place : place - num_sources;
    const size_t num_strata = is_source ? num_sources : num_targets;
    const double within = RandomDraws(seeds.Bits(place)).Uniform();
    locations[i] = {.habitat = (static_cast<double>(stratum) + within) /
                               static_cast<double>(num_strata),
                    .is_source = is_source};
  }
  return locations;
}

absl::StatusOr<std::vector<Frame>> PlanFrames(
    const ExampleOptions& options, std::span<const Location> locations,
    std::span<const uint8_t> labels) {
  if (options.num_frames() > static_cast<int64_t>(labels.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the frames need ", options.num_frames(),
        " pictures, expected at most the ", labels.size(), " that there are"));
  }
  std::vector<Frame> frames = ListFrames(options, locations);

  std::array<std::vector<size_t>, kNumClasses> garments;
  for (size_t i = 0; i < labels.size(); ++i) garments[labels[i]].push_back(i);
  std::array<size_t, kNumClasses> needed = {};
  for (const Frame& frame : frames) ++needed[frame.label];
  const routing::CounterRng seeds(SeedFor(options.seed, Use::kGarments));
  std::vector<trainer::RandomOrder> orders;
  for (size_t label = 0; label < kNumClasses; ++label) {
    if (needed[label] > garments[label].size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the frames need ", needed[label], " pictures of class \"",
          kGarmentClasses[label], "\", expected at most the ",
          garments[label].size(), " that there are"));
    }
    orders.emplace_back(std::max<size_t>(garments[label].size(), 1),
                        seeds.Bits(label));
  }
  std::array<size_t, kNumClasses> used = {};
  for (Frame& frame : frames) {
    const uint64_t place = orders[frame.label].At(used[frame.label]++);
    frame.garment = garments[frame.label][place];
  }
  return frames;
}

}  // namespace ladder::experiments
