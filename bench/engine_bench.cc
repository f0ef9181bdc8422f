// Engine::Encode against a bare Ort::Session::Run loop on the same graph, batch
// and number of threads. Rounds of both alternate, so that a noisy machine
// disturbs them alike; the ratio is the median over rounds.
//
//   engine_bench [ROUNDS]

#include <onnxruntime_cxx_api.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

#include "absl/time/clock.h"
#include "bench/bench_store.h"
#include "bench/sample_statistics.h"
#include "model_store/engine/engine.h"
#include "model_store/format/file_bytes.h"

namespace ladder::bench {
namespace {

constexpr double kRoundSeconds = 1;
// The bare session's threads go on spinning for a while after their last run,
// on cores that the engine's turn would need.
constexpr absl::Duration kBetweenTurns = absl::Milliseconds(200);

// What a program would do that calls ONNX Runtime by itself.
class BareLoop {
 public:
  BareLoop(const std::filesystem::path& encoder, size_t threads)
      : file_(ValueOrDie(model_store::MappedFile::Open(encoder))),
        session_(env_, file_.bytes().data(), file_.bytes().size(),
                 Options(threads)) {}

  void Run(std::vector<float>& x, std::vector<int64_t> shape) {
    const char* inputs[] = {"x"};
    const char* outputs[] = {"z_c", "z_s", "gate"};
    const auto memory =
        Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    const Ort::Value input = Ort::Value::CreateTensor<float>(
        memory, x.data(), x.size(), shape.data(), shape.size());
    session_.Run(Ort::RunOptions{nullptr}, inputs, &input, 1, outputs, 3);
  }

 private:
  static Ort::SessionOptions Options(size_t threads) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(static_cast<int>(threads));
    return options;
  }

  Ort::Env env_;
  model_store::MappedFile file_;
  Ort::Session session_;
};

void Compare(const BenchStore& store, int64_t image_size, size_t batch,
             size_t threads, int rounds) {
  const auto engine = ValueOrDie(model_store::Engine::Create(
      {.device = "cpu", .threads = threads, .batch_sizes = {batch}}));
  const auto model = ValueOrDie(engine->Load(store.bundle(), {}));
  BareLoop bare(store.bundle() / model_store::kEncoderFile, threads);
  std::vector<float> x(batch * 3 * image_size * image_size, 0.5F);
  const std::vector<int64_t> shape = {static_cast<int64_t>(batch), 3,
                                      image_size, image_size};

  const auto run_bare = [&] { bare.Run(x, shape); };
  const auto run_engine = [&] { ValueOrDie(model->Encode(x, batch, {})); };
  run_bare();
  const double once = Time(run_bare);
  const int repeats = std::max(1, static_cast<int>(kRoundSeconds / once));
  std::vector<double> bare_seconds;
  std::vector<double> engine_seconds;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    // Who comes first alternates too.
    for (int turn = 0; turn < 2; ++turn) {
      const bool bare_turn = (round + turn) % 2 == 0;
      absl::SleepFor(kBetweenTurns);
      const double seconds = Time([&] {
        for (int i = 0; i < repeats; ++i) bare_turn ? run_bare() : run_engine();
      });
      (bare_turn ? bare_seconds : engine_seconds).push_back(seconds);
    }
    ratios.push_back(bare_seconds.back() / engine_seconds.back());
  }
  const double rows = static_cast<double>(batch) * repeats;
  std::cout << std::setw(6) << image_size << std::setw(7) << batch
            << std::setw(9) << threads << std::fixed << std::setprecision(1)
            << std::setw(14) << rows / Median(bare_seconds) << std::setw(14)
            << rows / Median(engine_seconds) << std::setprecision(3)
            << std::setw(9) << Median(ratios) << std::endl;
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
