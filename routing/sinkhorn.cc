#include "routing/sinkhorn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "routing/simd/costs.h"
#include "routing/simd/potentials.h"
#include "routing/simd/processor.h"

namespace ladder::routing {
namespace {

using simd::kLanePad;
using simd::RoundUp;

constexpr double kSelfCost = simd::kSmallestCost;

// A problem with this few pairs is not worth an approximation.
constexpr size_t kSmallProblem = 4096;

// The expansion of HotStart holds where no |C_ij - f_i - g_j| exceeds epsilon
// divided by this, and stops well above the blur so that enough true passes
// follow to forget its error. Measured: at most 2e-8 on the result.
constexpr double kHotRatio = 3;
constexpr double kHotAboveBlur = 20;
// With fewer steps to save it is not worth its own pass over the costs, nor
// does its crude first step wear off.
constexpr size_t kHotSteps = 6;

double Scale(double epsilon) { return std::numbers::log2e / epsilon; }

}  // namespace

absl::Status SinkhornOptions::Validate() const {
  if (!(blur > 0) || !std::isfinite(blur)) {
    return absl::InvalidArgumentError(
        absl::StrCat("blur must be positive and finite, got ", blur));
  }
  if (!(scaling > 0 && scaling < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("scaling must lie between 0 and 1, got ", scaling));
  }
  return absl::OkStatus();
}

absl::Status SinkhornOptions::CheckDiameter(double diameter,
                                            absl::string_view what,
                                            size_t source) const {
  if (diameter <= MaxDiameter()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, source, ": the diagonal of the box around all points is ", diameter,
      "; expected at most ", MaxDiameter(), ", a billion times the blur"));
}

void SinkhornSolver::Side::Resize(size_t new_count, size_t padded) {
  count = new_count;
  // Zeros also in the padding, which the kernels read and must not trip over.
  std::fill_n(potentials.Reserve(padded), padded, 0.0);
  std::fill_n(exponents.Reserve(padded), padded, 0.0F);
  std::fill_n(sums.Reserve(padded), padded, 0.0F);
  std::fill_n(means.Reserve(padded), padded, 0.0F);
}

void SinkhornSolver::Side::SetExponents(double scale) {
  for (size_t i = 0; i < count; ++i) {
    exponents.data()[i] = static_cast<float>(potentials.data()[i] * scale);
  }
}

double SinkhornSolver::Side::MeanPotential() const {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += potentials.data()[i];
  return sum / static_cast<double>(count);
}

void SinkhornSolver::PrepareCosts(size_t rows, size_t cols, bool upper_only) {
  const size_t stride = simd::CostStride(cols);
  costs_ = {
      .data = cost_storage_.Reserve(RoundUp(rows, simd::kRowBlock) * stride),
      .stride = stride,
      .rows = rows,
      .cols = cols,
      .upper_only = upper_only};
  sweep_ = simd::Sweep::kUp;  // Costs are written downwards.
  // A self problem's potentials stand for its columns too.
  rows_.Resize(rows, upper_only ? stride : RoundUp(rows, kLanePad));
  cols_.Resize(cols, stride);
}

double SinkhornSolver::Cross(const PackedCloud& x, const PackedCloud& y,
                             const EpsilonSchedule& schedule) {
  const simd::ScopedFlushDenormals flush_denormals;
  PrepareCosts(x.points().rows, y.points().rows, /*upper_only=*/false);
  simd::CrossCosts(x.View(), y.View(), costs_, rows_.means.data(),
                   cols_.means.data());
  const size_t first_step = IsSmall() ? 0 : HotStart(schedule);
  if (first_step == 0) RunFirstPass(schedule[0]);
  RunSchedule(schedule, first_step);
  return rows_.MeanPotential() + cols_.MeanPotential();
}

void SinkhornSolver::PrepareSelf(const PackedCloud& x) {
  const simd::ScopedFlushDenormals flush_denormals;
  PrepareCosts(x.points().rows, x.points().rows, /*upper_only=*/true);
  smallest_self_cost_ = simd::SelfCosts(x.View(), costs_);
}

