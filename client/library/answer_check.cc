#include "client/library/answer_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ladder/client/samples.h"

namespace ladder::client {
namespace {

template <typename... Parts>
absl::Status Mismatch(const Parts&... parts) {
  return absl::DataLossError(absl::StrCat("the server's answer: ", parts...));
}

absl::Status CheckSize(absl::string_view name, size_t expected, size_t found) {
  if (expected == found) return absl::OkStatus();
  return Mismatch(name, ": expected ", expected, ", got ", found);
}

absl::Status CheckFinite(absl::string_view name, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return Mismatch(name, ": expected finite numbers, got ", value);
}

// A text of the server's, safe to stand in a message.
std::string Shown(absl::string_view text) {
  constexpr size_t kMaxShown = 200;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxShown)),
                      text.size() > kMaxShown ? "...\"" : "\"");
}

size_t HashOf(absl::string_view id) {
  return std::hash<std::string_view>()({id.data(), id.size()});
}

}  // namespace

AnswerCheck::AnswerCheck(std::string group, const v1::GroupOptions& options)
    : group_(std::move(group)),
      model_(options.model()),
      outputs_(options.outputs()) {}

void AnswerCheck::OnSend(const v1::Samples& samples) {
  const base::MutexLock lock(mutex_);
  if (samples.ids().empty()) {
    ids_.resize(ids_.size() + NumSamples(samples), HashOf(""));
  }
  for (const std::string& id : samples.ids()) ids_.push_back(HashOf(id));
}

absl::Status AnswerCheck::Check(const v1::PredictDomainResponse& answer) {
  if (answer.group() != group_) {
    return Mismatch("group: expected ", Shown(group_), ", got ",
                    Shown(answer.group()));
  }
  if (has_ended_) return Mismatch("expected none after the group's end");
  switch (answer.answer_case()) {
    case v1::PredictDomainResponse::kRouting:
      return CheckRouting(answer.routing());
    case v1::PredictDomainResponse::kPredictions:
      return CheckPredictions(answer.predictions());
    case v1::PredictDomainResponse::kEnd:
      return CheckEnd(answer.end());
    case v1::PredictDomainResponse::kError:
    case v1::PredictDomainResponse::ANSWER_NOT_SET:  // Of a newer server.
      break;
  }
  return absl::OkStatus();
}

absl::Status AnswerCheck::CheckComplete() const {
  if (!has_ended_) {
    return absl::DataLossError(
        "expected the end of the group, the call ended without it");
  }
  const base::MutexLock lock(mutex_);
  if (num_predicted_ + num_rejected_ == ids_.size()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("expected answers for ", ids_.size(),
                                          " samples, got ",
                                          num_predicted_ + num_rejected_));
}

absl::Status AnswerCheck::Check(const v1::RouteDomainRequest& request,
                                const v1::RouteDomainResponse& response) {
  // Without a question there is one, with all defaults.
  const int num_questions = std::max(request.questions_size(), 1);
  LADDER_RETURN_IF_ERROR(CheckSize("routings",
                                   static_cast<size_t>(num_questions),
                                   response.routings().size()));
  for (const v1::Routing& routing : response.routings()) {
    is_routed_ = false;
    LADDER_RETURN_IF_ERROR(CheckRouting(routing));
  }
  for (const v1::RejectedSample& rejected : response.rejected()) {
    LADDER_RETURN_IF_ERROR(Take(rejected.index(), rejected.id()));
  }
  return absl::OkStatus();
}

absl::Status AnswerCheck::CheckRouting(const v1::Routing& routing) {
  if (std::exchange(is_routed_, true)) {
    return Mismatch("expected one routing, got another");
  }
  const bool is_other =
      (!model_.name().empty() && routing.model() != model_.name()) ||
      (model_.has_version() && routing.version() != model_.version());
  if (is_other) {
    return Mismatch(
        "model: expected ", Shown(model_.name()),
        model_.has_version() ? absl::StrCat(" ", model_.version()) : "",
        ", got ", Shown(routing.model()), " ", routing.version());
  }
  for (const v1::SourceWeight& source : routing.sources()) {
    LADDER_RETURN_IF_ERROR(CheckFinite("weight", source.weight()));
    LADDER_RETURN_IF_ERROR(CheckFinite("distance", source.distance()));
  }
  LADDER_RETURN_IF_ERROR(
      CheckFinite("effective_experts", routing.effective_experts()));
  num_sources_ = static_cast<size_t>(routing.sources_size());
  num_classes_ = static_cast<size_t>(routing.classes_size());
  const base::MutexLock lock(mutex_);
  if (routing.num_samples() <= ids_.size()) return absl::OkStatus();
  return Mismatch("num_samples: expected at most ", ids_.size(), ", got ",
                  routing.num_samples());
}

