#include "experiments/simulate/networks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/simulate/linear_fit.h"

namespace ladder::experiments {

TwoLayers::TwoLayers(int64_t inputs, int64_t hidden, int64_t outputs,
                     RandomDraws& draws) {
  const auto draw = [&](torch::IntArrayRef sizes, int64_t num_inputs) {
    const double bound = 1 / std::sqrt(static_cast<double>(num_inputs));
    torch::Tensor values = torch::empty(sizes);
    std::generate_n(values.data_ptr<float>(), values.numel(), [&] {
      return static_cast<float>(bound * (2 * draws.Uniform() - 1));
    });
    parameters_.push_back(std::move(values));
  };
  draw({hidden, inputs}, inputs);
  draw({hidden, 1}, inputs);
  draw({outputs, hidden}, hidden);
  draw({outputs, 1}, hidden);
}

torch::Tensor TwoLayers::Forward(const torch::Tensor& x) const {
  const torch::Tensor hidden =
      torch::addmm(parameters_[1], parameters_[0], x).relu();
  return torch::addmm(parameters_[3], parameters_[2], hidden);
}

PooledMlp::PooledMlp(RandomDraws& draws)
    : layers_(kSimContent + 2 * kSimStyle, 64, kSimClasses, draws) {}

void PooledMlp::Fit(std::span<const SimulatedDomain> sources) {
  const LabelledFeatures all = FeaturesOf(sources, NetworkFeatures);
  const torch::Tensor features = all.features.transpose(0, 1).flatten(1);
  const torch::Tensor one_hot = all.one_hot.transpose(0, 1).flatten(1);
  FitFullBatch(
      kNetworkL2,
      [&] { return CrossEntropies(Logits(features), one_hot).mean(); },
      layers_.parameters());
}

StyleHyperNet::StyleHyperNet(RandomDraws& draws)
    : layers_(kSimStyle, 32, kSimClasses * kSimContent, draws) {}

torch::Tensor StyleHyperNet::HeadsFor(const torch::Tensor& summaries) const {
  return layers_.Forward(summaries.t())
      .t()
      .reshape({-1, kSimClasses, kSimContent});
}

void StyleHyperNet::Fit(std::span<const SimulatedDomain> sources) {
  const LabelledFeatures features = FeaturesOf(sources, ContentFeatures);
  std::vector<torch::Tensor> rows;
  for (const SimulatedDomain& source : sources) rows.push_back(source.summary);
  const torch::Tensor summaries = torch::cat(rows);
  FitFullBatch(
      kNetworkL2, [&] { return Risks(features, HeadsFor(summaries)).mean(); },
      layers_.parameters());
}

}  // namespace ladder::experiments
