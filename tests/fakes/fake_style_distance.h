#ifndef LADDER_TESTS_FAKES_FAKE_STYLE_DISTANCE_H_
#define LADDER_TESTS_FAKES_FAKE_STYLE_DISTANCE_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "routing/style_distance.h"

namespace ladder::routing {

// Gives every target the same distances and remembers what it was asked. Not
// thread-safe, unlike the real ones.
class FakeStyleDistance final : public StyleDistance {
 public:
  struct Call {
    size_t rows;
    std::vector<size_t> sources;
  };

  explicit FakeStyleDistance(std::vector<double> distances,
                             size_t dimension = 1)
      : distances_(std::move(distances)), dimension_(dimension) {}

  size_t num_sources() const override { return distances_.size(); }
  size_t dimension() const override { return dimension_; }

  const std::vector<Call>& calls() const { return calls_; }

 private:
  absl::Status DoCompute(const MatrixView& target,
                         std::span<const size_t> sources,
                         std::span<double> distances,
                         const Execution& execution) const override {
    calls_.push_back({target.rows, {sources.begin(), sources.end()}});
    if (execution.stop.stop_requested()) return absl::CancelledError("stopped");
    for (size_t i = 0; i < sources.size(); ++i) {
      distances[i] = distances_[sources[i]];
    }
    return absl::OkStatus();
  }

  std::vector<double> distances_;
  size_t dimension_;
  mutable std::vector<Call> calls_;
};

}  // namespace ladder::routing

#endif  // LADDER_TESTS_FAKES_FAKE_STYLE_DISTANCE_H_
