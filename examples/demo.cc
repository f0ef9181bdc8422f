// LADDER from end to end in a made-up world: experts for places with labels,
// then predictions for places without any, with the reasons for them.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/demo_report.h"
#include "examples/demo_world.h"
#include "routing/coverage.h"
#include "routing/fingerprints.h"
#include "routing/linear_heads.h"
#include "routing/router.h"
#include "routing/simd/processor.h"
#include "routing/sinkhorn_distance.h"
#include "routing/style_sample.h"
#include "routing/thread_pool.h"

namespace ladder::examples {
namespace {

using routing::Execution;
using routing::MatrixView;
using routing::Method;
using routing::MixedHead;
using routing::Router;
using Clock = std::chrono::steady_clock;

constexpr size_t kNumSources = 12;
constexpr size_t kImagesPerSource = 512;  // As many again are held out.
constexpr size_t kMaxStyleRows = 512;
constexpr size_t kScoredImages = 4000;
constexpr size_t kNeighbours = 4;

struct Group {
  absl::string_view name;
  absl::string_view remark;
  double habitat;
  size_t num_images;
};

constexpr std::array kGroups = {
    Group{"ford", "between two labelled places", 0.23, 3000},
    Group{"wood", "between two", 0.51, 400},
    Group{"moor", "between two, few images", 0.78, 60},
    Group{"camp", "between two, hardly any images", 0.41, 5},
    Group{"scree", "a little past the last", 1.10, 500},
    // Half a turn of the rule from the summit: the worst place to trust the
    // summit's expert, which is the nearest.
    Group{"ice", "far beyond all, where the rule has turned about", 1.70, 800},
};

// No two visits share an image.
constexpr uint64_t FirstVisit(size_t place) { return 2 * place; }
constexpr uint64_t SecondVisit(size_t place) { return 2 * place + 1; }

// The parts of a model bundle, made from the sources alone.
struct Model {
  routing::StyleNormalizer normalizer;
  routing::LinearHeads heads;
  Router router;
  double tau = 0;
  double home_accuracy = 0;
};

std::vector<MatrixView> StyleViews(std::span<const Images> places) {
  std::vector<MatrixView> views;
  for (const Images& images : places) views.push_back(images.Style());
  return views;
}

routing::LinearHeads Stack(std::span<const MixedHead> heads) {
  std::vector<float> weights;
  std::vector<float> bias;
  for (const MixedHead& head : heads) {
    weights.insert(weights.end(), head.weight.begin(), head.weight.end());
    bias.insert(bias.end(), head.bias.begin(), head.bias.end());
  }
  return routing::LinearHeads::Create(heads.size(), DemoWorld::kNumClasses,
                                      DemoWorld::kCausalDim, std::move(weights),
                                      std::move(bias))
      .value();
}

// The temperature at which the last neighbour weighs e^-2 of the nearest, in
// the median of the sources when each plays the new group and meets the others.
// No target takes part in it.
double TauFromSources(const Router& router,
                      std::span<const MatrixView> held_out,
                      const Execution& execution) {
  std::vector<double> gaps;
  for (size_t e = 0; e < held_out.size(); ++e) {
    auto distances = router.Distances(held_out[e], execution).value();
    distances.erase(distances.begin() + static_cast<ptrdiff_t>(e));
    std::sort(distances.begin(), distances.end());
    gaps.push_back(distances[kNeighbours - 1] - distances[0]);
  }
  std::sort(gaps.begin(), gaps.end());
  return gaps[gaps.size() / 2] / 2;
}

Model TrainModel(const DemoWorld& world, const Execution& execution) {
  std::vector<Images> labelled(kNumSources);
  std::vector<Images> held_out(kNumSources);
  std::vector<MixedHead> experts(kNumSources);
  CheckOk(execution.ForEach(kNumSources, [&](size_t e) {
    const double habitat = static_cast<double>(e) / (kNumSources - 1);
    labelled[e] = world.TakeImages(habitat, kImagesPerSource, FirstVisit(e));
    held_out[e] = world.TakeImages(habitat, kImagesPerSource, SecondVisit(e));
    experts[e] = FitHead(labelled[e]);
  }));
  double home_accuracy = 0;
  for (size_t e = 0; e < kNumSources; ++e) {
    home_accuracy += Accuracy(experts[e], held_out[e]) / kNumSources;
  }

  auto normalizer = routing::StyleNormalizer::Fit(StyleViews(labelled)).value();
  for (auto* places : {&labelled, &held_out}) {
    for (Images& images : *places) {
      CheckOk(normalizer.Apply(images.Style(), images.style));
    }
  }
  auto distance = std::make_shared<const routing::SinkhornDistance>(
      routing::Fingerprints::Create(StyleViews(labelled), {}, execution)
          .value());
  auto calibration = routing::CalibrateCoverage(*distance, StyleViews(held_out),
                                                {.repeats = 2}, execution)
                         .value();
  auto router =
      Router::Create(std::move(distance), std::move(calibration)).value();
  const double tau = TauFromSources(router, StyleViews(held_out), execution);
  return {.normalizer = std::move(normalizer),
          .heads = Stack(experts),
          .router = std::move(router),
          .tau = tau,
          .home_accuracy = home_accuracy};
}

// Shows the style vectors to a sample in chunks, as a stream brings them.
routing::StyleSample SampleStyle(const MatrixView& style) {
  constexpr size_t kChunkRows = 64;
  routing::StyleSample sample(style.cols, kMaxStyleRows, /*seed=*/0);
  for (size_t row = 0; row < style.rows; row += kChunkRows) {
    const size_t rows = std::min(kChunkRows, style.rows - row);
    CheckOk(sample.Add({style.Row(row).data(), rows, style.cols}));
  }
  return sample;
}

GroupResult PredictGroup(const DemoWorld& world, const Model& model,
                         size_t index, const Execution& execution) {
  const Group& group = kGroups[index];
  const size_t place = kNumSources + index;
  const Images images =
      world.TakeImages(group.habitat, group.num_images, FirstVisit(place));
  const routing::StyleSample sample = SampleStyle(images.Style());

  const auto start = Clock::now();
  std::vector<float> style(sample.rows().Values().size());
  CheckOk(model.normalizer.Apply(sample.rows(), style));
  const routing::GroupStyle known = {
      .style = {style.data(), sample.rows().rows, sample.dimension()},
      .num_seen = sample.num_seen()};
  const routing::RoutingOptions options = {
      .k = kNeighbours,
      .tau = model.tau,
      .stability = routing::StabilityOptions{}};
  const routing::Routing ladder =
      model.router.Route(known, options, execution).value();
  const auto routing_time = Clock::now() - start;

  // Labels come in here and nowhere else. The images are other ones of the same
  // place, or a small group's score would be a matter of luck.
  const Images scored =
      world.TakeImages(group.habitat, kScoredImages, SecondVisit(place));
  const auto score = [&](const routing::Routing& routing) {
    return Accuracy(model.heads.Mix(routing.weights).value(), scored);
  };
  const auto decide = [&](Method method) {
    return model.router
        .Decide(known, ladder.distances, {.method = method}, execution)
        .value();
  };
  return {
      .name = group.name,
      .remark = group.remark,
      .true_place = group.habitat * (kNumSources - 1),
      .routing = ladder,
      .routing_time = routing_time,
      .scores = {.ladder = score(ladder),
                 .nearest = score(decide(Method::kNearest)),
                 .uniform = score(decide(Method::kUniform)),
                 .true_rule = Accuracy(world.TrueHead(group.habitat), scored)}};
}

constexpr absl::string_view kHelp =
    R"(usage: ladder-demo [--seed N] [--threads N]
Shows in a made-up world how LADDER weights experts for places without labels.
  --seed N     what the world and its images follow from (default 1)
  --threads N  threads to run on, 1 to 256 (default: one per processor)
  --help       print this and exit
)";

struct Flags {
  uint64_t seed = 1;
  uint64_t threads = std::thread::hardware_concurrency();
  bool help = false;
};

// InvalidArgument, saying what was expected, for anything but the flags of
// kHelp; "--seed=N" does as well as "--seed N".
absl::StatusOr<Flags> ParseFlags(std::span<char*> arguments) {
  Flags flags;
  struct Number {
    absl::string_view name;
    uint64_t lowest;
    uint64_t highest;
    uint64_t& value;
  };
  const std::array numbers = {Number{"--seed", 0, UINT64_MAX, flags.seed},
                              Number{"--threads", 1, 256, flags.threads}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--help") {
      flags.help = true;
      continue;
    }
    const size_t equals = argument.find('=');
    const auto number =
        std::ranges::find(numbers, argument.substr(0, equals), &Number::name);
    if (number == numbers.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected --seed N, --threads N or --help, got '", argument, "'"));
    }
    absl::string_view text;
    if (equals != argument.npos) {
      text = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      text = arguments[++i];
    }
    if (!absl::SimpleAtoi(text, &number->value) ||
        number->value < number->lowest || number->value > number->highest) {
      return absl::InvalidArgumentError(absl::StrCat(
          number->name, ": expected a whole number from ", number->lowest,
          " to ", number->highest, ", got '", text, "'"));
    }
  }
  return flags;
}