absl::Status AnswerCheck::CheckPredictions(const v1::Predictions& predictions) {
  if (!is_routed_) return Mismatch("expected a routing before predictions");
  const auto n = static_cast<size_t>(predictions.labels_size());
  if (!predictions.indices().empty()) {
    LADDER_RETURN_IF_ERROR(
        CheckSize("indices", n, predictions.indices().size()));
  }
  if (!predictions.ids().empty()) {
    LADDER_RETURN_IF_ERROR(CheckSize("ids", n, predictions.ids().size()));
  }
  LADDER_RETURN_IF_ERROR(CheckMatrices(predictions));
  const size_t num_top = n * outputs_.top_n();
  LADDER_RETURN_IF_ERROR(
      CheckSize("top_classes", num_top, predictions.top_classes().size()));
  LADDER_RETURN_IF_ERROR(CheckSize("top_probabilities", num_top,
                                   predictions.top_probabilities().size()));
  for (const uint32_t label : predictions.top_classes()) {
    LADDER_RETURN_IF_ERROR(CheckLabel("top_classes", label));
  }
  for (const float probability : predictions.top_probabilities()) {
    LADDER_RETURN_IF_ERROR(CheckFinite("top_probabilities", probability));
  }
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<int>(i);
    LADDER_RETURN_IF_ERROR(CheckLabel("labels", predictions.labels(at)));
    LADDER_RETURN_IF_ERROR(
        Take(predictions.indices().empty() ? predictions.first_index() + i
                                           : predictions.indices(at),
             predictions.ids().empty() ? "" : predictions.ids(at)));
  }
  for (const v1::RejectedSample& rejected : predictions.rejected()) {
    LADDER_RETURN_IF_ERROR(Take(rejected.index(), rejected.id()));
  }
  num_predicted_ += n;
  num_rejected_ += static_cast<uint64_t>(predictions.rejected_size());
  return absl::OkStatus();
}

absl::Status AnswerCheck::CheckMatrices(const v1::Predictions& predictions) {
  const auto n = static_cast<size_t>(predictions.labels_size());
  // Where the routing does not name the classes, the first columns count them.
  for (const v1::Matrix* const matrix :
       {&predictions.probabilities(), &predictions.logits(),
        &predictions.expert_probabilities()}) {
    if (n > 0 && num_classes_ == 0) num_classes_ = matrix->columns();
  }
  LADDER_RETURN_IF_ERROR(
      CheckMatrix("probabilities", predictions.probabilities(),
                  outputs_.probabilities() ? n : 0, num_classes_));
  LADDER_RETURN_IF_ERROR(CheckMatrix("logits", predictions.logits(),
                                     outputs_.logits() ? n : 0, num_classes_));
  LADDER_RETURN_IF_ERROR(CheckMatrix(
      "expert_probabilities", predictions.expert_probabilities(),
      outputs_.expert_probabilities() ? n * num_sources_ : 0, num_classes_));
  // Older servers do not send them.
  const bool has_weights = predictions.sample_weights().columns() > 0;
  return CheckMatrix("sample_weights", predictions.sample_weights(),
                     has_weights ? n : 0, num_sources_);
}

absl::Status AnswerCheck::CheckMatrix(absl::string_view name,
                                      const v1::Matrix& matrix, size_t num_rows,
                                      size_t num_columns) const {
  if (num_rows > 0) {
    LADDER_RETURN_IF_ERROR(CheckSize(absl::StrCat(name, ".columns"),
                                     num_columns, matrix.columns()));
  }
  const std::string& bytes = matrix.float32();
  LADDER_RETURN_IF_ERROR(CheckSize(absl::StrCat(name, ".float32"),
                                   num_rows * num_columns * sizeof(float),
                                   bytes.size()));
  for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i, sizeof(value));
    if (!std::isfinite(value)) return CheckFinite(name, value);
  }
  return absl::OkStatus();
}

absl::Status AnswerCheck::CheckLabel(absl::string_view name,
                                     uint32_t label) const {
  if (num_classes_ == 0 || label < num_classes_) return absl::OkStatus();
  return Mismatch(name, ": expected one of ", num_classes_, " classes, got ",
                  label);
}

absl::Status AnswerCheck::CheckEnd(const v1::GroupEnd& end) {
  if (!is_routed_) return Mismatch("expected a routing before the end");
  has_ended_ = true;
  LADDER_RETURN_IF_ERROR(
      CheckSize("num_predicted", num_predicted_, end.num_predicted()));
  return CheckSize("num_rejected", num_rejected_, end.num_rejected());
}

absl::Status AnswerCheck::Take(uint64_t index, absl::string_view id) {
  {
    const base::MutexLock lock(mutex_);
    if (index >= ids_.size()) {
      return Mismatch("expected one of ", ids_.size(), " samples, got sample ",
                      index);
    }
    if (ids_[index] != HashOf(id)) {
      return Mismatch("sample ", index, ": expected the id it was sent with, ",
                      "got ", Shown(id));
    }
    is_answered_.resize(ids_.size());
  }
  if (is_answered_[index]) {
    return Mismatch("sample ", index, ": expected one answer, got another");
  }
  is_answered_[index] = true;
  return absl::OkStatus();
}

}  // namespace ladder::client
