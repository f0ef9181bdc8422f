#include "tests/server/groups/tiny_models.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/engine/row_sample.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::server {
namespace {

using model_store::BundleContents;
using model_store::Engine;
using model_store::ModelHandle;
using model_store::TinyBundle;
using model_store::TinyBundleOptions;

BundleContents WithEndlessEncoder() {
  BundleContents contents = TinyBundle({.model = "endless"});
  contents.encoder = model_store::EndlessEncoder();
  return contents;
}

struct Models {
  model_store::TestStore store;
  std::unique_ptr<Engine> engine =
      Engine::Create(model_store::TestOptions()).value();
  std::unique_ptr<Engine> fixed_engine =
      Engine::Create({.device = "cpu", .threads = 2, .batch_sizes = {8}})
          .value();
  ModelHandle tensor = store.Load(*engine, TinyBundle());
  ModelHandle fixed = store.Load(*fixed_engine, TinyBundle({.version = 2}));
  ModelHandle image = store.Load(
      *engine, TinyBundle({.model = "images",
                           .input = TinyBundleOptions::Input::kImage}));
  ModelHandle endless = store.Load(*engine, WithEndlessEncoder());
};

const Models& AllModels() {
  static const Models models;
  return models;
}

std::vector<float> ProbabilitiesOf(const std::vector<float>& logits,
                                   size_t num_classes) {
  std::vector<float> probabilities;
  for (size_t begin = 0; begin < logits.size(); begin += num_classes) {
    const float* row = &logits[begin];
    const double largest = *std::max_element(row, row + num_classes);
    double sum = 0;
    for (size_t c = 0; c < num_classes; ++c) sum += std::exp(row[c] - largest);
    for (size_t c = 0; c < num_classes; ++c) {
      probabilities.push_back(
          static_cast<float>(std::exp(row[c] - largest) / sum));
    }
  }
  return probabilities;
}

}  // namespace

ModelHandle TensorModel() { return AllModels().tensor; }
ModelHandle OneBatchSizeModel() { return AllModels().fixed; }
ModelHandle ImageModel() { return AllModels().image; }
ModelHandle EndlessModel() { return AllModels().endless; }

std::vector<float> RandomSamples(size_t num_samples, unsigned seed) {
  std::vector<float> x =
      model_store::RandomValues(num_samples * model_store::kTinySample, seed);
  for (float& value : x) value = 0.3F * value - 0.5F;
  return x;
}

std::vector<float> FarSamples(size_t num_samples, unsigned seed) {
  std::vector<float> x = RandomSamples(num_samples, seed);
  for (float& value : x) value += 20;
  return x;
}

RouteQuestion DefaultQuestion(const model_store::Model& model) {
  const model_store::RoutingDefaults& defaults = model.manifest().routing;
  return {.routing = {
              .method = defaults.method, .k = defaults.k, .tau = defaults.tau}};
}

DirectAnswer AskDirectly(const model_store::Model& model,
                         const std::vector<float>& x, size_t num_samples,
                         const RouteQuestion& question) {
  const size_t row = x.size() / num_samples;
  DirectAnswer answer;
  auto sample = model_store::RowSample::OfStyle(model);
  std::vector<model_store::Encoding> encodings;
  for (size_t i = 0; i < num_samples; ++i) {
    encodings.push_back(
        model.Encode(std::span(x).subspan(i * row, row), 1, {}).value());
    const model_store::Encoding& encoding = encodings.back();
    EXPECT_TRUE(sample.Add(encoding.z_s, {}).ok());
    const auto content = encoding.z_c.view().Values();
    answer.content.insert(answer.content.end(), content.begin(), content.end());
    const auto gates = encoding.gate.view().Values();
    answer.gates.insert(answer.gates.end(), gates.begin(), gates.end());
  }
  const auto style = model.StyleDistances(sample.rows(), {}).value();
  routing::RoutingOptions options = question.routing;
  options.stability =
      routing::StabilityOptions{.seed = model.manifest().routing.seed};
  const size_t num_sources = model.manifest().num_sources();
  answer.routing =
      model.router()
          .Decide(
              {.style = style.normalized.view(),
               .gate_logits = {answer.gates.data(), num_samples, num_sources},
               .num_seen = num_samples},
              style.distances, options, {})
          .value();
  std::vector<float> weights(answer.routing.weights.begin(),
                             answer.routing.weights.end());
  for (size_t i = 0; i < num_samples; ++i) {
    if (answer.routing.per_sample) {
      EXPECT_TRUE(model.router()
                      .SampleWeights(encodings[i].gate.view(), options, weights)
                      .ok());
    }
    const model_store::Tensor logits =
        model.Logits(encodings[i].z_c, {weights.data(), 1, num_sources}, {})
            .value();
    const auto values = logits.view().Values();
    answer.logits.insert(answer.logits.end(), values.begin(), values.end());
  }
  answer.probabilities =
      ProbabilitiesOf(answer.logits, model.manifest().num_classes());
  return answer;
}

}  // namespace ladder::server
