#ifndef LADDER_ROUTING_COVERAGE_H_
#define LADDER_ROUTING_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "routing/matrix_view.h"
#include "routing/style_distance.h"

namespace ladder::routing {

// Is a target group among the domains that the sources came from? Its distance
// to the nearest source is compared with the distances at which the sources lie
// from each other: each source in turn plays the new group (a sample of it that
// is not in its fingerprint) and meets the nearest of the others. Small samples
// look farther away than large ones, so like is compared with like: the
// calibration has one level per sample size.
struct CoverageCalibration {
  // The quantiles are kept at the probabilities 0, 0.05, ..., 1.
  static constexpr size_t kNumQuantiles = 21;

  struct Level {
    size_t sample_size = 0;  // Rows in each sample that was measured.
    size_t num_sources = 0;  // How many sources had that many rows to spare.
    // Ascending. The quantile at p is the smallest distance with a share of at
    // least p of all measured ones at or below it, where one source more, never
    // met and farther away than all others, is counted too; above N / (N + 1)
    // it is the largest distance.
    std::vector<double> quantiles = {};
  };

  // Ordered by strictly ascending sample size; empty if not calibrated.
  std::vector<Level> levels;

  // InvalidArgument, naming level and field, unless sizes ascend, every level
  // rests on two sources or more and its quantiles are finite and ascending.
  absl::Status Validate() const;
};

struct CalibrationOptions {
  std::vector<size_t> sample_sizes = {8, 16, 32, 64, 128, 256, 512, 1024};
  size_t repeats = 4;      // Samples drawn of every source at every size.
  size_t min_sources = 3;  // Sizes that fewer sources can fill are left out.
  uint64_t seed = 0;
};

// Measures how far the sources lie from each other. `held_out[e]` holds
// normalised style vectors of source e that are not in its fingerprint and,
// better still, that the encoder was not trained on; it may be empty. Sources
// with fewer rows than a size are left out at that size. Costs, per size n,
// `repeats` x E calls of `distance` with n rows against E - 1 sources.
//
// InvalidArgument if an option is out of range, if there is not one matrix for
// every source, if one does not fit or if a distance comes out infinite;
// FailedPrecondition if fewer than `min_sources` sources can fill even the
// smallest size; Cancelled if `execution.stop` was requested.
absl::StatusOr<CoverageCalibration> CalibrateCoverage(
    const StyleDistance& distance, std::span<const MatrixView> held_out,
    const CalibrationOptions& options, const Execution& execution);

enum class CoverageVerdict { kUnknown, kIn, kEdge, kOut };

// "UNKNOWN", "IN", "EDGE" or "OUT".
absl::string_view CoverageVerdictName(CoverageVerdict verdict);

// A verdict rests on one of these; all but the first make it kUnknown.
enum class CoverageBasis {
  kCalibration,
  kNoDistances,     // The routing method measures none.
  kNotCalibrated,   // The calibration has no levels.
  kSampleTooSmall,  // Smaller than the smallest calibrated size.
};

struct Coverage {
  CoverageVerdict verdict = CoverageVerdict::kUnknown;
  CoverageBasis basis = CoverageBasis::kNoDistances;
  double nearest_distance = 0;  // Zero without distances.
  // The rest is zero unless `basis` is kCalibration.
  double in_threshold = 0;   // kIn up to here.
  double out_threshold = 0;  // kOut above.
  double rank = 0;         // The calibration's probability at nearest_distance.
  size_t num_sources = 0;  // How many sources the thresholds rest on.
};

// Judges a group of `sample_size` style vectors by the distance to its nearest
// source. `calibration` must be valid.
//
//   kIn    up to the calibration's 0.90 quantile, q90;
//   kOut   above both the largest calibration distance and
//          median + 2.5 (q90 - median);
//   kEdge  in between.
//
// Why 0.90: at a calibrated size, a new group that is exchangeable with the N
// sources is called kIn with probability >= 0.90 if N >= 9, else N / (N + 1),
// whatever the distances' distribution. That is conformal prediction with the
// sources as units (their repeats are no independent evidence), on the safe
// side since the group meets one source more than each source met. Two limits:
// it is an average over calibrations (with eleven sources q90 is about the
// farthest one's distance, and one bundle's own rate may well be 0.8 or 0.99),
// and an encoder that was fitted to the sources makes them less exchangeable
// with what it has never seen.
//
// Why so far for kOut: beyond the farthest source there are no data, only
// extrapolation. Exceeding the largest of N distances happens to one harmless
// group in about N + 1, too often for an alarm if N is eleven; so it takes a
// clear margin too, measured by the spread between the median and q90. On
// simulated domains, light- and heavy-tailed, with eleven sources and both
// distances of this library, 0.3 to 5 % of harmless groups were called kOut.
//
// Between two levels the quantiles are interpolated linearly in log n. Above
// the largest, that level serves: distances shrink slowly there, and a larger
// group's being a little nearer than calibrated errs towards kIn.
Coverage AssessCoverage(const CoverageCalibration& calibration,
                        double nearest_distance, size_t sample_size);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_COVERAGE_H_
