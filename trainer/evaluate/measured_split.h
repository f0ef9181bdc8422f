#ifndef LADDER_TRAINER_EVALUATE_MEASURED_SPLIT_H_
#define LADDER_TRAINER_EVALUATE_MEASURED_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "routing/linear_heads.h"
#include "routing/matrix_view.h"
#include "routing/router.h"
#include "trainer/encode/encoded_samples.h"
#include "trainer/encode/trained_stack.h"

namespace ladder::trainer {

// Says which samples of a split share one style summary, and so their weights.
enum class Grouping {
  kWholeSplit,  // All of them.
  kPerDomain,   // Those of one domain.
};

// A group of a split and how it was routed.
struct RoutedGroup {
  int64_t domain = -1;  // An index into Dataset::domains, or -1.
  routing::Routing routing = {};
};

// A split whose groups' distances to the sources have been measured, so that
// any number of routing methods, K and tau cost no more distances. Labels are
// never looked at.
//
// Borrows the stack and the samples, which have to outlive it. Immutable and
// thread-safe.
class MeasuredSplit {
 public:
  // Takes of every group a style sample of at most routing.max_style_samples
  // rows, drawn with routing.seed, and measures it. In parallel over sources.
  //
  // InvalidArgument if there are no samples, or if stack and samples do not fit
  // together; Cancelled if `execution.stop` was requested.
  static absl::StatusOr<MeasuredSplit> Measure(
      const TrainedStack& stack, const EncodedSamples& samples,
      Grouping grouping, const routing::Execution& execution);

  // The weights of every group, by ascending domain. Errors as Router::Decide.
  absl::StatusOr<std::vector<RoutedGroup>> Route(
      const routing::RoutingOptions& options,
      const routing::Execution& execution) const;

  // The class of every sample: the one with the largest logit, ties to the
  // lower index. Errors as Route; Cancelled if `execution.stop` was requested.
  absl::StatusOr<std::vector<int64_t>> Predict(
      const routing::RoutingOptions& options,
      const routing::Execution& execution) const;

  // LADDER with the stack's own K and tau.
  routing::RoutingOptions LadderOptions() const;

 private:
  struct Group {
    int64_t domain = -1;
    std::vector<size_t> samples = {};  // Ascending.
    std::vector<float> style = {};     // The style sample, normalised.
    std::vector<double> distances = {};
  };

  MeasuredSplit(const TrainedStack& stack, const EncodedSamples& samples,
                routing::Router router);

  void AddGroups(Grouping grouping);
  absl::Status MeasureGroup(Group& group,
                            const routing::Execution& execution) const;
  routing::MatrixView StyleOf(const Group& group) const;

  // Writes the classes of the group's samples to their places in `labels`.
  absl::Status PredictGroup(const Group& group, const routing::Routing& routing,
                            const routing::RoutingOptions& options,
                            const routing::Execution& execution,
                            std::span<int64_t> labels) const;
  absl::Status GatedLogits(std::span<const size_t> rows,
                           const routing::RoutingOptions& options,
                           std::span<float> logits) const;
  absl::Status MixedLogits(std::span<const size_t> rows,
                           const routing::MixedHead& head,
                           std::span<float> logits) const;

  const TrainedStack* stack_;
  const EncodedSamples* samples_;
  routing::Router router_;
  std::vector<Group> groups_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_MEASURED_SPLIT_H_
