#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_GEOMETRY_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_GEOMETRY_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "routing/execution.h"
#include "trainer/encode/encoded_samples.h"
#include "trainer/encode/trained_stack.h"

namespace ladder::experiments {

// The style distance of two sources is compared with these.
enum class PairMeasure {
  // (L_{a->b} + L_{b->a}) / 2, with L_{a->b} the mean cross-entropy, in nats,
  // of the head of a on the samples of b.
  kTransferLoss,
  // Mean over the classes that both sources have of the Euclidean distance of
  // the class's means of z_c; none without such a class.
  kPrototypeDistance,
  // Euclidean distance of the means of z_c.
  kMeanDistance,
  // Euclidean distance of the standard deviations of z_c, by coordinate.
  kDeviationDistance,
  // Total variation of the label distributions, in [0, 1].
  kLabelDistance,
};
inline constexpr std::array kPairMeasures = {
    PairMeasure::kTransferLoss, PairMeasure::kPrototypeDistance,
    PairMeasure::kMeanDistance, PairMeasure::kDeviationDistance,
    PairMeasure::kLabelDistance};

// "transfer_loss", as in files.
absl::string_view PairMeasureKey(PairMeasure measure);
// "transfer loss", for people.
absl::string_view PairMeasureName(PairMeasure measure);

// One value for each of kPairMeasures, where there is one.
class PairMeasures {
 public:
  std::optional<double>& operator[](PairMeasure measure) {
    return values_[static_cast<size_t>(measure)];
  }
  const std::optional<double>& operator[](PairMeasure measure) const {
    return values_[static_cast<size_t>(measure)];
  }

 private:
  std::array<std::optional<double>, kPairMeasures.size()> values_;
};

struct SourcePair {
  size_t first = 0;  // Below second.
  size_t second = 0;
  double style_distance = 0;
  PairMeasures measures = {};
};

// Says whether sources that look alike can use each other's heads.
struct SourceGeometry {
  std::vector<std::string> sources = {};
  std::vector<size_t> num_samples = {};  // One per source.
  // All unordered pairs of sources that have samples.
  std::vector<SourcePair> pairs = {};
  // Spearman's rho of the style distance with each measure, over the pairs
  // where it has a value; none where it is not defined. It describes the pairs;
  // they share sources, so it is no test of significance.
  PairMeasures rho = {};
};

// Measures how the sources of `stack` lie to each other on labelled `samples`
// of theirs; held-out ones, if there are any, say more. `samples.domains` are
// indices into stack.sources and `samples.labels` into stack.classes: mapping
// them is up to the caller. Gates are not read.
//
// The same bits on any number of threads. InvalidArgument if the samples do not
// fit the stack, hold a value that is not finite, or come from fewer than two
// sources; Cancelled as routing::Execution.
absl::StatusOr<SourceGeometry> MeasureSourceGeometry(
    const trainer::TrainedStack& stack, const trainer::EncodedSamples& samples,
    const routing::Execution& execution);

// Spearman's rank correlation, in [-1, 1], of finite values that belong
// together by their place; equal values share the mean of their ranks. None if
// there are fewer than two, or if all of one list are equal.
std::optional<double> SpearmanRho(std::span<const double> x,
                                  std::span<const double> y);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SOURCE_GEOMETRY_H_