double SinkhornSolver::Self(const EpsilonSchedule& schedule) {
  if (PointsAreIsolated()) {
    const auto n = static_cast<double>(costs_.rows);
    return 0.5 * (options_.blur * std::log(n) + kSelfCost);
  }
  const simd::ScopedFlushDenormals flush_denormals;
  sweep_ = simd::Sweep::kUp;
  rows_.Resize(costs_.rows, costs_.stride);
  RunFirstPass(schedule[0]);
  RunSchedule(schedule, 0);
  return rows_.MeanPotential();
}

bool SinkhornSolver::PointsAreIsolated() const {
  // An averaged pass at e leaves p <= U(e) = (e ln n + self cost) / 2, whatever
  // p was, because the diagonal alone bounds the transform from above; and the
  // transform is at least -max p. Unrolled over falling temperatures that gives
  // p >= -U(e) r / (1 - r) with r = 1 / (2 scaling).
  const double ratio = 0.5 / options_.scaling;
  if (ratio >= 0.9) return false;
  const double log_count = std::log(static_cast<double>(costs_.rows));
  const double before_last = options_.blur / options_.scaling;
  const double upper = 0.5 * (before_last * log_count + kSelfCost);
  const double spread = upper * (1 + ratio / (1 - ratio)) + kSelfCost;
  // Then the mass that leaves a point is below exp(-22) of what stays.
  return smallest_self_cost_ > spread + options_.blur * (log_count + 22);
}

size_t SinkhornSolver::HotStart(const EpsilonSchedule& schedule) {
  // Far above the spread of the costs, with A = C - f - g small beside epsilon,
  //   T(g)_i = mean_j(C_ij - g_j) - var_j(A_ij) / (2 epsilon) + O(epsilon^-2),
  // so f stays u_i + a - h V_i with the row means u and residual variances V of
  // the costs, and only the numbers a and h change from pass to pass. The same
  // holds for g with column means v and variances W.
  const auto n = static_cast<double>(costs_.rows);
  const auto m = static_cast<double>(costs_.cols);
  float* u = rows_.means.data();
  float* v = cols_.means.data();
  double mean = 0;  // Of all costs; rows and columns must agree on it.
  for (size_t i = 0; i < costs_.rows; ++i) {
    u[i] = static_cast<float>(u[i] / m);
    mean += u[i] / n;
  }
  for (size_t j = 0; j < costs_.cols; ++j) {
    v[j] = static_cast<float>(v[j] / n - mean);  // Centred: A = C - u - v.
  }

  // Not applicable unless it spans kHotSteps steps.
  const double give_up_below = schedule[kHotSteps - 1];
  const double largest = simd::ResidualSums(
      costs_, u, v, static_cast<float>(give_up_below / kHotRatio),
      rows_.sums.data(), cols_.sums.data());
  const double coldest =
      std::max(kHotRatio * largest, kHotAboveBlur * options_.blur);
  if (coldest > give_up_below) return 0;

  double mean_row_variance = 0;
  double mean_col_variance = 0;
  for (size_t i = 0; i < costs_.rows; ++i) {
    mean_row_variance += rows_.sums.data()[i] / (n * m);
  }
  for (size_t j = 0; j < costs_.cols; ++j) {
    mean_col_variance += cols_.sums.data()[j] / (n * m);
  }
  double row_shift = 0;                   // The a of f.
  double col_shift = mean;                // Of g, whose v is centred.
  double weight = 1 / (2 * schedule[0]);  // The h of both.
  size_t step = 0;
  for (; schedule[step] >= coldest; ++step) {
    const double mean_f = mean + row_shift - weight * mean_row_variance;
    const double mean_g = col_shift - weight * mean_col_variance;
    row_shift = 0.5 * (row_shift - mean_g);
    col_shift = 0.5 * (col_shift + mean - mean_f);
    weight = 0.5 * (weight + 1 / (2 * schedule[step]));
  }
  for (size_t i = 0; i < costs_.rows; ++i) {
    rows_.potentials.data()[i] =
        u[i] + row_shift - weight * rows_.sums.data()[i] / m;
  }
  for (size_t j = 0; j < costs_.cols; ++j) {
    cols_.potentials.data()[j] =
        v[j] + col_shift - weight * cols_.sums.data()[j] / n;
  }
  rows_.SetExponents(Scale(schedule[step]));
  cols_.SetExponents(Scale(schedule[step]));
  return step;
}

