#ifndef LADDER_EXPERIMENTS_SIMULATE_LINEAR_RISK_H_
#define LADDER_EXPERIMENTS_SIMULATE_LINEAR_RISK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/simulate/column_matrix.h"

namespace ladder::trainer {

// What a linear classifier is trained or tested on.
struct LabelledFeatures {
  ColumnMatrix features = {};
  std::span<const uint8_t> labels = {};  // The domain's own.
};

// The logits, sample x class, of the classifier `head` (class x feature,
// row-major) without a bias.
ColumnMatrix LinearLogits(const ColumnMatrix& features,
                          std::span<const float> head);

// The mean cross-entropy R of a head on a domain, and dR / dhead.
struct LinearRisk {
  double risk = 0;
  std::vector<float> gradient = {};
};
LinearRisk RiskOf(const LabelledFeatures& domain, std::span<const float> head);

// IRM's measure of how far a head is from the best scaling of itself on a
// domain: g = dR(t head) / dt at t = 1, and dg / dhead.
struct ScaleSlope {
  double slope = 0;
  std::vector<float> gradient = {};
};
ScaleSlope ScaleSlopeOf(const LabelledFeatures& domain,
                        std::span<const float> head);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_LINEAR_RISK_H_
