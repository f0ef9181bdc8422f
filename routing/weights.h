#ifndef LADDER_ROUTING_WEIGHTS_H_
#define LADDER_ROUTING_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "routing/matrix_view.h"

namespace ladder::routing {

// The ways in which a group's weights over the sources come about. The
// functions below are the arithmetic; all are pure.
enum class Method {
  kLadder,           // Softmax over the K nearest sources.
  kNearest,          // The one nearest source.
  kUniform,          // Every source alike; looks at no covariates.
  kSampleGate,       // Each sample its own weights, from its style gate.
  kSampleGateGroup,  // The mean of the sample gates over the group.
  kFixed,            // Given by the caller.
};

// "ladder", "nearest", "uniform", "sample_gate", "sample_gate_group", "fixed".
absl::string_view MethodName(Method method);

// The inverse of MethodName. InvalidArgument, listing the names, for others.
absl::StatusOr<Method> ParseMethod(absl::string_view name);

// Asks for all sources as neighbours, however many there are.
inline constexpr size_t kAllSources = SIZE_MAX;

// The indices of the `k` smallest of the finite `distances` (of all, if there
// are no more), nearest first, ties to the lower index.
std::vector<size_t> NearestSources(std::span<const double> distances, size_t k);

// One weight per source: softmax(-distance / tau) over the `k` nearest, zero
// elsewhere. Small negative distances, which debiasing can give, are fine.
//
// InvalidArgument if there are no sources, `k` is neither kAllSources nor
// between 1 and their number, `tau` is not positive and finite, or a distance
// is not finite.
absl::StatusOr<std::vector<double>> SoftmaxWeights(
    std::span<const double> distances, size_t k, double tau);

std::vector<double> UniformWeights(size_t num_sources);

// InvalidArgument unless there is one weight per source, each finite and at
// least 0, and they sum to 1 within 1e-6.
absl::Status CheckFixedWeights(std::span<const double> weights,
                               size_t num_sources);

struct NamedWeight {
  std::string source;
  double weight = 0;
};

// Fixed weights in the order of `source_names`; sources not named get 0.
// InvalidArgument if a name is unknown or comes twice, and as
// CheckFixedWeights.
absl::StatusOr<std::vector<double>> NamedWeights(
    std::span<const NamedWeight> named,
    std::span<const std::string> source_names);

// Writes softmax(gate / temperature) of every row of `gate_logits`, n x
// sources, to `weights`, n x sources. InvalidArgument if the logits are empty
// or not finite, `temperature` is not positive and finite, or the sizes differ.
absl::Status SampleGateWeights(const MatrixView& gate_logits,
                               double temperature, std::span<float> weights);

// The mean over the rows of what SampleGateWeights gives: one weight per
// source for the whole group. Errors as there.
absl::StatusOr<std::vector<double>> MeanGateWeights(
    const MatrixView& gate_logits, double temperature);

// The number of sources that the weights amount to: exp of their Shannon
// entropy, from 1 (one source has all) to the number of sources (all alike).
double EffectiveExperts(std::span<const double> weights);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_WEIGHTS_H_
