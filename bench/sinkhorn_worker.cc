// Computes distances on demand for compare_geomloss, which measures the same
// clouds with GeomLoss in between. Reads a problem file (little-endian):
//   uint64 n, d, E; uint64 m[E]; float target[n*d]; float source_e[m_e*d] ...
// and then, for every line "N" on standard input, computes all distances once
// on N threads and prints: CPU seconds, wall seconds, and the E distances.
//
// Usage: sinkhorn_worker PROBLEM [TARGET]; TARGET limits the instruction set
// (AVX3, AVX2, SSE4, SCALAR, ...) to the named one.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "hwy/targets.h"
#include "routing/simd/processor.h"
#include "routing/sinkhorn_distance.h"
#include "routing/thread_pool.h"

namespace {

using ladder::routing::Fingerprints;
using ladder::routing::MatrixView;
using ladder::routing::SinkhornDistance;
using ladder::routing::ThreadPool;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "sinkhorn_worker: %s\n", message.c_str());
  std::exit(1);
}

template <typename T>
std::vector<T> Read(std::istream& file, size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) Fail("the problem file is too short");
  return values;
}

void LimitTarget(const std::string& name) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    if (hwy::TargetName(target) == name) {
      hwy::SetSupportedTargetsForTest(target);
      return;
    }
  }
  Fail("this machine has no instruction set " + name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) Fail("usage: sinkhorn_worker PROBLEM [TARGET]");
  if (argc == 3) LimitTarget(argv[2]);
  std::ifstream file(argv[1], std::ios::binary);
  const auto shape = Read<uint64_t>(file, 3);
  const size_t rows = shape[0];
  const size_t dimension = shape[1];
  const auto counts = Read<uint64_t>(file, shape[2]);
  const auto target = Read<float>(file, rows * dimension);
  std::vector<std::vector<float>> values;
  std::vector<MatrixView> clouds;
  for (const uint64_t count : counts) {
    values.push_back(Read<float>(file, count * dimension));
    clouds.push_back({values.back().data(), count, dimension});
  }

  auto fingerprints = Fingerprints::Create(clouds, {}, {});
  if (!fingerprints.ok()) Fail(fingerprints.status().ToString());
  const SinkhornDistance distance(*std::move(fingerprints));
  std::vector<size_t> sources(clouds.size());
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<double> distances(clouds.size());
  std::printf("%s\n", ladder::routing::simd::TargetName());
  std::fflush(stdout);

  std::unique_ptr<ThreadPool> pool;
  for (std::string line; std::getline(std::cin, line);) {
    const int threads = std::atoi(line.c_str());
    if (pool == nullptr || pool->num_threads() != threads) {
      pool = std::make_unique<ThreadPool>(threads);
    }
    absl::Status status;
    double wall = 0;
    const double cpu = ladder::bench::ProcessorTime([&] {
      wall = ladder::bench::Time([&] {
        status = distance.Compute({target.data(), rows, dimension}, sources,
                                  distances, {.pool = pool.get()});
      });
    });
    std::printf("%.9f %.9f", cpu, wall);
    if (!status.ok()) Fail(status.ToString());
    for (const double each : distances) std::printf(" %.17g", each);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
