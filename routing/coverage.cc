#include "routing/coverage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/counter_rng.h"
#include "routing/gather_rows.h"

namespace ladder::routing {
namespace {

constexpr size_t kSteps = CoverageCalibration::kNumQuantiles - 1;
constexpr size_t kMedian = kSteps / 2;
constexpr size_t kInQuantile = kSteps * 9 / 10;
constexpr double kOutSpread = 2.5;

absl::Status CheckOptions(const CalibrationOptions& options) {
  const auto& sizes = options.sample_sizes;
  if (sizes.empty() || sizes.front() == 0 ||
      std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) !=
          sizes.end()) {
    return absl::InvalidArgumentError(
        "sample_sizes must be positive and strictly ascending");
  }
  if (options.repeats == 0) {
    return absl::InvalidArgumentError("repeats must be positive, got 0");
  }
  if (options.min_sources < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "min_sources must be at least 2, got ", options.min_sources));
  }
  return absl::OkStatus();
}

absl::Status CheckHeldOut(const StyleDistance& distance,
                          std::span<const MatrixView> held_out) {
  if (held_out.size() != distance.num_sources()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected held-out rows of ", distance.num_sources(),
                     " sources, got ", held_out.size()));
  }
  for (size_t e = 0; e < held_out.size(); ++e) {
    if (held_out[e].rows == 0) continue;
    LADDER_RETURN_IF_ERROR(
        CheckMatrix(held_out[e], absl::StrCat("held-out rows of source ", e),
                    distance.dimension()));
  }
  return absl::OkStatus();
}

// A seed of its own for every sample, so that adding a size or a repeat leaves
// the others as they were.
uint64_t SampleSeed(uint64_t seed, size_t source, size_t size, size_t repeat) {
  for (const uint64_t part : {source, size, repeat}) {
    seed = CounterRng(seed).Bits(part);
  }
  return seed;
}

// The distances from `repeats` samples of `size` rows of source `e` to the
// nearest other source, appended to `nearest`.
absl::Status MeasureSource(const StyleDistance& distance,
                           const MatrixView& held_out, size_t e, size_t size,
                           const CalibrationOptions& options,
                           const Execution& execution,
                           std::vector<double>& nearest) {
  std::vector<size_t> others(distance.num_sources());
  std::iota(others.begin(), others.end(), size_t{0});
  others.erase(others.begin() + static_cast<ptrdiff_t>(e));
  std::vector<double> distances(others.size());
  for (size_t repeat = 0; repeat < options.repeats; ++repeat) {
    if (repeat > 0 && held_out.rows == size) {
      nearest.push_back(nearest.back());  // There is only one such sample.
      continue;
    }
    const std::vector<float> rows = GatherRows(
        held_out, SampleIndices(held_out.rows, size,
                                SampleSeed(options.seed, e, size, repeat)));
    LADDER_RETURN_IF_ERROR(distance.Compute({rows.data(), size, held_out.cols},
                                            others, distances, execution));
    nearest.push_back(*std::min_element(distances.begin(), distances.end()));
    if (!std::isfinite(nearest.back())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "held-out rows of source ", e, ": distance to the nearest other is ",
          nearest.back(), "; expected a finite value"));
    }
  }
  return absl::OkStatus();
}

// Hierarchical conformal quantiles: each of the N sources and the unseen one
// weighs 1 / (N + 1), spread evenly over its repeats. In whole numbers, lest
// rounding turn a rank that is met exactly into the next one.
std::vector<double> ConformalQuantiles(std::vector<double> nearest,
                                       size_t repeats) {
  std::sort(nearest.begin(), nearest.end());
  std::vector<double> quantiles(CoverageCalibration::kNumQuantiles);
  for (size_t step = 0; step <= kSteps; ++step) {
    const size_t count =
        (step * (nearest.size() + repeats) + kSteps - 1) / kSteps;
    quantiles[step] = nearest[std::clamp(count, size_t{1}, nearest.size()) - 1];
  }
  return quantiles;
}

CoverageCalibration::Level Interpolate(const CoverageCalibration& calibration,
                                       size_t sample_size) {
  const auto& levels = calibration.levels;
  const auto above = std::find_if(levels.begin(), levels.end(),
                                  [sample_size](const auto& level) {
                                    return level.sample_size >= sample_size;
                                  });
  if (above == levels.end()) return levels.back();
  if (above->sample_size == sample_size) return *above;
  const auto below = above - 1;
  const auto log_size = [](size_t size) {
    return std::log(static_cast<double>(size));
  };
  const double position =
      (log_size(sample_size) - log_size(below->sample_size)) /
      (log_size(above->sample_size) - log_size(below->sample_size));
  CoverageCalibration::Level level{
      .sample_size = sample_size,
      .num_sources = std::min(below->num_sources, above->num_sources),
      .quantiles = below->quantiles};
  for (size_t i = 0; i < level.quantiles.size(); ++i) {
    level.quantiles[i] =
        std::lerp(below->quantiles[i], above->quantiles[i], position);
  }
  return level;
}

