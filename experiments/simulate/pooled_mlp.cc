#include "experiments/simulate/pooled_mlp.h"

#include <algorithm>
#include <iterator>

#include "experiments/simulate/dense_layer.h"
#include "experiments/simulate/features.h"
#include "experiments/simulate/full_batch_fit.h"
#include "experiments/simulate/softmax_error.h"

namespace ladder::trainer {
namespace {

constexpr size_t kInputs = kSimContent + 2 * kSimStyle;
constexpr size_t kMlpHidden = 64;

template <typename Float>
struct MlpLayers {
  explicit MlpLayers(std::span<Float> parameters)
      : first(parameters, kInputs, kMlpHidden),
        second(parameters.subspan(DenseLayerSize(kInputs, kMlpHidden)),
               kMlpHidden, kSimClasses) {}

  DenseLayer<Float> first;
  DenseLayer<Float> second;
};

// The domain's samples in parts that fit, with their hidden units, into the
// processor's nearest cache.
std::vector<LabelledFeatures> InParts(const SimulatedDomain& domain) {
  constexpr size_t kPart = 125;
  const ColumnMatrix all = NetworkFeatures(domain);
  std::vector<LabelledFeatures> parts;
  for (size_t begin = 0; begin < all.rows; begin += kPart) {
    const size_t rows = std::min(kPart, all.rows - begin);
    LabelledFeatures& part = parts.emplace_back();
    part.features = ColumnMatrix(rows, all.cols);
    part.labels = std::span(domain.labels).subspan(begin, rows);
    for (size_t j = 0; j < all.cols; ++j) {
      std::ranges::copy(all.Column(j).subspan(begin, rows),
                        part.features.Column(j).begin());
    }
  }
  return parts;
}

}  // namespace

PooledMlp::PooledMlp(RandomDraws& draws) {
  DrawDenseLayer(kInputs, kMlpHidden, draws, parameters_);
  DrawDenseLayer(kMlpHidden, kSimClasses, draws, parameters_);
}

void PooledMlp::Hidden(const ColumnMatrix& features,
                       ColumnMatrix& hidden) const {
  const MlpLayers layers{std::span<const float>(parameters_)};
  for (size_t a = 0; a < kMlpHidden; ++a) {
    const std::span<float> unit = hidden.Column(a);
    std::ranges::fill(unit, layers.first.bias[a]);
    for (size_t j = 0; j < kInputs; ++j) {
      AddScaled(layers.first.Row(a)[j], features.Column(j), unit);
    }
    for (float& value : unit) value = std::max(value, 0.0F);
  }
}

ColumnMatrix PooledMlp::LogitsOf(const ColumnMatrix& hidden) const {
  const MlpLayers layers{std::span<const float>(parameters_)};
  ColumnMatrix logits(hidden.rows, kSimClasses);
  for (size_t k = 0; k < kSimClasses; ++k) {
    std::ranges::fill(logits.Column(k), layers.second.bias[k]);
    for (size_t a = 0; a < kMlpHidden; ++a) {
      AddScaled(layers.second.Row(k)[a], hidden.Column(a), logits.Column(k));
    }
  }
  return logits;
}

ColumnMatrix PooledMlp::Logits(const ColumnMatrix& features) const {
  ColumnMatrix hidden(features.rows, kMlpHidden);
  Hidden(features, hidden);
  return LogitsOf(hidden);
}

std::vector<float> PooledMlp::Gradient(
    std::span<const LabelledFeatures> parts) const {
  const MlpLayers layers{std::span<const float>(parameters_)};
  std::vector<float> gradient(parameters_.size(), 0);
  const MlpLayers to{std::span<float>(gradient)};
  size_t num_samples = 0;
  for (const LabelledFeatures& part : parts) {
    const size_t rows = part.features.rows;
    num_samples += rows;
    ColumnMatrix hidden(rows, kMlpHidden);
    Hidden(part.features, hidden);
    ColumnMatrix error = LogitsOf(hidden);
    SoftmaxError(part.labels, error);
    const std::vector<float> ones(rows, 1);
    for (size_t k = 0; k < kSimClasses; ++k) {
      to.second.bias[k] += Dot(error.Column(k), ones);
    }
    std::vector<float> by_unit(rows);
    for (size_t a = 0; a < kMlpHidden; ++a) {
      const std::span<const float> unit = hidden.Column(a);
      std::ranges::fill(by_unit, 0.0F);
      for (size_t k = 0; k < kSimClasses; ++k) {
        to.second.Row(k)[a] += Dot(error.Column(k), unit);
        AddScaled(layers.second.Row(k)[a], error.Column(k), by_unit);
      }
      for (size_t i = 0; i < rows; ++i) {
        by_unit[i] = unit[i] > 0 ? by_unit[i] : 0;
      }
      to.first.bias[a] += Dot(by_unit, ones);
      for (size_t j = 0; j < kInputs; ++j) {
        to.first.Row(a)[j] += Dot(by_unit, part.features.Column(j));
      }
    }
  }
  for (float& value : gradient) value /= static_cast<float>(num_samples);
  return gradient;
}

void PooledMlp::Fit(std::span<const SimulatedDomain> sources) {
  std::vector<LabelledFeatures> parts;
  for (const SimulatedDomain& source : sources) {
    std::ranges::move(InParts(source), std::back_inserter(parts));
  }
  FitFullBatch(
      kNetworkL2,
      // The parameters it is asked about are this network's own.
      [&](std::span<const float>) { return Gradient(parts); }, parameters_);
}

}  // namespace ladder::trainer
