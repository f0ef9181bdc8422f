// Engine::Encode against a bare Ort::Session::Run loop on the same graph, batch
// and number of threads. The ratio is the median over rounds.
//
//   engine_bench [ROUNDS]

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

#include "bench/bare_session.h"
#include "bench/bench_store.h"
#include "bench/measure.h"
#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"

namespace ladder::bench {
namespace {

constexpr double kRoundSeconds = 1;
// The bare session's threads go on spinning for a while after their last run,
// on cores that the engine's turn would need.
constexpr absl::Duration kBetweenTurns = absl::Milliseconds(200);

void Compare(const BenchStore& store, int64_t image_size, size_t batch,
             size_t threads, int rounds) {
  const auto engine = ValueOrDie(model_store::Engine::Create(
      {.device = "cpu", .threads = threads, .batch_sizes = {batch}}));
  const auto model = ValueOrDie(engine->Load(store.bundle(), {}));
  BareSession bare(store.bundle() / model_store::kEncoderFile, threads);
  std::vector<float> x(batch * 3 * image_size * image_size, 0.5F);
  const std::vector<int64_t> shape = {static_cast<int64_t>(batch), 3,
                                      image_size, image_size};

  const auto run_bare = [&] { bare.Encode(x, shape); };
  const auto run_engine = [&] { ValueOrDie(model->Encode(x, batch, {})); };
  run_bare();
  const double once = Time(run_bare);
  const int repeats = std::max(1, static_cast<int>(kRoundSeconds / once));
  const auto repeated = [&](auto run) {
    return [&, run] {
      for (int i = 0; i < repeats; ++i) run();
    };
  };
  const PairedSeconds seconds = TimeInTurns(
      rounds, kBetweenTurns, repeated(run_bare), repeated(run_engine));
  const double rows = static_cast<double>(batch) * repeats;
  std::cout << std::setw(6) << image_size << std::setw(7) << batch
            << std::setw(9) << threads << std::fixed << std::setprecision(1)
            << std::setw(14) << rows / Median(seconds.first) << std::setw(14)
            << rows / Median(seconds.second) << std::setprecision(3)
            << std::setw(9) << Median(seconds.Ratios()) << std::endl;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using ladder::bench::BenchStore;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  std::cout << "ResNet-50 encoder, images per second, medians of " << rounds
            << " rounds\n image  batch  threads  Session::Run        engine"
               "    ratio\n";
  // Small pictures show what the engine itself costs, large ones are the rule.
  for (const int64_t image_size : {32, 224}) {
    const BenchStore store({.image_size = image_size,
                            .num_sources = 8,
                            .fingerprint_samples = 64});
    for (const size_t threads : {1, 2}) {
      for (const size_t batch : {1, 8}) {
        ladder::bench::Compare(store, image_size, batch, threads, rounds);
      }
    }
  }
}
