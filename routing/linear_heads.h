#ifndef LADDER_ROUTING_LINEAR_HEADS_H_
#define LADDER_ROUTING_LINEAR_HEADS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/matrix_view.h"

namespace ladder::routing {

// One linear classifier: logits = weight z + bias.
struct MixedHead {
  size_t num_classes = 0;
  size_t dimension = 0;
  std::vector<float> weight;  // num_classes x dimension, row-major.
  std::vector<float> bias;    // num_classes.
};

// The linear classifiers of all sources, stacked, on the CPU: the reference for
// the served heads.onnx, and what runs where there is no ONNX Runtime.
//
// Sums are taken in double and rounded once to float. A product of two floats
// is exact in double, so the logits of a head are the same with and without
// fused multiply-add, and a sample's never depend on the batch it came in.
//
// Immutable and thread-safe.
class LinearHeads {
 public:
  // `weights` is num_sources x num_classes x dimension, `bias` num_sources x
  // num_classes. InvalidArgument if a size is zero or does not fit the others,
  // or if a value is not finite.
  static absl::StatusOr<LinearHeads> Create(size_t num_sources,
                                            size_t num_classes,
                                            size_t dimension,
                                            std::vector<float> weights,
                                            std::vector<float> bias);

  // The head whose logits are the weighted sum of the sources' logits, which
  // for linear heads is the weighted sum of their parameters. Sources of weight
  // zero are never read. InvalidArgument unless there is one finite weight per
  // source; they need not sum to one.
  absl::StatusOr<MixedHead> Mix(std::span<const double> weights) const;

  // Writes the logits of one source's own head on `z_c` (n x dimension()) to
  // `logits` (n x num_classes()). InvalidArgument if `source` is out of range,
  // `z_c` is empty, has another width or holds a NaN or infinity, or `logits`
  // has another size.
  absl::Status ExpertLogits(size_t source, const MatrixView& z_c,
                            std::span<float> logits) const;

  // Does as Mix, with weights of its own for every sample: row i of `logits` is
  // the sum of the sources' logits on row i of `z_c`, weighted by row i of
  // `sample_weights` (n x num_sources()). Errors as ExpertLogits, for both
  // matrices.
  absl::Status MixedLogitsPerSample(const MatrixView& z_c,
                                    const MatrixView& sample_weights,
                                    std::span<float> logits) const;

  size_t num_sources() const { return num_sources_; }
  size_t num_classes() const { return num_classes_; }
  size_t dimension() const { return dimension_; }
  // All sources' parameters, as Create was given them.
  std::span<const float> weights() const { return weights_; }
  std::span<const float> bias() const { return bias_; }

 private:
  LinearHeads(size_t num_sources, size_t num_classes, size_t dimension,
              std::vector<float> weights, std::vector<float> bias);

  std::span<const float> Weight(size_t source) const;
  std::span<const float> Bias(size_t source) const;

  size_t num_sources_;
  size_t num_classes_;
  size_t dimension_;
  std::vector<float> weights_;
  std::vector<float> bias_;
};

// Writes the logits of `head` on `z_c` (n x dimension) to `logits` (n x
// classes). InvalidArgument if the sizes within `head` do not fit together, and
// as ExpertLogits.
absl::Status Logits(const MixedHead& head, const MatrixView& z_c,
                    std::span<float> logits);

// Writes the softmax of every row of `logits` to `probabilities`, which may be
// the same memory. InvalidArgument if `logits` is empty or not finite or the
// sizes differ.
absl::Status SoftmaxRows(const MatrixView& logits,
                         std::span<float> probabilities);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_LINEAR_HEADS_H_
