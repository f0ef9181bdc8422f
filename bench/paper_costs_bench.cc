// Measures what a bundle of either of the paper's settings takes on disk,
// against the floats that the method needs (4 E C d_c + 4 E m d_s bytes), and
// what the parts of a prediction take for a group of 1024 samples at 224 x 224,
// in processor time, medians of rounds in which all parts are measured once.
//
//   paper_costs_bench [ROUNDS]

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/bench_store.h"
#include "bench/measure.h"
#include "bench/paper_settings.h"
#include "model_store/engine/engine.h"
#include "model_store/inspect/bundle_report.h"

namespace ladder::bench {
namespace {

constexpr size_t kGroup = 1024;
constexpr size_t kBatch = 64;
constexpr uint64_t kSeed = 11;

model_store::Tensor HostTensor(size_t rows, size_t cols) {
  return model_store::Tensor::OnHost(
      NormalValues(rows * cols, /*mean=*/0, kSeed), rows, cols);
}

// Seconds that the parts of one group's prediction take.
struct Parts {
  std::vector<double> encode;     // One batch of the group.
  std::vector<double> summary;    // Reservoir and normalisation.
  std::vector<double> distances;  // Distances to all sources.
  std::vector<double> weights;    // K nearest and softmax.
  std::vector<double> mixture;    // The heads under one row of weights.
  std::vector<double> gates;      // The heads under weights for every sample.
};

Parts Measure(const PaperSetting& setting, const model_store::Model& model,
              int rounds) {
  const ResNet50Sizes sizes = setting.sizes();
  const std::vector<float> x = NormalValues(
      kBatch * 3 * static_cast<size_t>(sizes.image_size * sizes.image_size),
      /*mean=*/0, kSeed);
  const model_store::Tensor content =
      HostTensor(kGroup, sizes.content_dimension);
  const model_store::Tensor style = HostTensor(kGroup, sizes.style_dimension);
  const model_store::Tensor sample_weights =
      HostTensor(kGroup, sizes.num_sources);
  const routing::Execution execution;
  const routing::RoutingOptions options = {.k = setting.k, .tau = setting.tau};
  Parts parts;
  for (int round = 0; round <= rounds; ++round) {
    const auto measure = [&](std::vector<double>& part, auto body) {
      const double seconds = ProcessorTime(body);
      if (round > 0) part.push_back(seconds);  // The first round warms up.
    };
    measure(parts.encode, [&] { ValueOrDie(model.Encode(x, kBatch, {})); });
    std::vector<float> normalized(kGroup * sizes.style_dimension);
    measure(parts.summary, [&] {
      routing::StyleSample sample(sizes.style_dimension, kGroup, /*seed=*/0);
      OkOrDie(sample.Add(style.view()));
      OkOrDie(model.normalizer().Apply(sample.rows(), normalized));
    });
    const routing::MatrixView rows = {normalized.data(), kGroup,
                                      sizes.style_dimension};
    std::vector<double> distances;
    measure(parts.distances, [&] {
      distances = ValueOrDie(model.router().Distances(rows, execution));
    });
    std::vector<double> weights;
    measure(parts.weights, [&] {
      weights =
          ValueOrDie(model.router().Decide({.style = rows, .num_seen = kGroup},
                                           distances, options, execution))
              .weights;
    });
    const std::vector<float> row(weights.begin(), weights.end());
    measure(parts.mixture, [&] {
      ValueOrDie(model.Logits(content, {row.data(), 1, row.size()}, {}));
    });
    measure(parts.gates, [&] {
      ValueOrDie(model.Logits(content, sample_weights.view(), {}));
    });
  }
  return parts;
}

void PrintRuntime(const PaperSetting& setting, const Parts& parts) {
  const double encode = Median(parts.encode) * kGroup / kBatch;
  const double routing =
      Median(parts.summary) + Median(parts.distances) + Median(parts.weights);
  const double mixture = Median(parts.mixture);
  const auto line = [&](const char* part, double seconds) {
    std::printf("  %-32s %11.3f ms %9.4f %%\n", part, 1000 * seconds,
                100 * seconds / encode);
  };
  std::printf("  one group of %zu samples           time     of encoding\n",
              kGroup);
  line("encoding", encode);
  line("style summary", Median(parts.summary));
  line("distances to all sources", Median(parts.distances));
  line("K nearest and softmax", Median(parts.weights));
  line("heads, one row of weights", mixture);
  line("heads, weights for each sample", Median(parts.gates));
  std::printf("  routed against a single head: %.5f of its time\n",
              (encode + routing + mixture) / (encode + mixture));
  const auto samples = static_cast<double>(setting.evaluation_samples);
  const auto groups = static_cast<double>(setting.evaluation_groups);
  std::printf(
      "  evaluation (%.0f samples, %.0f groups): encoding %.1f min, routing "
      "%.2f s\n\n",
      samples, groups, encode * samples / kGroup / 60, routing * groups);
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder::bench;  // NOLINT: a program of one file.
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const auto engine = ValueOrDie(ladder::model_store::Engine::Create(
      {.device = "cpu", .batch_sizes = {kBatch}}));
  for (const PaperSetting& setting : kPaperSettings) {
    const BenchStore store(setting.sizes());
    const auto model = ValueOrDie(engine->Load(store.bundle(), {}));
    std::printf("%s (E = %zu, C = %zu)\n%s", setting.name, setting.num_sources,
                setting.num_classes,
                ladder::model_store::StorageText(model->manifest()).c_str());
    PrintRuntime(setting, Measure(setting, *model, rounds));
    std::fflush(stdout);
  }
}
