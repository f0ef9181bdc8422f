// Measures what swapping versions costs the requests in flight: the latency of
// getting the model from the store and encoding one sample with it, in rounds
// with and without versions being swapped meanwhile. Each version is loaded
// once before, so that the swap is measured and not the loading, which competes
// for the CPU. A second round without swaps shows how far two equal rounds lie
// apart.
//
//   swap_bench [ROUNDS]

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "bench/bench_store.h"
#include "bench/measure.h"
#include "model_store/engine/engine.h"
#include "model_store/store/model_store.h"

namespace ladder::bench {
namespace {

using model_store::ModelStore;

constexpr ResNet50Sizes kSizes = {
    .image_size = 32, .num_sources = 8, .fingerprint_samples = 64};
constexpr char kModel[] = "resnet50";
constexpr double kRoundSeconds = 2;
constexpr absl::Duration kBetweenSwaps = absl::Milliseconds(10);

// Loads every version once and hands out the same model from then on.
class CachingLoader final : public model_store::ModelLoader {
 public:
  explicit CachingLoader(ModelLoader& loader) : loader_(loader) {}

  absl::StatusOr<std::shared_ptr<const model_store::Model>> Load(
      const std::filesystem::path& directory, std::stop_token stop) override {
    const base::MutexLock lock(mutex_);
    auto& model = models_[directory];
    if (model == nullptr) {
      LADDER_ASSIGN_OR_RETURN(model, loader_.Load(directory, std::move(stop)));
    }
    return model;
  }

 private:
  ModelLoader& loader_;
  base::Mutex mutex_;
  std::map<std::filesystem::path, std::shared_ptr<const model_store::Model>>
      models_;
};

// Version 2 comes and goes above version 1. Returns how often.
int SwapUntil(const std::stop_token& stop, ModelStore& store) {
  int swaps = 0;
  while (!stop.stop_requested()) {
    OkOrDie(store.Load(kModel, 2));
    absl::SleepFor(kBetweenSwaps);
    OkOrDie(store.Unload(kModel, 2));
    absl::SleepFor(kBetweenSwaps);
    swaps += 2;
  }
  return swaps;
}

// The latencies of requests for what `get` returns, one after the other.
std::vector<double> RequestSeconds(
    absl::FunctionRef<absl::StatusOr<model_store::ModelHandle>()> get) {
  const std::vector<float> x(3 * kSizes.image_size * kSizes.image_size, 0.5F);
  std::vector<double> latencies;
  for (double total = 0; total < kRoundSeconds; total += latencies.back()) {
    latencies.push_back(Time([&] {
      const auto model = ValueOrDie(get());
      ValueOrDie(model->Encode(x, 1, {}));
    }));
  }
  return latencies;
}

// Both versions stay served; requests change between them as often as swaps
// would make them, because changing to other weights costs a request time that
// is the processor's caches' and not the store's.
double QuietP99(const ModelStore& store) {
  const absl::Time start = absl::Now();
  return Quantile(RequestSeconds([&] {
                    const auto change = (absl::Now() - start) / kBetweenSwaps;
                    return store.GetVersion(
                        kModel, 1 + static_cast<uint64_t>(change) % 2);
                  }),
                  0.99);
}

double SwappedP99(ModelStore& store, int& swaps) {
  std::jthread swapper(
      [&](const std::stop_token& stop) { swaps += SwapUntil(stop, store); });
  const double p99 =
      Quantile(RequestSeconds([&] { return store.Get(kModel); }), 0.99);
  swapper.request_stop();
  swapper.join();
  OkOrDie(store.Load(kModel, 2));
  return p99;
}

// The median and the quartiles of the rounds' ratios.
std::string RatioText(const std::vector<double>& a,
                      const std::vector<double>& b) {
  const std::vector<double> ratios = PairedSeconds{a, b}.Ratios();
  return absl::StrFormat("%.3f, quartiles %.3f and %.3f", Median(ratios),
                         Quantile(ratios, 0.25), Quantile(ratios, 0.75));
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder::bench;  // NOLINT: a program of one file.
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const BenchStore folder(kSizes, /*num_versions=*/2);
  const auto engine = ValueOrDie(ladder::model_store::Engine::Create(
      {.device = "cpu", .threads = 1, .batch_sizes = {1}}));
  CachingLoader loader(*engine);
  const auto store = ValueOrDie(
      ModelStore::Open(folder.path(), loader,
                       {.mode = ladder::model_store::StoreMode::kExplicit}));
  OkOrDie(store->Load(kModel, 1));
  OkOrDie(store->Load(kModel, 2));

  int swaps = 0;
  std::vector<double> quiet;
  std::vector<double> again;
  std::vector<double> swapped;
  for (int round = 0; round < rounds; ++round) {
    // Before and after in turn, so that a drift of the machine cancels out.
    quiet.push_back(QuietP99(*store));
    if (round % 2 == 0) swapped.push_back(SwappedP99(*store, swaps));
    again.push_back(QuietP99(*store));
    if (round % 2 != 0) swapped.push_back(SwappedP99(*store, swaps));
  }
  std::cout << std::fixed << std::setprecision(3) << "medians of " << rounds
            << " rounds, " << swaps << " swaps\np99 without swaps "
            << 1e3 * Median(quiet) << " ms\np99 with swaps    "
            << 1e3 * Median(swapped) << " ms\n"
            << "with / without    " << RatioText(swapped, quiet)
            << "\nwithout / without " << RatioText(again, quiet)
            << "  (what the machine's noise is)\n";
}
