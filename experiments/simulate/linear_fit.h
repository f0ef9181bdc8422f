#ifndef LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
#define LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_

#include <torch/types.h>

#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "experiments/simulate/design.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// Makes of a domain's samples what a method's classifier sees, sample x
// feature.
using FeatureMap = torch::Tensor (*)(const SimulatedDomain& domain);

torch::Tensor ContentFeatures(const SimulatedDomain& domain);  // z
torch::Tensor IndexFeatures(const SimulatedDomain& domain);    // z, index
torch::Tensor JointFeatures(const SimulatedDomain& domain);    // z, style
torch::Tensor InteractionFeatures(
    const SimulatedDomain& domain);                            // z, s, s (x) z
torch::Tensor NetworkFeatures(const SimulatedDomain& domain);  // z, style, s

// The data that a classifier is trained on. Samples come last, so that sums
// over classes and features run over neighbours in memory.
struct LabelledFeatures {
  torch::Tensor features = {};  // Domain x feature x sample.
  torch::Tensor one_hot = {};   // Domain x class x sample: 1 at the label.
};

// The features of domains, one or more, that have equally many samples.
LabelledFeatures FeaturesOf(std::span<const SimulatedDomain> domains,
                            FeatureMap map);

// The classifier of z alone, kSimClasses x kSimContent, that `head` amounts to
// on `domain`, up to an offset: its part on z and, for InteractionFeatures,
// what the summary s makes of its products with z.
torch::Tensor ContentPart(const SimulatedDomain& domain, FeatureMap map,
                          const torch::Tensor& head);

// Accuracy in percent and the Brier score, the mean over the samples of the
// squared distance between probabilities and one-hot label, of `logits` (sample
// x class); no parameter error. Ties go to the lowest class.
Scores ScoresOf(const torch::Tensor& logits, const torch::Tensor& labels);

// The Frobenius distance between two sets of coefficients of one size.
double ParameterError(const torch::Tensor& found, const torch::Tensor& truth);

// The cross-entropy of every sample; both are [..., class, sample].
torch::Tensor CrossEntropies(const torch::Tensor& logits,
                             const torch::Tensor& one_hot);

// The mean cross-entropy R_e of every domain under the classifier `head` (class
// x feature, without a bias) or, if `head` is domain x class x feature, under
// its own.
torch::Tensor Risks(const LabelledFeatures& domains, const torch::Tensor& head);

// IRM's measure of how far a head is from the best scaling of itself on each
// domain: g_e = dR_e(t head) / dt at t = 1.
torch::Tensor ScaleSlopes(const LabelledFeatures& domains,
                          const torch::Tensor& head);

// L2 penalties, added to the gradient as l2 times the parameters.
inline constexpr double kLinearL2 = 1e-2;
inline constexpr double kNetworkL2 = 1e-4;

// Trains as the simulation does: 150 steps of Adam at rate 1e-2, every one on
// all samples. `loss()` is that of `parameters` as they are, without the
// penalty.
void FitFullBatch(double l2, absl::FunctionRef<torch::Tensor()> loss,
                  const std::vector<torch::Tensor>& parameters);

// The ways in which the risks R_e of the sources become one loss.
enum class LinearObjective {
  kErm,   // Their mean.
  kIrm,   // Their mean plus 30 times the mean of g_e^2, see ScaleSlopes.
  kEqrm,  // Their 0.75 quantile.
  kRdm,   // Their mean plus their population variance.
};

// The objective at `head`, without the L2 penalty.
torch::Tensor ObjectiveOf(const LabelledFeatures& sources,
                          LinearObjective objective, const torch::Tensor& head);

// The head, kSimClasses x feature, that all `sources` share; trained from zero
// by FitFullBatch.
torch::Tensor FitLinear(const LabelledFeatures& sources,
                        LinearObjective objective);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
