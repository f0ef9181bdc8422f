// Stage 1 of training, from JPEG files on disk to the optimizer's step, against
// a plain LibTorch loop of the same network and loss on tensors that are in
// memory already: what reading, decoding, batching, checkpoints and curves
// cost. Rounds of both alternate. The data is the worked example's
// (ladder-train make-example), smaller.
//
//   fit_bench [ROUNDS]

#include <ATen/Parallel.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <vector>

#include "base/system/control_group.h"
#include "bench/bench_store.h"
#include "bench/measure.h"
#include "experiments/example/make_example.h"
#include "trainer/data/covariate_readers.h"
#include "trainer/data/domain_sampler.h"
#include "trainer/data/open_dataset.h"
#include "trainer/fit/fit_context.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/trainee.h"

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;
using namespace ladder::trainer;  // NOLINT: a program of one file.

constexpr int64_t kSteps = 100;

class Silent : public FitObserver {
 public:
  void Message(absl::string_view) override {}
  void Progress(const FitProgress&) override {}
};

// The worked example with fewer frames, in a temporary folder.
class ExampleFolder {
 public:
  ExampleFolder() {
    ValueOrDie(experiments::MakeExample({.frames_per_source = 200,
                                         .held_out_per_source = 0,
                                         .frames_per_target = 1,
                                         .out = data()},
                                        /*execution=*/{},
                                        [](int64_t, int64_t) {}));
  }

  fs::path data() const { return folder_.path() / "data"; }
  fs::path run() const { return folder_.path() / "run"; }

 private:
  TemporaryFolder folder_;
};

// The data that both sides train on.
struct World {
  FitOptions options;
  Dataset dataset;
  SourceSelection selection;
};

World OpenWorld(const ExampleFolder& folder, int64_t image_size,
                double cache_gib) {
  World world;
  world.options = {.data = folder.data().string(),
                   .image_size = image_size,
                   .backbone = "small-cnn",
                   .epochs = 1,
                   .steps_per_epoch = kSteps,
                   .out = "none/none"};
  DatasetOptions options;
  options.image.height = image_size;
  options.image.width = image_size;
  world.dataset =
      WithCache(ValueOrDie(OpenDataset(folder.data(), options)).dataset,
                static_cast<size_t>(cache_gib * (1 << 30)));
  world.selection = ValueOrDie(SelectSources(world.dataset, {}));
  return world;
}

double StageSeconds(const World& world, const fs::path& run) {
  auto trainee = ValueOrDie(
      Trainee::Create(world.options, world.dataset, world.selection));
  Silent observer;
  BrokenSamples broken;
  fs::create_directories(run);
  const FitContext context = {.options = world.options,
                              .dataset = world.dataset,
                              .selection = world.selection,
                              .device = torch::kCPU,
                              .run = run,
                              .observer = observer,
                              .broken = broken,
                              .stop = {}};
  const double seconds =
      Time([&] { OkOrDie(RunRepresentationStage(context, *trainee)); });
  fs::remove_all(run);
  return seconds;
}

// All batches as tensors, before the clock runs.
std::vector<BatchTensors> AllBatches(const World& world) {
  const auto sampler =
      ValueOrDie(DomainSampler::Create(world.selection.samples, {}));
  const std::vector<int64_t> shape =
      model_store::SampleShape(world.dataset.input);
  std::vector<BatchTensors> batches;
  for (int64_t step = 0; step < kSteps; ++step) {
    std::vector<torch::Tensor> rows;
    std::vector<int64_t> labels;
    std::vector<int64_t> sources;
    for (const size_t sample : sampler.Batch(static_cast<uint64_t>(step))) {
      torch::Tensor row = torch::empty(shape);
      OkOrDie(world.dataset.reader->Read(
          sample, {row.data_ptr<float>(), static_cast<size_t>(row.numel())}));
      rows.push_back(std::move(row));
      const SampleInfo& info = world.dataset.samples[sample];
      labels.push_back(info.label);
      sources.push_back(
          world.selection.source_of_domain[static_cast<size_t>(info.domain)]);
    }
    batches.push_back({torch::stack(rows), torch::tensor(labels, torch::kLong),
                       torch::tensor(sources, torch::kLong)});
  }
  return batches;
}

double PlainSeconds(const World& world,
                    const std::vector<BatchTensors>& batches) {
  auto trainee = ValueOrDie(
      Trainee::Create(world.options, world.dataset, world.selection));
  torch::optim::AdamW optimizer(trainee->parameters(),
                                torch::optim::AdamWOptions(1e-4));
  trainee->train();
  return Time([&] {
    for (size_t step = 0; step < batches.size(); ++step) {
      optimizer.zero_grad();
      trainee->Loss(batches[step], static_cast<int64_t>(step)).total.backward();
      optimizer.step();
    }
  });
}

void Compare(const ExampleFolder& folder, int64_t image_size, double cache_gib,
             int rounds) {
  const World world = OpenWorld(folder, image_size, cache_gib);
  const std::vector<BatchTensors> batches = AllBatches(world);
  PairedSeconds seconds;         // The plain loop first.
  PlainSeconds(world, batches);  // Warms LibTorch up.
  for (int round = 0; round < rounds; ++round) {
    seconds.first.push_back(PlainSeconds(world, batches));
    seconds.second.push_back(StageSeconds(world, folder.run()));
  }
  const double samples = 32.0 * kSteps;
  std::cout << std::setw(6) << image_size << std::setw(12)
            << (cache_gib > 0 ? "cached" : "decoded") << std::fixed
            << std::setprecision(0) << std::setw(10)
            << samples / Median(seconds.first) << std::setw(10)
            << samples / Median(seconds.second) << std::setprecision(3)
            << std::setw(9) << Median(seconds.Ratios()) << std::endl;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  at::set_num_threads(static_cast<int>(ladder::base::GrantedCpus()));
  const ladder::bench::ExampleFolder folder;
  std::cout << "small-cnn, samples per second, medians of " << rounds
            << " rounds\n image     samples     plain   stage 1    ratio\n";
  for (const int64_t image_size : {32, 64}) {
    for (const double cache_gib : {1.0, 0.0}) {
      ladder::bench::Compare(folder, image_size, cache_gib, rounds);
    }
  }
}
