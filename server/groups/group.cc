#include "server/groups/group.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "imaging/rejection.h"

namespace ladder::server {
namespace {

using model_store::Encoding;

// Enough that mixing the heads does not count beside using them, and little
// enough that predictions flow.
constexpr size_t kRowsPerMessage = 256;

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
      evidence_(model_, setup_.options.questions) {}

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
  services_.workers.Post(setup_.stream,
                         [self = shared_from_this()] { self->Run(); });
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
  // Others come first, then the next step.
  services_.workers.Post(setup_.stream,
                         [self = shared_from_this()] { self->Run(); });
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
  const bool routed = !answers_.empty();
  if (const std::shared_ptr<GroupChunk> chunk = intake_.Take()) {
    status = Absorb(*chunk);
  } else if (!routed && input_over) {
    status = Route();
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
  uint64_t done_bytes = chunk.input_bytes;
  // If nothing is to be predicted, only rejected samples are still answered.
  if (!setup_.options.predict) {
    done_bytes += chunk.answer_bytes - rejected_bytes;
  }
  intake_.Free(done_bytes);
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
  if (answers_.empty()) {
    const absl::Time start = absl::Now();
    // Weights depend on the first samples alone, however the stream was cut.
    const uint64_t route_after = setup_.options.route_after;
    const uint64_t room = route_after - evidence_.num_seen();
    const bool completes = route_after > 0 && part.z_c.rows() >= room;
    const size_t num_rows = completes ? room : part.z_c.rows();
    LADDER_RETURN_IF_ERROR(evidence_.Add({.z_c = part.z_c.Rows(0, num_rows),
                                          .z_s = part.z_s.Rows(0, num_rows),
                                          .gate = part.gate.Rows(0, num_rows)},
                                         stop_.get_token()));
    reporter_.AddTime(Stage::kStyle, start, absl::Now());
    if (completes) {
      LADDER_RETURN_IF_ERROR(Route());
    }
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
  const absl::Time start = absl::Now();
  const std::vector<RouteQuestion>& questions = setup_.options.questions;
  for (size_t i = 0; i < questions.size(); ++i) {
    absl::StatusOr<RoutingAnswer> answer =
        RouteGroup(model_, evidence_, questions[i], execution());
    if (!answer.ok()) {
      summary_.failed_question = i;
      return answer.status();
    }
    answers_.push_back(*std::move(answer));
  }
  reporter_.AddTime(Stage::kRoute, start, absl::Now());
  for (RoutingAnswer& answer : answers_) {
    answer.stages = reporter_.stages();
    sink_->OnRouting(answer);
  }
  return absl::OkStatus();
}

absl::Status Group::Predict() {
  const absl::Time start = absl::Now();
  GroupPredictions rows;
  if (content_.num_rows() > 0) {
    const size_t fixed = setup_.limits.fixed_head_rows;
    LADDER_ASSIGN_OR_RETURN(
        ContentRows content,
        content_.Take(model_, fixed > 0 ? fixed : kRowsPerMessage,
                      stop_.get_token()));
    LADDER_ASSIGN_OR_RETURN(
        rows, PredictRows(model_, content.z_c, content.gate, answers_.front(),
                          setup_.options.outputs, fixed, stop_.get_token()));
    rows.indices = std::move(content.indices);
    rows.ids = std::move(content.ids);
  }
  rows.rejected = std::exchange(rejected_, {});
  uint64_t answered = intake_.AnswerBytes(rows.indices.size(), rows.ids);
  for (const RejectedSample& rejected : rows.rejected) {
    answered += intake_.AnswerBytes(1, {&rejected.id, 1});
  }
  intake_.Free(answered);
  reporter_.AddTime(Stage::kHeads, start, absl::Now());
  sink_->OnPredictions(std::move(rows));
  return absl::OkStatus();
}

void Group::Finish(const absl::Status& status) {
  finished_ = true;
  stop_.request_stop();
  content_ = {};
  intake_.Clear();
  reporter_.End(status, summary_,
                answers_.empty() ? nullptr : &answers_.front());
  sink_->OnEnd(status, summary_);
}

}  // namespace ladder::server
