#ifndef LADDER_SERVER_GROUPS_PREDICT_ROWS_H_
#define LADDER_SERVER_GROUPS_PREDICT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "model_store/engine/tensor.h"
#include "server/groups/group_options.h"
#include "server/groups/route_group.h"

namespace ladder::server {

// Encoded samples and who they are.
struct ContentRows {
  model_store::Tensor z_c = {};
  model_store::Tensor gate = {};       // Empty if it is not needed.
  std::vector<uint64_t> indices = {};  // In the group.
  std::vector<std::string> ids = {};   // One each, or none.
};

// The encoded samples of a group that wait to be predicted for, in order. One
// user at a time.
class ContentBuffer {
 public:
  size_t num_rows() const { return num_rows_; }

  void Push(ContentRows rows);

  // Removes the first `num_rows` rows, or all if there are fewer. Expects
  // num_rows() > 0. Errors as Model::Concatenate.
  absl::StatusOr<ContentRows> Take(const model_store::Model& model,
                                   size_t num_rows,
                                   const std::stop_token& stop);

 private:
  std::deque<ContentRows> pieces_;
  size_t num_rows_ = 0;
};

// A sample that could not be used.
struct RejectedSample {
  uint64_t index = 0;  // In the group.
  std::string id = {};
  std::string reason = {};  // As imaging::RejectionName.
  std::string message = {};
};

// Predictions for samples of a group, in their order. Matrices are row-major
// and empty unless they were asked for.
struct GroupPredictions {
  std::vector<uint64_t> indices = {};  // In the group.
  std::vector<std::string> ids = {};   // The caller's; empty if there are none.
  std::vector<uint32_t> labels = {};
  std::vector<float> probabilities = {};  // n x classes
  std::vector<float> logits = {};         // n x classes
  size_t top_n = 0;
  std::vector<uint32_t> top_classes = {};        // n x top_n, best first.
  std::vector<float> top_probabilities = {};     // n x top_n
  std::vector<float> expert_probabilities = {};  // n x sources x classes
  std::vector<float> sample_weights = {};  // n x sources, of per-sample gates.
  std::vector<RejectedSample> rejected = {};
};

// Predicts for `content` under the weights of `answer`; its gate is needed only
// if they are per sample. `rejected` is left to the caller. The heads are run
// on at least `min_rows` rows, padded, because rounding depends on their
// number. Internal, naming model and sample, if a logit is not finite: no class
// would be the most probable one. Otherwise errors as Model::Logits.
absl::StatusOr<GroupPredictions> PredictRows(const model_store::Model& model,
                                             ContentRows content,
                                             const RoutingAnswer& answer,
                                             const OutputOptions& outputs,
                                             size_t min_rows,
                                             const std::stop_token& stop);

// The places of the `n` highest numbers, highest first, ties to the lower
// place, NaN last. Expects at least `n` numbers.
std::vector<uint32_t> TopColumns(std::span<const float> row, size_t n);

// What the expert of one source makes of `z_c`: probabilities, row by row, one
// per class. Internal, naming model and source, if a logit is not finite;
// otherwise errors as Model::Logits.
absl::StatusOr<std::vector<float>> ExpertProbabilities(
    const model_store::Model& model, size_t source,
    const model_store::Tensor& z_c, const std::stop_token& stop);

// How many experts ExpertDisagreement asks, because every one costs a run of
// the heads.
inline constexpr size_t kMostExperts = 16;

// What an expert makes of some samples, as ExpertProbabilities says it.
using ExpertOpinion =
    absl::FunctionRef<absl::StatusOr<std::shared_ptr<const std::vector<float>>>(
        size_t source)>;

// How far the experts' own predictions differ on `num_rows` samples: the mean
// over rows of
//
//   sum_e w_e TV(p_e, sum_e' w_e' p_e'),  p_e = softmax(logits of expert e),
//
// from 0 (all weighted experts predict alike) to below 1. Only the kMostExperts
// with the largest weights take part. Errors as `opinion`.
absl::StatusOr<double> ExpertDisagreement(std::span<const double> weights,
                                          size_t num_rows,
                                          ExpertOpinion opinion);

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_PREDICT_ROWS_H_
