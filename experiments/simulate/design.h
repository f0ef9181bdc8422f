#ifndef LADDER_EXPERIMENTS_SIMULATE_DESIGN_H_
#define LADDER_EXPERIMENTS_SIMULATE_DESIGN_H_

#include <array>
#include <cstddef>
#include <iterator>

namespace ladder::experiments {

// The sizes of the paper's simulation.
inline constexpr size_t kSimClasses = 3;
inline constexpr size_t kSimContent = 10;
inline constexpr size_t kSimStyle = 8;
inline constexpr size_t kSimSources = 9;
inline constexpr size_t kSimRows = 1000;  // Samples in each domain.

struct SimulatedTarget {
  const char* name;
  const char* meaning;
  double coordinate;
};
inline constexpr SimulatedTarget kSimTargets[] = {
    {"A", "interpolation, c = 2", 2}, {"B", "extrapolation, c = 6", 6}};

// These are measured of a method on a target.
enum SimMetric : size_t { kSimAccuracy, kSimBrier, kSimParameterError };

struct SimMetricInfo {
  const char* key;
  const char* title;
};
inline constexpr std::array<SimMetricInfo, 3> kSimMetrics = {
    {{"accuracy", "accuracy (%)"},
     {"brier", "Brier score"},
     {"parameter_error", "parameter error"}}};

// One value for each SimMetric; NaN where a method has no such score.
using Scores = std::array<double, kSimMetrics.size()>;

// One score card per target of kSimTargets.
using TargetScores = std::array<Scores, std::size(kSimTargets)>;

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_DESIGN_H_
