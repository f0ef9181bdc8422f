#ifndef LADDER_SERVER_GROUPS_GROUP_EVIDENCE_H_
#define LADDER_SERVER_GROUPS_GROUP_EVIDENCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "model_store/engine/row_sample.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"
#include "server/groups/group_options.h"

namespace ladder::server {

// What is remembered of a group's samples in order to answer questions about
// it, and no more than they need.
//
// `model` must outlive it. One user at a time.
class GroupEvidence {
 public:
  GroupEvidence(const model_store::Model& model,
                std::span<const RouteQuestion> questions);

  // Takes the next samples of the group into account. Errors as
  // Model::SelectRows.
  absl::Status Add(const model_store::Encoding& rows,
                   const std::stop_token& stop);

  uint64_t num_seen() const { return num_seen_; }

  // Bytes held once `num_rows` samples have been added.
  static uint64_t Bytes(const model_store::Model& model,
                        std::span<const RouteQuestion> questions,
                        uint64_t num_rows);

  // The style vectors, measured once. Empty if no question needs them or there
  // are no samples. Errors as Model::StyleDistances.
  absl::StatusOr<const model_store::MeasuredStyle*> Measure(
      const routing::Execution& execution);

  // The gate logits of all samples; empty if no question needs them.
  routing::MatrixView gates() const;

  // A uniform sample of the content codes; empty if no question needs them.
  const model_store::Tensor& content() const { return content_.rows(); }

 private:
  struct Needs {
    bool style = false;
    bool gates = false;
    bool content = false;
  };

  static Needs NeedsOf(std::span<const RouteQuestion> questions);

  const model_store::Model& model_;
  const Needs needs_;
  uint64_t num_seen_ = 0;
  model_store::RowSample style_;
  model_store::RowSample content_;
  std::vector<float> gates_;
  std::optional<model_store::MeasuredStyle> measured_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_EVIDENCE_H_
