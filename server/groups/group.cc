#include "server/groups/group.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "imaging/rejection.h"

namespace ladder::server {
namespace {

using model_store::Encoding;

// Enough that mixing the heads does not count beside using them, and little
// enough that predictions flow.
constexpr size_t kMostRowsPerMessage = 256;
// A quarter of what clients of gRPC take unless they are told to take more.
constexpr size_t kBytesPerMessage = 1 << 20;

}  // namespace

std::shared_ptr<Group> Group::Start(const GroupServices& services,
                                    GroupSetup setup,
                                    std::shared_ptr<GroupSink> sink) {
  return std::shared_ptr<Group>(
      new Group(services, std::move(setup), std::move(sink)));
}

Group::Group(const GroupServices& services, GroupSetup setup,
             std::shared_ptr<GroupSink> sink)
    : services_(services),
      setup_(std::move(setup)),
      sink_(std::move(sink)),
      model_(*setup_.model),
      intake_(services_, setup_, stop_.get_token()),
      reporter_(setup_, services.observer),
      evidence_(std::in_place, model_, setup_.options.questions) {}

absl::Status Group::Add(SampleChunk samples) {
  return intake_.Add(std::move(samples),
                     [self = shared_from_this()] { self->Schedule(); });
}

void Group::End() {
  intake_.End();
  Schedule();
}

void Group::Fail(absl::Status status) {
  {
    const base::MutexLock lock(mutex_);
    if (failure_.ok()) failure_ = std::move(status);
  }
  stop_.request_stop();
  Schedule();
}

void Group::Resume() { Schedule(); }

void Group::Schedule() {
  {
    const base::MutexLock lock(mutex_);
    if (std::exchange(scheduled_, true)) {
      again_ = true;
      return;
    }
  }
  PostStep();
}

void Group::PostStep() {
  services_.workers.Post(setup_.owner, NextStep(),
                         [self = shared_from_this()] { self->Run(); });
}

WorkerPool::Length Group::NextStep() const {
  if (finished_ || IsRouted() || !MayBeRouted()) {
    return WorkerPool::Length::kShort;
  }
  return WorkerPool::LengthOf(evidence_->ExpectedWork());
}

void Group::Run() {
  const bool may_have_more = Step();
  {
    const base::MutexLock lock(mutex_);
    const bool again = std::exchange(again_, false);
    if (!may_have_more && !again) {
      scheduled_ = false;
      return;
    }
  }
  PostStep();  // Others may come first.
}

bool Group::Step() {
  if (finished_) return false;
  absl::Status failure;
  {
    const base::MutexLock lock(mutex_);
    failure = failure_;
  }
  const bool input_over = intake_.IsOver();
  if (!failure.ok()) {
    Finish(failure);
    return false;
  }
  absl::Status status;
  const bool routed = IsRouted();
  if (!routed && (evidence_complete_ || input_over)) {
    status = Route();
  } else if (const std::shared_ptr<GroupChunk> chunk = intake_.Take()) {
    status = Absorb(*chunk);
  } else if (routed && (content_.num_rows() > 0 || !rejected_.empty())) {
    if (!sink_->HasRoom()) return false;
    status = Predict();
  } else if (routed && input_over) {
    Finish(absl::OkStatus());
    return false;
  } else {
    return false;
  }
  if (status.ok()) return true;
  {
    // What was stopped says no more than that it was.
    const base::MutexLock lock(mutex_);
    if (!failure_.ok()) {
      status = failure_;
      summary_.failed_question.reset();
    }
  }
  Finish(status);
  return false;
}

absl::Status Group::Absorb(GroupChunk& chunk) {
  LADDER_RETURN_IF_ERROR(chunk.encoded.status());
  uint64_t rejected_bytes = 0;
  LADDER_RETURN_IF_ERROR(AbsorbRejected(chunk, rejected_bytes));
  reporter_.AddTimes(chunk);
  size_t row = 0;
  for (const Encoding& part : chunk.encoded->parts) {
    LADDER_RETURN_IF_ERROR(AbsorbPart(part, row, chunk));
    row += part.z_c.rows();
  }
  summary_.num_samples += chunk.num_rows;
  // If nothing is to be predicted, only rejected samples are still answered.
  if (!setup_.options.predict) {
    intake_.Free(chunk.answer_bytes - rejected_bytes);
  }
  chunk.samples.owner.reset();
  sink_->OnSamplesTaken(chunk.sample_bytes);
  return absl::OkStatus();
}

absl::Status Group::AbsorbRejected(const GroupChunk& chunk,
                                   uint64_t& answer_bytes) {
  for (size_t i = 0; i < chunk.verdict.size(); ++i) {
    const absl::Status& verdict = chunk.verdict[i];
    if (verdict.ok()) continue;
    const auto reason = imaging::GetRejection(verdict);
    const uint64_t index = chunk.first_index + i;
    // Callers know the limit by its flag.
    std::string message = absl::StrReplaceAll(
        verdict.message(), {{"max_pixels", "--max-image-pixels"}});
    if (setup_.options.fail_on_bad_sample || !reason.has_value()) {
      return absl::Status(verdict.code(),
                          absl::StrCat("image ", index, ": ", message));
    }
    const absl::string_view name = imaging::RejectionName(*reason);
    services_.observer.OnImageRejected(name);
    rejected_.push_back(
        {.index = index,
         .id = chunk.samples.ids.empty() ? "" : chunk.samples.ids[i],
         .reason = std::string(name),
         .message = std::move(message)});
    answer_bytes += intake_.AnswerBytes(1, {&rejected_.back().id, 1});
    ++summary_.num_rejected;
  }
  return absl::OkStatus();
}

absl::Status Group::AbsorbPart(const Encoding& part, size_t begin,
                               GroupChunk& chunk) {
  if (!evidence_complete_) {
    const absl::Time start = base::SteadyNow();
    // Weights depend on the first samples alone, however the stream was cut.
    const uint64_t route_after = setup_.options.route_after;
    const uint64_t room = route_after - evidence_->num_seen();
    const bool completes = route_after > 0 && part.z_c.rows() >= room;
    const size_t num_rows = completes ? room : part.z_c.rows();
    LADDER_RETURN_IF_ERROR(evidence_->Add({.z_c = part.z_c.Rows(0, num_rows),
                                           .z_s = part.z_s.Rows(0, num_rows),
                                           .gate = part.gate.Rows(0, num_rows)},
                                          stop_.get_token()));
    reporter_.AddTime(Stage::kStyle, start, base::SteadyNow());
    evidence_complete_ = completes;
  }
  if (!setup_.options.predict) return absl::OkStatus();
  ContentRows rows = {.z_c = part.z_c};
  const bool per_sample = setup_.options.questions.front().routing.method ==
                          routing::Method::kSampleGate;
  if (per_sample) rows.gate = part.gate;
  for (size_t row = begin; row < begin + part.z_c.rows(); ++row) {
    const size_t sample = chunk.SampleOf(row);
    rows.indices.push_back(chunk.first_index + sample);
    if (!chunk.samples.ids.empty()) {
      rows.ids.push_back(std::move(chunk.samples.ids[sample]));
    }
  }
  content_.Push(std::move(rows));
  return absl::OkStatus();
}

absl::Status Group::Route() {
  const absl::Time start = base::SteadyNow();
  const size_t question = answers_.size();
  absl::StatusOr<RoutingAnswer> answer = RouteGroup(
      model_, *evidence_, setup_.options.questions[question], execution());
  if (!answer.ok()) {
    summary_.failed_question = question;
    return answer.status();
  }
  reporter_.AddTime(Stage::kRoute, start, base::SteadyNow());
  answer->stages = reporter_.stages();
  answers_.push_back(*std::move(answer));
  sink_->OnRouting(answers_.back());
  return absl::OkStatus();
}

size_t Group::RowsPerMessage() const {
  const size_t num_sources = model_.manifest().num_sources();
  const size_t num_classes = model_.manifest().num_classes();
  const OutputOptions& outputs = setup_.options.outputs;
  const size_t values =
      2 * outputs.top_n + (outputs.probabilities ? num_classes : 0) +
      (outputs.logits ? num_classes : 0) +
      (outputs.expert_probabilities ? num_sources * num_classes : 0) +
      (answers_.front().routing.per_sample ? num_sources : 0);
  const size_t bytes = std::max<size_t>(values, 1) * sizeof(float);
  const size_t most = setup_.limits.fixed_head_rows > 0
                          ? setup_.limits.fixed_head_rows
                          : kMostRowsPerMessage;
  return std::clamp<size_t>(kBytesPerMessage / bytes, 1, most);
}

absl::Status Group::Predict() {
  const absl::Time start = base::SteadyNow();
  GroupPredictions rows;
  if (content_.num_rows() > 0) {
    LADDER_ASSIGN_OR_RETURN(
        ContentRows content,
        content_.Take(model_, RowsPerMessage(), stop_.get_token()));
    LADDER_ASSIGN_OR_RETURN(
        rows, PredictRows(model_, std::move(content), answers_.front(),
                          setup_.options.outputs, setup_.limits.fixed_head_rows,
                          stop_.get_token()));
  }
  rows.rejected = std::exchange(rejected_, {});
  uint64_t answered = intake_.AnswerBytes(rows.indices.size(), rows.ids);
  for (const RejectedSample& rejected : rows.rejected) {
    answered += intake_.AnswerBytes(1, {&rejected.id, 1});
  }
  intake_.Free(answered);
  reporter_.AddTime(Stage::kHeads, start, base::SteadyNow());
  sink_->OnPredictions(std::move(rows));
  return absl::OkStatus();
}

void Group::Finish(const absl::Status& status) {
  finished_ = true;
  stop_.request_stop();
  content_ = {};
  evidence_.reset();
  intake_.Clear();
  reporter_.End(status, summary_,
                answers_.empty() ? nullptr : &answers_.front());
  sink_->OnEnd(status, summary_);
}

}  // namespace ladder::server
