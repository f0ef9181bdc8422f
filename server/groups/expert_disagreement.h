#ifndef LADDER_SERVER_GROUPS_EXPERT_DISAGREEMENT_H_
#define LADDER_SERVER_GROUPS_EXPERT_DISAGREEMENT_H_

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "model_store/engine/tensor.h"

namespace ladder::server {

// What the expert of one source makes of `z_c`: probabilities, row by row, one
// per class. Errors as Model::Logits.
absl::StatusOr<std::vector<float>> ExpertProbabilities(
    const model_store::Model& model, size_t source,
    const model_store::Tensor& z_c, const std::stop_token& stop);

// routing::ExpertDisagreement, with the experts as they are served: of the
// sixteen with the largest weights, because every one costs a run of the heads.
absl::StatusOr<double> ExpertDisagreement(const model_store::Model& model,
                                          std::span<const double> weights,
                                          const model_store::Tensor& z_c,
                                          const std::stop_token& stop);

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_EXPERT_DISAGREEMENT_H_
