#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SOFTMAX_HEAD_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SOFTMAX_HEAD_H_

#include <cstddef>
#include <span>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::trainer {

// A linear classifier under training, softmax(W x + b); all zeros at first.
// One caller at a time.
class SoftmaxHead {
 public:
  SoftmaxHead(size_t num_inputs, size_t num_classes);

  // Writes the gradient of the mean cross-entropy on `inputs` (n x num_inputs,
  // n > 0), whose classes are `targets`, to `gradient`, which is laid out like
  // parameters().
  void Gradient(const routing::MatrixView& inputs,
                std::span<const size_t> targets,
                std::span<float> gradient) const;

  // The most likely class of every row; the lowest of equals.
  std::vector<size_t> Predict(const routing::MatrixView& inputs) const;

  // W transposed (num_inputs x num_classes), then b.
  std::span<float> parameters() { return parameters_; }

 private:
  // Writes the logits of one row.
  void Logits(std::span<const float> input, std::span<float> logits) const;

  size_t num_inputs_;
  size_t num_classes_;
  std::vector<float> parameters_;
};

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SOFTMAX_HEAD_H_
