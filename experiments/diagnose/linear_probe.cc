#include "experiments/diagnose/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"
#include "routing/softmax.h"

namespace ladder::experiments {
namespace {

// Adds `factor` times `values` to `sums`. Both loops over the parameters are
// made of this, with neighbouring classes in one vector register.
void AddScaled(float factor, const float* values, size_t size, float* sums) {
  for (size_t i = 0; i < size; ++i) sums[i] += factor * values[i];
}

constexpr size_t kHeldOutPart = 5;  // One in five.

// Shifts and scales features by the moments that they have in training.
class Standardizer {
 public:
  Standardizer(const routing::MatrixView& features,
               std::span<const size_t> training_rows)
      : features_(features), mean_(features.cols), scale_(features.cols) {
    const auto count = static_cast<double>(training_rows.size());
    for (const size_t row : training_rows) {
      for (size_t i = 0; i < mean_.size(); ++i) {
        mean_[i] += features.Row(row)[i] / count;
      }
    }
    for (const size_t row : training_rows) {
      for (size_t i = 0; i < mean_.size(); ++i) {
        const double difference = features.Row(row)[i] - mean_[i];
        scale_[i] += difference * difference / count;
      }
    }
    // A feature that never changes becomes 0.
    for (double& scale : scale_) {
      scale = scale > 0 ? 1 / std::sqrt(scale) : 0;
    }
  }

  std::vector<float> Rows(std::span<const size_t> rows) const {
    std::vector<float> values;
    values.reserve(rows.size() * features_.cols);
    for (const size_t row : rows) {
      for (size_t i = 0; i < features_.cols; ++i) {
        values.push_back(
            static_cast<float>((features_.Row(row)[i] - mean_[i]) * scale_[i]));
      }
    }
    return values;
  }

 private:
  routing::MatrixView features_;
  std::vector<double> mean_;
  std::vector<double> scale_;  // One over the standard deviation.
};

struct LabelledRows {
  std::vector<size_t> rows;
  std::vector<size_t> classes;
};

void Shuffle(std::span<size_t> values, uint64_t seed) {
  const routing::CounterRng rng(seed);
  for (size_t i = 0; i < values.size(); ++i) {
    std::swap(values[i], values[i + rng.Below(values.size() - i, i)]);
  }
}

std::vector<size_t> ShuffledIndices(size_t size, uint64_t seed) {
  std::vector<size_t> indices(size);
  std::iota(indices.begin(), indices.end(), size_t{0});
  Shuffle(indices, seed);
  return indices;
}

LabelledRows Select(const LabelledRows& from, std::span<const size_t> places) {
  LabelledRows selected;
  for (const size_t place : places) {
    selected.rows.push_back(from.rows[place]);
    selected.classes.push_back(from.classes[place]);
  }
  return selected;
}

// The targets as 0, 1, ... in ascending order.
std::vector<size_t> DenseClasses(std::span<const int64_t> targets) {
  std::vector<int64_t> values(targets.begin(), targets.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<size_t> classes;
  for (const int64_t target : targets) {
    const auto found = std::lower_bound(values.begin(), values.end(), target);
    classes.push_back(static_cast<size_t>(found - values.begin()));
  }
  return classes;
}

size_t CommonestClass(std::span<const size_t> classes, size_t num_classes) {
  std::vector<size_t> counts(num_classes);
  for (const size_t c : classes) ++counts[c];
  return static_cast<size_t>(std::max_element(counts.begin(), counts.end()) -
                             counts.begin());
}

double ShareEqual(std::span<const size_t> a, std::span<const size_t> b) {
  const auto equal =
      std::inner_product(a.begin(), a.end(), b.begin(), size_t{0},
                         std::plus<>(), std::equal_to<>());
  return static_cast<double>(equal) / static_cast<double>(a.size());
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

absl::StatusOr<ProbeScore> RunProbe(const routing::MatrixView& features,
                                    const ProbeTask& task,
                                    const ProbeTraining& training,
                                    const std::stop_token& stop) {
  const size_t num_held_out = task.rows.size() / kHeldOutPart;
  if (num_held_out == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("probe: expected at least ", kHeldOutPart,
                     " samples, got ", task.rows.size()));
  }
  const routing::CounterRng seeds(task.seed);
  const LabelledRows all = {task.rows, DenseClasses(task.targets)};
  const std::vector<size_t> order =
      ShuffledIndices(all.rows.size(), seeds.Bits(0));
  const LabelledRows held_out =
      Select(all, std::span(order).first(num_held_out));
  const LabelledRows train =
      Select(all, std::span(order).subspan(num_held_out));
  const size_t num_classes =
      *std::max_element(all.classes.begin(), all.classes.end()) + 1;

  const Standardizer standardizer(features, train.rows);
  SoftmaxHead head(features.cols, num_classes);
  AdamW optimizer(head.parameters().size(), training.optimizer);
  std::vector<float> gradient(head.parameters().size());
  for (size_t epoch = 0; epoch < training.num_epochs; ++epoch) {
    if (stop.stop_requested()) {
      return absl::CancelledError("stopped by the caller");
    }
    const std::vector<size_t> places =
        ShuffledIndices(train.rows.size(), seeds.Bits(1 + epoch));
    for (size_t begin = 0; begin < places.size();
         begin += training.batch_size) {
      const size_t size = std::min(training.batch_size, places.size() - begin);
      const LabelledRows batch =
          Select(train, std::span(places).subspan(begin, size));
      const std::vector<float> inputs = standardizer.Rows(batch.rows);
      head.Gradient({inputs.data(), size, features.cols}, batch.classes,
                    gradient);
      optimizer.Step(gradient, head.parameters());
    }
  }

  const std::vector<float> inputs = standardizer.Rows(held_out.rows);
  const std::vector<size_t> predicted =
      head.Predict({inputs.data(), num_held_out, features.cols});
  const std::vector<size_t> commonest(
      num_held_out, CommonestClass(train.classes, num_classes));
  return ProbeScore{.accuracy = ShareEqual(predicted, held_out.classes),
                    .majority = ShareEqual(commonest, held_out.classes)};
}

}  // namespace ladder::experiments
