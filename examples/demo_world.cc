#include "examples/demo_world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>

#include "routing/counter_rng.h"

namespace ladder::examples {
namespace {

using routing::MatrixView;
using routing::MixedHead;

constexpr size_t kNumFactors = 6;
constexpr size_t kRuleSize = DemoWorld::kNumClasses * DemoWorld::kCausalDim;
// One factor's mean and another's log deviation move this far from valley to
// summit.
constexpr float kDrift = 3;
constexpr double kSpread = 1;
constexpr float kStyleNoise = 0.1F;
constexpr float kRuleScale = 0.8F;  // Deviation of every part of the rule.
constexpr double kTurn = 4.5;       // Radians from valley to summit.

std::vector<float> Normals(size_t size, float scale, std::mt19937_64& engine) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(size);
  for (float& value : values) value = normal(engine);
  return values;
}

MixedHead ZeroHead() {
  return {.num_classes = DemoWorld::kNumClasses,
          .dimension = DemoWorld::kCausalDim,
          .weight = std::vector<float>(kRuleSize),
          .bias = std::vector<float>(DemoWorld::kNumClasses)};
}

std::vector<float> LogitsOf(const MixedHead& head, const Images& images) {
  std::vector<float> logits(images.count * head.num_classes);
  CheckOk(routing::Logits(head, images.Causal(), logits));
  return logits;
}

// The class with the largest of the logits, for every image.
std::vector<size_t> LargestLogits(std::span<const float> logits) {
  std::vector<size_t> classes;
  for (; !logits.empty(); logits = logits.subspan(DemoWorld::kNumClasses)) {
    const auto row = logits.first(DemoWorld::kNumClasses);
    classes.push_back(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

// The gradient, class x causal dimension, of the mean cross-entropy.
std::vector<double> Gradient(const MixedHead& head, const Images& labelled) {
  const MatrixView z_c = labelled.Causal();
  std::vector<float> residuals = LogitsOf(head, labelled);
  CheckOk(routing::SoftmaxRows({residuals.data(), z_c.rows, head.num_classes},
                               residuals));
  std::vector<double> gradient(head.weight.size());
  for (size_t i = 0; i < z_c.rows; ++i) {
    float* const residual = residuals.data() + i * head.num_classes;
    residual[labelled.labels[i]] -= 1;
    for (size_t k = 0; k < gradient.size(); ++k) {
      gradient[k] += residual[k / z_c.cols] * z_c.Row(i)[k % z_c.cols];
    }
  }
  for (double& value : gradient) value /= static_cast<double>(z_c.rows);
  return gradient;
}

}  // namespace

void CheckOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "ladder-demo: %s\n", status.ToString().c_str());
  std::abort();
}

MatrixView Images::Style() const {
  return {style.data(), count, DemoWorld::kStyleDim};
}

MatrixView Images::Causal() const {
  return {causal.data(), count, DemoWorld::kCausalDim};
}

DemoWorld::DemoWorld(uint64_t seed) : seed_(seed) {
  std::mt19937_64 engine(seed);
  embedding_ = Normals(kStyleDim * kNumFactors, 1, engine);
  shared_ = Normals(kRuleSize, kRuleScale, engine);
  cosine_ = Normals(kRuleSize, kRuleScale, engine);
  sine_ = Normals(kRuleSize, kRuleScale, engine);
}

Images DemoWorld::TakeImages(double habitat, size_t count,
                             uint64_t stream) const {
  std::mt19937_64 engine(routing::CounterRng(seed_).Bits(stream));
  std::vector<float> factors = Normals(count * kNumFactors, 1, engine);
  Images images{.count = count,
                .style = Normals(count * kStyleDim, kStyleNoise, engine),
                .causal = Normals(count * kCausalDim, 1, engine),
                .labels = {}};
  for (size_t i = 0; i < count; ++i) {
    float* const factor = factors.data() + i * kNumFactors;
    factor[0] += kDrift * static_cast<float>(habitat);
    factor[1] *= static_cast<float>(std::exp(kSpread * habitat));
    for (size_t k = 0; k < embedding_.size(); ++k) {
      images.style[i * kStyleDim + k / kNumFactors] +=
          embedding_[k] * factor[k % kNumFactors];
    }
  }
  // With Gumbel noise added, the largest logit is a draw from their softmax.
  std::vector<float> logits = LogitsOf(TrueHead(habitat), images);
  std::extreme_value_distribution<float> gumbel;
  for (float& logit : logits) logit += gumbel(engine);
  images.labels = LargestLogits(logits);
  return images;
}

MixedHead DemoWorld::TrueHead(double habitat) const {
  MixedHead head = ZeroHead();
  const auto cosine = static_cast<float>(std::cos(kTurn * habitat));
  const auto sine = static_cast<float>(std::sin(kTurn * habitat));
  for (size_t k = 0; k < kRuleSize; ++k) {
    head.weight[k] = shared_[k] + cosine * cosine_[k] + sine * sine_[k];
  }
  return head;
}

MixedHead FitHead(const Images& labelled) {
  constexpr int kSteps = 200;
  constexpr double kStepSize = 1;
  constexpr double kDecay = 0.01;
  MixedHead head = ZeroHead();
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> gradient = Gradient(head, labelled);
    for (size_t k = 0; k < kRuleSize; ++k) {
      const double slope = gradient[k] + kDecay * head.weight[k];
      head.weight[k] -= static_cast<float>(kStepSize * slope);
    }
  }
  return head;
}

double Accuracy(const MixedHead& head, const Images& images) {
  const std::vector<size_t> predicted = LargestLogits(LogitsOf(head, images));
  size_t hits = 0;
  for (size_t i = 0; i < images.count; ++i) {
    if (predicted[i] == images.labels[i]) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(images.count);
}

}  // namespace ladder::examples
