#include "experiments/diagnose/softmax_head.h"

#include <algorithm>

#include "routing/softmax.h"

namespace ladder::trainer {
namespace {

// Adds `factor` times `values` to `sums`. Both loops over the parameters are
// made of this, with neighbouring classes in one vector register.
void AddScaled(float factor, const float* values, size_t size, float* sums) {
  for (size_t i = 0; i < size; ++i) sums[i] += factor * values[i];
}

}  // namespace

SoftmaxHead::SoftmaxHead(size_t num_inputs, size_t num_classes)
    : num_inputs_(num_inputs),
      num_classes_(num_classes),
      parameters_((num_inputs + 1) * num_classes) {}

void SoftmaxHead::Logits(std::span<const float> input,
                         std::span<float> logits) const {
  const float* const bias = parameters_.data() + num_inputs_ * num_classes_;
  std::copy_n(bias, num_classes_, logits.begin());
  for (size_t i = 0; i < num_inputs_; ++i) {
    AddScaled(input[i], parameters_.data() + i * num_classes_, num_classes_,
              logits.data());
  }
}

void SoftmaxHead::Gradient(const routing::MatrixView& inputs,
                           std::span<const size_t> targets,
                           std::span<float> gradient) const {
  std::fill(gradient.begin(), gradient.end(), 0.0f);
  const float share = 1 / static_cast<float>(inputs.rows);
  std::vector<float> errors(num_classes_);
  const routing::MatrixView as_matrix = {errors.data(), 1, num_classes_};
  for (size_t row = 0; row < inputs.rows; ++row) {
    const auto input = inputs.Row(row);
    Logits(input, errors);
    routing::SoftmaxEachRow(as_matrix, /*temperature=*/1, errors);
    errors[targets[row]] -= 1;
    for (float& error : errors) error *= share;
    for (size_t i = 0; i < num_inputs_; ++i) {
      AddScaled(input[i], errors.data(), num_classes_,
                gradient.data() + i * num_classes_);
    }
    AddScaled(1, errors.data(), num_classes_,
              gradient.data() + num_inputs_ * num_classes_);
  }
}

std::vector<size_t> SoftmaxHead::Predict(
    const routing::MatrixView& inputs) const {
  std::vector<float> logits(num_classes_);
  std::vector<size_t> classes;
  for (size_t row = 0; row < inputs.rows; ++row) {
    Logits(inputs.Row(row), logits);
    classes.push_back(static_cast<size_t>(
        std::max_element(logits.begin(), logits.end()) - logits.begin()));
  }
  return classes;
}

}  // namespace ladder::trainer
