// Loading a bundle against creating its ONNX Runtime sessions alone: what
// reading, verifying and preparing everything else adds. The bundle is the
// paper's largest (64 sources, 182 classes, 1024 style vectors each,
// ResNet-50). Pictures are small, so that warm-up runs, which both sides make,
// do not hide the difference.
//
//   load_bench [ROUNDS]

#include <onnxruntime_cxx_api.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "bench/bench_store.h"
#include "bench/measure.h"
#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"

namespace ladder::bench {
namespace {

constexpr ResNet50Sizes kSizes = {.image_size = 32};

void CreateSessions(const std::filesystem::path& bundle) {
  const Ort::Env env;
  Ort::SessionOptions options;
  for (const char* name :
       {model_store::kEncoderFile, model_store::kHeadsFile}) {
    const auto file = ValueOrDie(model_store::FileBytes::Read(bundle / name));
    const Ort::Session session(env, file.bytes().data(), file.bytes().size(),
                               options);
  }
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder::bench;  // NOLINT: a program of one file.
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const BenchStore store(kSizes);
  const auto engine = ValueOrDie(ladder::model_store::Engine::Create(
      {.device = "cpu", .batch_sizes = {1}}));
  const PairedSeconds seconds = TimeInTurns(
      rounds, absl::ZeroDuration(),
      [&] { ValueOrDie(engine->Load(store.bundle(), {})); },
      [&] { CreateSessions(store.bundle()); });
  std::cout << std::fixed << std::setprecision(3) << "medians of " << rounds
            << " rounds\ncreating the sessions " << Median(seconds.second)
            << " s\nloading the bundle    " << Median(seconds.first)
            << " s\nratio                 " << Median(seconds.Ratios()) << '\n';
}
