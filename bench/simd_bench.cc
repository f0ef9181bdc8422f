// The two kernels in which routing spends its time, beside what they are
// measured against: the matrix product of OpenBLAS, which does less than
// CrossCosts (no norms, no square roots); and the hot start's sweep.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/measure.h"
#include "benchmark/benchmark.h"
#ifdef LADDER_HAVE_OPENBLAS
#include "cblas.h"
#endif
#include "routing/aligned_buffer.h"
#include "routing/packed_cloud.h"
#include "routing/simd/cost_matrix.h"
#include "routing/simd/costs.h"
#include "routing/simd/kernel_sums.h"
#include "routing/simd/processor.h"

namespace ladder::bench {
namespace {

using routing::AlignedBuffer;
using routing::PackedCloud;
namespace simd = routing::simd;

constexpr size_t kSourceRows = 1024;
constexpr size_t kDimension = 128;

// A target of `rows` points and a source of 1024, in 128 dimensions.
class Problem {
 public:
  explicit Problem(size_t rows)
      : x_(NormalValues(rows * kDimension, 0.2F, 1)),
        y_(NormalValues(kSourceRows * kDimension, 0, 2)) {
    x.Assign({x_.data(), rows, kDimension});
    y.Assign({y_.data(), kSourceRows, kDimension});
    const size_t stride = simd::CostStride(kSourceRows);
    costs = {
        .data = storage_.Reserve(simd::RoundUp(rows, simd::kRowBlock) * stride),
        .stride = stride,
        .rows = rows,
        .cols = kSourceRows,
        .upper_only = false};
    for (AlignedBuffer<float>* buffer :
         {&row_exponents, &col_exponents, &row_sums, &col_sums}) {
      const size_t size = simd::RoundUp(std::max(rows, stride), simd::kLanePad);
      std::fill_n(buffer->Reserve(size), size, 0.0F);
    }
  }

  void ComputeCosts() {
    simd::CrossCosts(x.View(), y.View(), costs, row_sums.data(),
                     col_sums.data());
  }

  PackedCloud x;
  PackedCloud y;
  simd::CostMatrix costs;
  AlignedBuffer<float> row_exponents;
  AlignedBuffer<float> col_exponents;
  AlignedBuffer<float> row_sums;
  AlignedBuffer<float> col_sums;

 private:
  std::vector<float> x_;
  std::vector<float> y_;
  AlignedBuffer<float> storage_;
};

// Counts what the matrix product within the costs takes.
void SetFlops(benchmark::State& state) {
  const auto pairs = static_cast<double>(state.range(0)) * kSourceRows;
  state.counters["flop/s"] = benchmark::Counter(
      2 * pairs * kDimension, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_CrossCosts(benchmark::State& state) {
  Problem problem(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    problem.ComputeCosts();
    benchmark::ClobberMemory();
  }
  SetFlops(state);
  state.SetLabel(simd::TargetName());
}
BENCHMARK(BM_CrossCosts)->Arg(64)->Arg(256)->Arg(1024);

#ifdef LADDER_HAVE_OPENBLAS
void BM_OpenBlasProduct(benchmark::State& state) {
  Problem problem(static_cast<size_t>(state.range(0)));
  const auto x = problem.x.points();
  const auto y = problem.y.points();
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans,
                static_cast<blasint>(x.rows), static_cast<blasint>(y.rows),
                static_cast<blasint>(x.cols), -2.0F, x.data,
                static_cast<blasint>(x.cols), y.data,
                static_cast<blasint>(y.cols), 0.0F, problem.costs.data,
                static_cast<blasint>(problem.costs.stride));
    benchmark::ClobberMemory();
  }
  SetFlops(state);
  state.SetLabel(openblas_get_corename());
}
BENCHMARK(BM_OpenBlasProduct)->Arg(64)->Arg(256)->Arg(1024);
#endif

void BM_KernelSums(benchmark::State& state) {
  Problem problem(static_cast<size_t>(state.range(0)));
  problem.ComputeCosts();
  const simd::ScopedFlushDenormals flush;
  simd::Sweep sweep = simd::Sweep::kDown;
  for (auto _ : state) {
    simd::KernelSums(problem.costs, problem.row_exponents.data(),
                     problem.col_exponents.data(), 1.0F, sweep,
                     problem.row_sums.data(), problem.col_sums.data());
    sweep = sweep == simd::Sweep::kDown ? simd::Sweep::kUp : simd::Sweep::kDown;
    benchmark::ClobberMemory();
  }
  state.counters["exp/s"] =
      benchmark::Counter(static_cast<double>(state.range(0)) * kSourceRows,
                         benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(simd::TargetName());
}
BENCHMARK(BM_KernelSums)->Arg(64)->Arg(256)->Arg(1024);

// The hot start's sweep over the costs, which replaces several passes.
void BM_ResidualSums(benchmark::State& state) {
  Problem problem(static_cast<size_t>(state.range(0)));
  problem.ComputeCosts();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        simd::ResidualSums(problem.costs, problem.row_exponents.data(),
                           problem.col_exponents.data(), 1e9F,
                           problem.row_sums.data(), problem.col_sums.data()));
  }
  state.counters["bytes/s"] = benchmark::Counter(
      static_cast<double>(state.range(0)) * kSourceRows * sizeof(float),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_ResidualSums)->Arg(64)->Arg(256)->Arg(1024);

}  // namespace
}  // namespace ladder::bench