void RunDemo(const Flags& flags) {
  routing::ThreadPool pool(static_cast<int>(flags.threads));
  const Execution execution{.pool = &pool, .stop = {}};
  const DemoWorld world(flags.seed);

  const auto start = Clock::now();
  const Model model = TrainModel(world, execution);
  PrintIntroduction({.num_sources = kNumSources,
                     .images_per_source = kImagesPerSource,
                     .style_dimension = DemoWorld::kStyleDim,
                     .k = kNeighbours,
                     .tau = model.tau,
                     .home_accuracy = model.home_accuracy,
                     .training_time = Clock::now() - start});
  std::vector<GroupResult> results;
  for (size_t index = 0; index < kGroups.size(); ++index) {
    results.push_back(PredictGroup(world, model, index, execution));
    PrintGroup(results.back());
  }
  PrintSummary(results, {.scored_images = kScoredImages,
                         .seed = flags.seed,
                         .num_threads = pool.num_threads(),
                         .simd_target = routing::simd::TargetName()});
}

}  // namespace
}  // namespace ladder::examples

int main(int argc, char** argv) {
  using ladder::examples::ParseFlags;
  const auto flags = ParseFlags({argv + 1, argv + argc});
  if (!flags.ok()) {
    std::cerr << "ladder-demo: " << flags.status().message() << '\n';
    return 2;
  }
  if (flags->help) {
    std::cout << ladder::examples::kHelp;
    return 0;
  }
  ladder::examples::RunDemo(*flags);
  return 0;
}
