#ifndef LADDER_CLIENT_LIBRARY_ANSWER_CHECK_H_
#define LADDER_CLIENT_LIBRARY_ANSWER_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// Whether a server's answers can be about the samples that it was sent. Keeps
// eight bytes of each sample. One thread may send while another checks.
class AnswerCheck {
 public:
  // `options` are those that the group was begun with.
  AnswerCheck(std::string group, const v1::GroupOptions& options);

  // Samples that are going to be sent, in order.
  void OnSend(const v1::Samples& samples);

  // DataLoss, with what was expected and what came, unless the answer is about
  // this group and may come now, its parts fit to each other and to what was
  // asked for, its numbers are finite, its labels are classes, and its samples
  // were sent under these ids and not answered before.
  absl::Status Check(const v1::PredictDomainResponse& answer);

  // The same when there will be no more answers: the group has ended, and each
  // sample was answered.
  absl::Status CheckComplete() const;

  // The same for a group that is routed only.
  absl::Status Check(const v1::RouteDomainRequest& request,
                     const v1::RouteDomainResponse& response);

 private:
  absl::Status CheckRouting(const v1::Routing& routing);
  absl::Status CheckPredictions(const v1::Predictions& predictions);
  absl::Status CheckMatrices(const v1::Predictions& predictions);
  absl::Status CheckMatrix(absl::string_view name, const v1::Matrix& matrix,
                           size_t num_rows, size_t num_columns) const;
  absl::Status CheckLabel(absl::string_view name, uint32_t label) const;
  absl::Status CheckEnd(const v1::GroupEnd& end);
  // Of one sample that is answered.
  absl::Status Take(uint64_t index, absl::string_view id);

  const std::string group_;
  const v1::ModelRef model_;
  const v1::OutputOptions outputs_;

  mutable base::Mutex mutex_;
  std::vector<size_t> ids_ ABSL_GUARDED_BY(mutex_);  // Hashes, by index.

  bool is_routed_ = false;
  bool has_ended_ = false;
  size_t num_sources_ = 0;
  size_t num_classes_ = 0;  // 0 until it is known.
  std::vector<bool> is_answered_;
  uint64_t num_predicted_ = 0;
  uint64_t num_rejected_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_ANSWER_CHECK_H_
