#include "experiments/simulate/networks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "experiments/simulate/features.h"
#include "experiments/simulate/linear_fit.h"

namespace ladder::experiments {
namespace {

// The widths of a network with one hidden layer.
struct LayerSizes {
  size_t inputs;
  size_t hidden;
  size_t outputs;
};
constexpr LayerSizes kMlp = {kSimContent + 2 * kSimStyle, 64, kSimClasses};
constexpr LayerSizes kHyper = {kSimStyle, 32, kSimClasses* kSimContent};

// A layer's parameters within those of its network: weights (output x input,
// row-major), then one bias per output.
template <typename Float>
struct DenseLayer {
  DenseLayer(std::span<Float> parameters, size_t inputs, size_t outputs)
      : num_inputs(inputs),
        weights(parameters.first(inputs * outputs)),
        bias(parameters.subspan(inputs * outputs, outputs)) {}

  std::span<Float> Row(size_t output) const {
    return weights.subspan(output * num_inputs, num_inputs);
  }

  size_t num_inputs;
  std::span<Float> weights;
  std::span<Float> bias;
};

constexpr size_t DenseLayerSize(size_t inputs, size_t outputs) {
  return (inputs + 1) * outputs;
}

// Both layers within a network's parameters.
template <typename Float>
struct TwoLayers {
  TwoLayers(const LayerSizes& sizes, std::span<Float> parameters)
      : first(parameters, sizes.inputs, sizes.hidden),
        second(parameters.subspan(DenseLayerSize(sizes.inputs, sizes.hidden)),
               sizes.hidden, sizes.outputs) {}

  DenseLayer<Float> first;
  DenseLayer<Float> second;
};

// Both layers' parameters, each uniform within 1 / sqrt(inputs) of zero.
std::vector<float> DrawLayers(const LayerSizes& sizes, RandomDraws& draws) {
  std::vector<float> parameters;
  const auto draw = [&](size_t inputs, size_t outputs) {
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (size_t i = 0; i < DenseLayerSize(inputs, outputs); ++i) {
      parameters.push_back(
          static_cast<float>(bound * (2 * draws.Uniform() - 1)));
    }
  };
  draw(sizes.inputs, sizes.hidden);
  draw(sizes.hidden, sizes.outputs);
  return parameters;
}

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

PooledMlp::PooledMlp(RandomDraws& draws)
    : parameters_(DrawLayers(kMlp, draws)) {}

void PooledMlp::Hidden(const ColumnMatrix& features,
                       ColumnMatrix& hidden) const {
  const TwoLayers layers(kMlp, std::span(parameters_));
  for (size_t a = 0; a < kMlp.hidden; ++a) {
    const std::span<float> unit = hidden.Column(a);
    std::ranges::fill(unit, layers.first.bias[a]);
    for (size_t j = 0; j < kMlp.inputs; ++j) {
      AddScaled(layers.first.Row(a)[j], features.Column(j), unit);
    }
    for (float& value : unit) value = std::max(value, 0.0F);
  }
}

ColumnMatrix PooledMlp::LogitsOf(const ColumnMatrix& hidden) const {
  const TwoLayers layers(kMlp, std::span(parameters_));
  ColumnMatrix logits(hidden.rows, kSimClasses);
  for (size_t k = 0; k < kSimClasses; ++k) {
    std::ranges::fill(logits.Column(k), layers.second.bias[k]);
    for (size_t a = 0; a < kMlp.hidden; ++a) {
      AddScaled(layers.second.Row(k)[a], hidden.Column(a), logits.Column(k));
    }
  }
  return logits;
}

ColumnMatrix PooledMlp::Logits(const ColumnMatrix& features) const {
  ColumnMatrix hidden(features.rows, kMlp.hidden);
  Hidden(features, hidden);
  return LogitsOf(hidden);
}

std::vector<float> PooledMlp::Gradient(
    std::span<const LabelledFeatures> parts) const {
  const TwoLayers layers(kMlp, std::span(parameters_));
  std::vector<float> gradient(parameters_.size(), 0);
  const TwoLayers to(kMlp, std::span(gradient));
  size_t num_samples = 0;
  for (const LabelledFeatures& part : parts) {
    const size_t rows = part.features.rows;
    num_samples += rows;
    ColumnMatrix hidden(rows, kMlp.hidden);
    Hidden(part.features, hidden);
    ColumnMatrix error = LogitsOf(hidden);
    SoftmaxError(part.labels, error);
    const std::vector<float> ones(rows, 1);
    for (size_t k = 0; k < kSimClasses; ++k) {
      to.second.bias[k] += Dot(error.Column(k), ones);
    }
    std::vector<float> by_unit(rows);
    for (size_t a = 0; a < kMlp.hidden; ++a) {
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
      for (size_t j = 0; j < kMlp.inputs; ++j) {
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
      // The parameters are those of this network, which Gradient reads itself.
      [&](std::span<const float>) { return Gradient(parts); }, parameters_);
}

StyleHyperNet::StyleHyperNet(RandomDraws& draws)
    : parameters_(DrawLayers(kHyper, draws)) {}

std::vector<float> StyleHyperNet::Hidden(std::span<const float> summary) const {
  const TwoLayers layers(kHyper, std::span(parameters_));
  std::vector<float> hidden(kHyper.hidden);
  for (size_t a = 0; a < kHyper.hidden; ++a) {
    hidden[a] = std::max(
        0.0F, layers.first.bias[a] + Dot(layers.first.Row(a), summary));
  }
  return hidden;
}

std::vector<float> StyleHyperNet::HeadFor(
    std::span<const float> summary) const {
  const TwoLayers layers(kHyper, std::span(parameters_));
  const std::vector<float> hidden = Hidden(summary);
  std::vector<float> head(kHyper.outputs);
  for (size_t i = 0; i < kHyper.outputs; ++i) {
    head[i] = layers.second.bias[i] + Dot(layers.second.Row(i), hidden);
  }
  return head;
}

std::vector<float> StyleHyperNet::Gradient(
    std::span<const SimulatedDomain> sources,
    std::span<const LabelledFeatures> features) const {
  const TwoLayers layers(kHyper, std::span(parameters_));
  std::vector<float> gradient(parameters_.size(), 0);
  const TwoLayers to(kHyper, std::span(gradient));
  const float share = 1 / static_cast<float>(sources.size());
  for (size_t e = 0; e < sources.size(); ++e) {
    const std::vector<float>& summary = sources[e].summary;
    const std::vector<float> hidden = Hidden(summary);
    const LinearRisk risk = RiskOf(features[e], HeadFor(summary));
    std::vector<float> by_hidden(kHyper.hidden, 0);
    for (size_t i = 0; i < kHyper.outputs; ++i) {
      const float by_output = share * risk.gradient[i];
      AddScaled(by_output, layers.second.Row(i), by_hidden);
      AddScaled(by_output, hidden, to.second.Row(i));
      to.second.bias[i] += by_output;
    }
    for (size_t a = 0; a < kHyper.hidden; ++a) {
      if (hidden[a] <= 0) continue;
      AddScaled(by_hidden[a], summary, to.first.Row(a));
      to.first.bias[a] += by_hidden[a];
    }
  }
  return gradient;
}

void StyleHyperNet::Fit(std::span<const SimulatedDomain> sources) {
  const std::vector<LabelledFeatures> features =
      FeaturesOf(sources, ContentFeatures);
  FitFullBatch(
      kNetworkL2,
      // The parameters are those of this network, which Gradient reads itself.
      [&](std::span<const float>) { return Gradient(sources, features); },
      parameters_);
}

}  // namespace ladder::experiments
