#include "experiments/simulate/style_hyper_net.h"

#include <algorithm>

#include "experiments/simulate/dense_layer.h"
#include "experiments/simulate/features.h"
#include "experiments/simulate/full_batch_fit.h"

namespace ladder::trainer {
namespace {

constexpr size_t kHyperHidden = 32;
constexpr size_t kOutputs = kSimClasses * kSimContent;

template <typename Float>
struct HyperLayers {
  explicit HyperLayers(std::span<Float> parameters)
      : first(parameters, kSimStyle, kHyperHidden),
        second(parameters.subspan(DenseLayerSize(kSimStyle, kHyperHidden)),
               kHyperHidden, kOutputs) {}

  DenseLayer<Float> first;
  DenseLayer<Float> second;
};

}  // namespace

StyleHyperNet::StyleHyperNet(RandomDraws& draws) {
  DrawDenseLayer(kSimStyle, kHyperHidden, draws, parameters_);
  DrawDenseLayer(kHyperHidden, kOutputs, draws, parameters_);
}

std::vector<float> StyleHyperNet::Hidden(std::span<const float> summary) const {
  const HyperLayers layers{std::span<const float>(parameters_)};
  std::vector<float> hidden(kHyperHidden);
  for (size_t a = 0; a < kHyperHidden; ++a) {
    hidden[a] = std::max(
        0.0F, layers.first.bias[a] + Dot(layers.first.Row(a), summary));
  }
  return hidden;
}

std::vector<float> StyleHyperNet::HeadFor(
    std::span<const float> summary) const {
  const HyperLayers layers{std::span<const float>(parameters_)};
  const std::vector<float> hidden = Hidden(summary);
  std::vector<float> head(kOutputs);
  for (size_t i = 0; i < kOutputs; ++i) {
    head[i] = layers.second.bias[i] + Dot(layers.second.Row(i), hidden);
  }
  return head;
}

std::vector<float> StyleHyperNet::Gradient(
    std::span<const SimulatedDomain> sources,
    std::span<const LabelledFeatures> features) const {
  const HyperLayers layers{std::span<const float>(parameters_)};
  std::vector<float> gradient(parameters_.size(), 0);
  const HyperLayers to{std::span<float>(gradient)};
  const float share = 1 / static_cast<float>(sources.size());
  for (size_t e = 0; e < sources.size(); ++e) {
    const std::vector<float>& summary = sources[e].summary;
    const std::vector<float> hidden = Hidden(summary);
    const LinearRisk risk = RiskOf(features[e], HeadFor(summary));
    std::vector<float> by_hidden(kHyperHidden, 0);
    for (size_t i = 0; i < kOutputs; ++i) {
      const float by_output = share * risk.gradient[i];
      AddScaled(by_output, layers.second.Row(i), by_hidden);
      AddScaled(by_output, hidden, to.second.Row(i));
      to.second.bias[i] += by_output;
    }
    for (size_t a = 0; a < kHyperHidden; ++a) {
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
      // The parameters it is asked about are this network's own.
      [&](std::span<const float>) { return Gradient(sources, features); },
      parameters_);
}

}  // namespace ladder::trainer
