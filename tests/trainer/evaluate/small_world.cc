#include "tests/trainer/evaluate/small_world.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"

namespace ladder::trainer {
namespace {

// Uniform in [-1, 1).
std::vector<float> Uniform(size_t count, uint64_t seed) {
  const routing::CounterRng rng(seed);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(rng.Below(2'000'000, i)) * 1e-6F - 1;
  }
  return values;
}

std::vector<float> StyleAround(float center, size_t count, uint64_t seed) {
  std::vector<float> style = Uniform(count * kStyleDimension, seed);
  for (size_t i = 0; i < style.size(); i += kStyleDimension) {
    style[i] += center;
  }
  return style;
}

model_store::SourceStyles Styles() {
  constexpr size_t kCount = 20;
  std::vector<std::vector<float>> values;
  std::vector<routing::MatrixView> clouds;
  for (size_t e = 0; e < kNumSources; ++e) {
    values.push_back(StyleAround(3 * static_cast<float>(e), kCount, 100 + e));
    clouds.push_back({values.back().data(), kCount, kStyleDimension});
  }
  auto normalizer = routing::StyleNormalizer::Fit(clouds).value();
  for (size_t e = 0; e < kNumSources; ++e) {
    normalizer.Apply(clouds[e], values[e]).IgnoreError();
  }
  auto fingerprints = routing::Fingerprints::Create(clouds, /*options=*/{},
                                                    /*execution=*/{});
  return {.normalizer = std::move(normalizer),
          .fingerprints = std::move(fingerprints).value()};
}

routing::CoverageCalibration Coverage() {
  routing::CoverageCalibration::Level level{.sample_size = 8,
                                            .num_sources = kNumSources};
  for (size_t q = 0; q < routing::CoverageCalibration::kNumQuantiles; ++q) {
    level.quantiles.push_back(0.01 * static_cast<double>(q));
  }
  return {.levels = {level}};
}

}  // namespace

TrainedStack SmallStack() {
  TrainedStack stack{
      .classes = {"ant", "bee", "cat"},
      .sources = {},
      .heads = routing::LinearHeads::Create(
                   kNumSources, kNumClasses, kContentDimension,
                   Uniform(kNumSources * kNumClasses * kContentDimension, 1),
                   Uniform(kNumSources * kNumClasses, 2))
                   .value(),
      .styles = Styles(),
      .coverage = Coverage(),
      .source_distances = {},
      .routing = {.k = 2, .tau = 0.5}};
  for (size_t e = 0; e < kNumSources; ++e) {
    stack.sources.push_back({.name = absl::StrCat("source-", e)});
  }
  return stack;
}

EncodedSamples SmallSamples(std::vector<int64_t> domains) {
  const size_t size = domains.size();
  EncodedSamples samples{.content_dimension = kContentDimension,
                         .style_dimension = kStyleDimension,
                         .num_sources = kNumSources,
                         .content = Uniform(size * kContentDimension, 3),
                         .style = Uniform(size * kStyleDimension, 4),
                         .gate = Uniform(size * kNumSources, 5),
                         .regions = std::vector<int64_t>(size, -1)};
  // Contents that biases do not decide, and gates with strong opinions, which
  // a domain's samples share to a degree.
  for (float& value : samples.content) value *= 4;
  for (float& value : samples.gate) value *= 3;
  const routing::CounterRng labels(6);
  for (size_t i = 0; i < size; ++i) {
    const auto domain = static_cast<size_t>(domains[i]);
    samples.style[i * kStyleDimension] += 4 * static_cast<float>(domain) + 1;
    samples.gate[i * kNumSources + domain] += 2;
    samples.labels.push_back(
        static_cast<int64_t>(labels.Below(kNumClasses, i)));
  }
  samples.domains = std::move(domains);
  return samples;
}

EncodedSamples ThreeDomains() {
  std::vector<int64_t> domains;
  for (size_t i = 0; i < 30; ++i) {
    for (const int64_t domain : {2, 0, 1}) domains.push_back(domain);
  }
  return SmallSamples(std::move(domains));
}

int64_t ClassOf(const TrainedStack& stack, const EncodedSamples& samples,
                size_t sample, std::span<const double> weights) {
  const auto content = samples.content_view().Row(sample);
  int64_t best = 0;
  double best_logit = 0;
  for (size_t c = 0; c < kNumClasses; ++c) {
    double logit = 0;
    for (size_t e = 0; e < kNumSources; ++e) {
      const size_t row = e * kNumClasses + c;
      double expert = double{stack.heads.bias()[row]};
      for (size_t d = 0; d < kContentDimension; ++d) {
        expert += double{stack.heads.weights()[row * kContentDimension + d]} *
                  double{content[d]};
      }
      logit += weights[e] * expert;
    }
    if (c == 0 || logit > best_logit) {
      best = static_cast<int64_t>(c);
      best_logit = logit;
    }
  }
  return best;
}

}  // namespace ladder::trainer