void SinkhornSolver::RunSchedule(const EpsilonSchedule& schedule,
                                 size_t first_step) {
  const size_t last = schedule.size() - 1;
  for (size_t step = first_step; step <= last; ++step) {
    RunPass({.epsilon = schedule[step],
             .next_epsilon = schedule[std::min(step + 1, last)],
             .average = true});
  }
  RunPass({.epsilon = schedule[last],
           .next_epsilon = schedule[last],
           .average = false});
}

void SinkhornSolver::RunFirstPass(double epsilon) {
  RunPass({.epsilon = epsilon, .next_epsilon = epsilon, .average = false});
}

bool SinkhornSolver::IsSmall() const {
  return costs_.rows * costs_.cols <= kSmallProblem;
}

void SinkhornSolver::RunPass(const Pass& pass) {
  const auto scale = static_cast<float>(Scale(pass.epsilon));
  Side& columns = IsSelf() ? rows_ : cols_;
  simd::KernelSums(costs_, rows_.exponents.data(), columns.exponents.data(),
                   scale, sweep_, rows_.sums.data(), cols_.sums.data());
  sweep_ = sweep_ == simd::Sweep::kDown ? simd::Sweep::kUp : simd::Sweep::kDown;
  if (IsSelf()) {
    simd::AddMirrorAndDiagonal(rows_.exponents.data(), cols_.sums.data(), scale,
                               costs_.rows, rows_.sums.data());
  }
  if (!simd::SumsInRange(rows_.sums.data(), costs_.rows) ||
      (!IsSelf() && !simd::SumsInRange(cols_.sums.data(), costs_.cols))) {
    RunSafePass(pass);
    return;
  }

  simd::PotentialUpdate update = {
      .scale = scale,
      .next_scale = static_cast<float>(Scale(pass.next_epsilon)),
      .log2_count = std::log2(costs_.cols),
      .average = pass.average};
  simd::UpdatePotentials(update, rows_.sums.data(), costs_.rows,
                         rows_.potentials.data(), rows_.exponents.data());
  if (IsSelf()) return;
  update.log2_count = std::log2(costs_.rows);
  simd::UpdatePotentials(update, cols_.sums.data(), costs_.cols,
                         cols_.potentials.data(), cols_.exponents.data());
}

void SinkhornSolver::RunSafePass(const Pass& pass) {
  const auto cost = [this](size_t i, size_t j) -> double {
    if (IsSelf() && i == j) return kSelfCost;
    if (IsSelf() && i > j) std::swap(i, j);
    return costs_.data[i * costs_.stride + j];
  };
  // -epsilon log mean_k exp((potential_k - cost_k) / epsilon)
  const auto transform = [&pass](const Side& other, auto cost_to) {
    const double* potentials = other.potentials.data();
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < other.count; ++k) {
      largest = std::max(largest, potentials[k] - cost_to(k));
    }
    double sum = 0;
    for (size_t k = 0; k < other.count; ++k) {
      sum += std::exp((potentials[k] - cost_to(k) - largest) / pass.epsilon);
    }
    const auto count = static_cast<double>(other.count);
    return -largest - pass.epsilon * std::log(sum / count);
  };

  // All from the old values: the new ones wait in `transforms` of each side.
  const Side& columns = IsSelf() ? rows_ : cols_;
  double* new_rows = rows_.transforms.Reserve(costs_.rows);
  for (size_t i = 0; i < costs_.rows; ++i) {
    new_rows[i] = transform(columns, [&](size_t j) { return cost(i, j); });
  }
  double* new_cols = cols_.transforms.Reserve(costs_.cols);
  for (size_t j = 0; j < costs_.cols && !IsSelf(); ++j) {
    new_cols[j] = transform(rows_, [&](size_t i) { return cost(i, j); });
  }
  const double keep = pass.average ? 0.5 : 0;
  for (Side* side : {&rows_, &cols_}) {
    if (side == &cols_ && IsSelf()) break;
    double* potentials = side->potentials.data();
    for (size_t i = 0; i < side->count; ++i) {
      potentials[i] =
          keep * potentials[i] + (1 - keep) * side->transforms.data()[i];
    }
    side->SetExponents(Scale(pass.next_epsilon));
  }
}

}  // namespace ladder::routing