// The inverse of the quantile function, linear between its points.
double Rank(std::span<const double> quantiles, double distance) {
  const auto above =
      std::upper_bound(quantiles.begin(), quantiles.end(), distance);
  if (above == quantiles.begin()) return 0;
  if (above == quantiles.end()) return 1;
  const double below = *(above - 1);
  const double step = static_cast<double>(above - quantiles.begin() - 1) +
                      (distance - below) / (*above - below);
  return step / static_cast<double>(kSteps);
}

absl::Status LevelError(size_t level, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("coverage level ", level, ": ", problem));
}

}  // namespace

absl::Status CoverageCalibration::Validate() const {
  for (size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const size_t previous_size = i == 0 ? 0 : levels[i - 1].sample_size;
    if (level.sample_size <= previous_size) {
      return LevelError(
          i, absl::StrCat("sample_size must exceed ", previous_size, ", got ",
                          level.sample_size));
    }
    if (level.num_sources < 2) {
      return LevelError(i, absl::StrCat("num_sources must be at least 2, got ",
                                        level.num_sources));
    }
    if (level.quantiles.size() != kNumQuantiles) {
      return LevelError(
          i, absl::StrCat("expected ", kNumQuantiles, " quantiles, got ",
                          level.quantiles.size()));
    }
    for (size_t q = 0; q < kNumQuantiles; ++q) {
      if (!std::isfinite(level.quantiles[q]) ||
          (q > 0 && level.quantiles[q] < level.quantiles[q - 1])) {
        return LevelError(
            i, absl::StrCat("quantiles must be finite and ascending, got ",
                            level.quantiles[q], " at index ", q));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CoverageCalibration> CalibrateCoverage(
    const StyleDistance& distance, std::span<const MatrixView> held_out,
    const CalibrationOptions& options, const Execution& execution) {
  LADDER_RETURN_IF_ERROR(CheckOptions(options));
  LADDER_RETURN_IF_ERROR(CheckHeldOut(distance, held_out));
  CoverageCalibration calibration;
  for (const size_t size : options.sample_sizes) {
    const auto fills_size = [size](const MatrixView& rows) {
      return rows.rows >= size;
    };
    const auto num_sources = static_cast<size_t>(
        std::count_if(held_out.begin(), held_out.end(), fills_size));
    if (num_sources < options.min_sources) break;
    std::vector<double> nearest;
    for (size_t e = 0; e < held_out.size(); ++e) {
      if (!fills_size(held_out[e])) continue;
      LADDER_RETURN_IF_ERROR(MeasureSource(distance, held_out[e], e, size,
                                           options, execution, nearest));
    }
    calibration.levels.push_back(
        {.sample_size = size,
         .num_sources = num_sources,
         .quantiles = ConformalQuantiles(nearest, options.repeats)});
  }
  if (calibration.levels.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "fewer than ", options.min_sources, " of ", held_out.size(),
        " sources have ", options.sample_sizes.front(),
        " held-out rows, the smallest sample size to calibrate"));
  }
  return calibration;
}

absl::string_view CoverageVerdictName(CoverageVerdict verdict) {
  switch (verdict) {
    case CoverageVerdict::kUnknown:
      return "UNKNOWN";
    case CoverageVerdict::kIn:
      return "IN";
    case CoverageVerdict::kEdge:
      return "EDGE";
    case CoverageVerdict::kOut:
      return "OUT";
  }
  return "UNKNOWN";
}

Coverage AssessCoverage(const CoverageCalibration& calibration,
                        double nearest_distance, size_t sample_size) {
  Coverage coverage;
  coverage.nearest_distance = nearest_distance;
  if (calibration.levels.empty()) {
    coverage.basis = CoverageBasis::kNotCalibrated;
    return coverage;
  }
  if (sample_size < calibration.levels.front().sample_size) {
    coverage.basis = CoverageBasis::kSampleTooSmall;
    return coverage;
  }
  const auto level = Interpolate(calibration, sample_size);
  const double median = level.quantiles[kMedian];
  coverage.basis = CoverageBasis::kCalibration;
  coverage.num_sources = level.num_sources;
  coverage.rank = Rank(level.quantiles, nearest_distance);
  coverage.in_threshold = level.quantiles[kInQuantile];
  coverage.out_threshold =
      std::max(level.quantiles.back(),
               median + kOutSpread * (coverage.in_threshold - median));
  coverage.verdict =
      nearest_distance <= coverage.in_threshold   ? CoverageVerdict::kIn
      : nearest_distance > coverage.out_threshold ? CoverageVerdict::kOut
                                                  : CoverageVerdict::kEdge;
  return coverage;
}

}  // namespace ladder::routing
