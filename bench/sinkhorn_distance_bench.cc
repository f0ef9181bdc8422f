// Shows how the routing distance grows with the target's size n, the
// fingerprints' size m, the number of sources E, the dimension d and the number
// of threads.

#include <cstddef>
#include <numeric>
#include <vector>

#include "bench/measure.h"
#include "benchmark/benchmark.h"
#include "routing/simd/processor.h"
#include "routing/sinkhorn_distance.h"
#include "routing/thread_pool.h"

namespace ladder::bench {
namespace {

struct Size {
  size_t n = 256;
  size_t m = 1024;
  size_t num_sources = 11;
  size_t dimension = 128;
  int threads = 1;
};

void Measure(benchmark::State& state, const Size& size) {
  std::vector<std::vector<float>> values;
  std::vector<routing::MatrixView> clouds;
  for (size_t e = 0; e < size.num_sources; ++e) {
    values.push_back(NormalValues(size.m * size.dimension,
                                  0.05F * static_cast<float>(e), e + 1));
    clouds.push_back({values.back().data(), size.m, size.dimension});
  }
  routing::ThreadPool pool(size.threads);
  const routing::Execution execution{.pool = &pool};
  const routing::SinkhornDistance distance(
      routing::Fingerprints::Create(clouds, {}, execution).value());
  const std::vector<float> target =
      NormalValues(size.n * size.dimension, 0.2F, 99);
  std::vector<size_t> sources(size.num_sources);
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<double> distances(size.num_sources);
  for (auto _ : state) {
    const absl::Status status = distance.Compute(
        {target.data(), size.n, size.dimension}, sources, distances, execution);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
  }
  state.counters["per_pair"] =
      benchmark::Counter(static_cast<double>(size.num_sources),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
  state.SetLabel(routing::simd::TargetName());
}

void Vary(benchmark::State& state, size_t Size::*dimension) {
  Size size;
  size.*dimension = static_cast<size_t>(state.range(0));
  Measure(state, size);
}
BENCHMARK_CAPTURE(Vary, TargetSize, &Size::n)
    ->Unit(benchmark::kMillisecond)
    ->RangeMultiplier(4)
    ->Range(1, 1024);
BENCHMARK_CAPTURE(Vary, FingerprintSize, &Size::m)
    ->Unit(benchmark::kMillisecond)
    ->RangeMultiplier(4)
    ->Range(64, 4096);
BENCHMARK_CAPTURE(Vary, Sources, &Size::num_sources)
    ->Unit(benchmark::kMillisecond)
    ->RangeMultiplier(4)
    ->Range(1, 256);
BENCHMARK_CAPTURE(Vary, Dimension, &Size::dimension)
    ->Unit(benchmark::kMillisecond)
    ->RangeMultiplier(4)
    ->Range(2, 512);

void BM_Threads(benchmark::State& state) {
  Measure(state, {.n = 1024, .threads = static_cast<int>(state.range(0))});
}
BENCHMARK(BM_Threads)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Arg(1)
    ->Arg(2);

}  // namespace
}  // namespace ladder::bench
