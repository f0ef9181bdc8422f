#ifndef LADDER_ROUTING_STYLE_SAMPLE_H_
#define LADDER_ROUTING_STYLE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/matrix_view.h"
#include "routing/reservoir.h"

namespace ladder::routing {

// Puts style vectors on the sources' scale: (z - mean) / (std + 1e-6), column
// by column, with statistics of the source samples only.
//
// A column that never varied among the sources is divided by 1e-6. That is the
// paper's rule and is meant: a target that leaves the constant is far away.
//
// Immutable and thread-safe.
class StyleNormalizer {
 public:
  static constexpr double kStdFloor = 1e-6;  // Added, not a bound.

  // InvalidArgument unless `mean` and `std` have the same positive size, all
  // values are finite and no std is negative.
  static absl::StatusOr<StyleNormalizer> Create(std::vector<float> mean,
                                                std::vector<float> std);

  // Takes mean and population std over all rows of all `clouds` together.
  // InvalidArgument if there is no cloud or if one has no rows, another width
  // than the first, or a value that is not finite.
  static absl::StatusOr<StyleNormalizer> Fit(
      std::span<const MatrixView> clouds);

  // Writes the normalised rows of `raw` to `out`, which may be the same memory.
  // Computes in double and rounds once. A result beyond the range of a float
  // becomes infinite; StyleDistance::Compute rejects those.
  // InvalidArgument if `raw` is not dimension() wide or `out` has another size.
  absl::Status Apply(const MatrixView& raw, std::span<float> out) const;

  size_t dimension() const { return mean_.size(); }
  std::span<const float> mean() const { return mean_; }
  std::span<const float> std() const { return std_; }

 private:
  StyleNormalizer(std::vector<float> mean, std::vector<float> std);

  std::vector<float> mean_;
  std::vector<float> std_;
};

// The rows of a Reservoir, kept on the host: a seeded uniform sample of at most
// `capacity` style vectors of a stream. Memory grows with the rows held. A
// value type; one writer at a time.
class StyleSample {
 public:
  StyleSample(size_t dimension, size_t capacity, uint64_t seed);

  // Shows the next rows of the stream to the sample. A chunk without rows
  // changes nothing. InvalidArgument if it is not dimension() wide or holds a
  // NaN or infinity (the message names the row within the chunk); the sample is
  // then what it was before.
  absl::Status Add(const MatrixView& chunk);

  // The min(num_seen(), capacity()) rows held; valid until the next Add. All
  // rows in stream order while they fit. Later the order is not random, so
  // draw a part of them with SampleIndices, never as a prefix.
  MatrixView rows() const;

  size_t dimension() const { return dimension_; }
  size_t capacity() const { return reservoir_.capacity(); }
  uint64_t seed() const { return reservoir_.seed(); }
  uint64_t num_seen() const { return reservoir_.num_seen(); }

 private:
  size_t dimension_;
  Reservoir reservoir_;
  std::vector<float> values_;  // The rows held, one after the other.
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_STYLE_SAMPLE_H_
