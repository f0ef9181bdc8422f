#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {
namespace {

constexpr double kTiny = 1e-6;  // Keeps a constant column from dividing by 0.

// Mean and population standard deviation of what was added. Values are of order
// one, so that plain sums of squares in double lose nothing that matters.
class Moments {
 public:
  void Add(std::span<const float> values) {
    for (const float value : values) {
      const auto x = static_cast<double>(value);
      sum_ += x;
      squares_ += x * x;
    }
    count_ += static_cast<double>(values.size());
  }
  double Mean() const { return sum_ / count_; }
  double Deviation() const {
    return std::sqrt(std::max(0.0, squares_ / count_ - Mean() * Mean()));
  }
  float Standardized(float value) const {
    return static_cast<float>((static_cast<double>(value) - Mean()) /
                              (Deviation() + kTiny));
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

Moments MomentsOf(std::span<const float> values) {
  Moments moments;
  moments.Add(values);
  return moments;
}

// Standardises what `value(domain)` refers to by its moments over the sources.
template <typename Value>
void StandardizeOverSources(std::span<SimulatedDomain> sources,
                            std::span<SimulatedDomain> targets, Value value) {
  Moments moments;
  for (SimulatedDomain& domain : sources) moments.Add(value(domain));
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      for (float& x : value(domain)) x = moments.Standardized(x);
    }
  }
}

}  // namespace

void StandardizeStyles(std::span<SimulatedDomain> sources,
                       std::span<SimulatedDomain> targets) {
  for (size_t j = 0; j < kSimStyle; ++j) {
    StandardizeOverSources(sources, targets, [j](SimulatedDomain& domain) {
      return domain.style.Column(j);
    });
  }
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      domain.summary.clear();
      for (size_t j = 0; j < kSimStyle; ++j) {
        domain.summary.push_back(
            static_cast<float>(MomentsOf(domain.style.Column(j)).Deviation()));
      }
      domain.style_index =
          static_cast<float>(MomentsOf(domain.style.values).Mean());
    }
  }
  for (size_t j = 0; j < kSimStyle; ++j) {
    StandardizeOverSources(sources, targets, [j](SimulatedDomain& domain) {
      return std::span<float>(&domain.summary[j], 1);
    });
  }
  StandardizeOverSources(sources, targets, [](SimulatedDomain& domain) {
    return std::span<float>(&domain.style_index, 1);
  });
}

}  // namespace ladder::trainer
