#include "server/rpc/route_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/rpc/cancellation.h"
#include "server/rpc/convert.h"
#include "server/rpc/incoming_message.h"
#include "server/rpc/pinned_models.h"

namespace ladder::server {
namespace {

constexpr uint64_t kMaxUntakenBytes = 16 << 20;
constexpr int kMaxQuestions = 1000;

absl::Status AboutQuestion(int question, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("questions[", question,
                                                  "]: ", status.message()));
}

}  // namespace

class RouteCall::Sink final : public GroupSink {
 public:
  Sink(std::shared_ptr<RouteCall> call, size_t part)
      : call_(std::move(call)), part_(part) {}

  void OnRouting(const RoutingAnswer& answer) override {
    call_->Answer(part_, num_answers_++, answer);
  }
  void OnPredictions(PredictionRows rows) override {
    // Every model rejects the same samples.
    if (part_ == 0) call_->Reject(std::move(rows.rejected));
  }
  void OnSamplesTaken(uint64_t bytes) override { call_->OnSamplesTaken(bytes); }
  void OnEnd(const absl::Status& status, const GroupSummary&) override {
    call_->OnGroupEnd(part_, status);
  }
  bool HasRoom() override { return true; }

 private:
  const std::shared_ptr<RouteCall> call_;
  const size_t part_;
  size_t num_answers_ = 0;
};

grpc::ServerReadReactor<v1::RouteDomainRequest>* RouteCall::Start(
    const RpcServices& services, grpc::CallbackServerContext& context,
    v1::RouteDomainResponse& response) {
  const std::shared_ptr<RouteCall> call(
      new RouteCall(services, context, response));
  {
    const std::lock_guard lock(call->mutex_);
    call->self_ = call;
    call->status_ = call->call_.Authorize();
    if (call->status_.ok()) call->status_ = call->call_.Enter();
  }
  services.calls.Add(call);
  call->Pump();
  return call.get();
}

RouteCall::RouteCall(const RpcServices& services,
                     grpc::CallbackServerContext& context,
                     v1::RouteDomainResponse& response)
    : services_(services),
      context_(context),
      response_(response),
      call_(services, "RouteDomain", context),
      last_message_(absl::Now()) {}

void RouteCall::OnReadDone(bool ok) {
  if (!ok) {
    absl::Status status = ExplainFailedRead(*request_);
    if (!status.ok()) Abort(std::move(status));
    EndInput();
    return;
  }
  const std::shared_ptr<v1::RouteDomainRequest> request = std::move(request_);
  absl::Status status = Accept(request);
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    last_message_ = absl::Now();
    status_.Update(std::move(status));
  }
  Pump();
}

absl::Status RouteCall::Accept(
    const std::shared_ptr<v1::RouteDomainRequest>& request) {
  absl::Status status = CheckSize(*request, services_.limits);
  if (!status.ok()) return status;
  request->DiscardUnknownFields();
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (!status_.ok()) return absl::OkStatus();
    is_first = parts_.empty();
  }
  if (is_first) {
    status = OpenGroups(*request);
    if (!status.ok()) return status;
  } else if (!request->questions().empty() || !request->group().empty()) {
    return absl::InvalidArgumentError(
        "expected group and questions in the first message only");
  }
  return AddSamples(request);
}

absl::Status RouteCall::OpenGroups(const v1::RouteDomainRequest& request) {
  const uint64_t max_name = services_.limits.max_name_bytes;
  if (request.group().size() > max_name) {
    return absl::InvalidArgumentError(
        absl::StrCat(LimitsConfig::kMaxNameBytesFlag,
                     ": expected a group's name of at most ", max_name,
                     " bytes, got one of ", request.group().size()));
  }
  if (request.questions_size() > kMaxQuestions) {
    return absl::InvalidArgumentError(
        absl::StrCat("questions: expected at most ", kMaxQuestions, ", got ",
                     request.questions_size()));
  }
  const v1::RouteQuestion by_default;
  const int num_questions = std::max(request.questions_size(), 1);
  PinnedModels models(services_.store);
  std::vector<Part> parts;
  std::vector<GroupOptions> options;  // Of the parts.
  for (int i = 0; i < num_questions; ++i) {
    const v1::RouteQuestion& proto =
        request.questions().empty() ? by_default : request.questions(i);
    absl::StatusOr<model_store::ModelHandle> model = models.Get(proto.model());
    if (!model.ok()) return AboutQuestion(i, model.status());
    absl::StatusOr<RouteQuestion> question = QuestionFromProto(
        proto.routing(), proto.min_samples(), proto.fallback(),
        proto.has_soften_factor() ? std::optional(proto.soften_factor())
                                  : std::nullopt,
        **model);
    if (!question.ok()) return AboutQuestion(i, question.status());
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const Part& p) { return p.model == *model; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), Part{.model = *model});
      options.push_back({.predict = false,
                         .fail_on_bad_sample = request.fail_on_bad_sample()});
    }
    part->questions.push_back(i);
    options[static_cast<size_t>(part - parts.begin())].questions.push_back(
        *std::move(question));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].group =
        Group::Start(services_.groups,
                     {.stream = call_.number(),
                      .model = parts[i].model,
                      .options = std::move(options[i]),
                      .limits = services_.group_limits,
                      .report = call_.ReportOf(request.group())},
                     std::make_shared<Sink>(shared_from_this(), i));
  }
  const std::lock_guard lock(mutex_);
  if (finished_) return absl::OkStatus();  // Nobody would ever fail them.
  num_open_ = parts.size();
  parts_ = std::move(parts);
  for (int i = 0; i < num_questions; ++i) response_.add_routings();
  return absl::OkStatus();
}

absl::Status RouteCall::AddSamples(
    const std::shared_ptr<v1::RouteDomainRequest>& request) {
  if (!request->has_samples()) return absl::OkStatus();
  std::vector<Part> parts;
  {
    const std::lock_guard lock(mutex_);
    parts = parts_;
  }
  for (const Part& part : parts) {
    if (part.group == nullptr) continue;
    absl::StatusOr<SampleChunk> chunk =
        ChunkFromProto(request->samples(), *part.model,
                       services_.limits.max_name_bytes, request);
    if (!chunk.ok()) return chunk.status();
    const uint64_t bytes = chunk->num_bytes();
    {
      const std::lock_guard lock(mutex_);
      untaken_bytes_ += bytes;
    }
    absl::Status status = part.group->Add(*std::move(chunk));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void RouteCall::EndInput() {
  std::vector<Part> parts;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    input_over_ = true;
    if (parts_.empty()) {
      status_.Update(absl::InvalidArgumentError(
          "expected a message with a group's samples, got none"));
    }
    parts = parts_;
  }
  for (const Part& part : parts) {
    if (part.group != nullptr) part.group->End();
  }
  Pump();
}

void RouteCall::Answer(size_t part, size_t number,
                       const RoutingAnswer& answer) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  const Part& about = parts_[part];
  RoutingToProto(*about.model, answer,
                 *response_.mutable_routings(about.questions[number]));
}

void RouteCall::Reject(std::vector<RejectedSample> rejected) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  for (RejectedSample& sample : rejected) {
    RejectedToProto(std::move(sample), *response_.add_rejected());
  }
}

void RouteCall::OnSamplesTaken(uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    untaken_bytes_ -= bytes;
  }
  Pump();
}

void RouteCall::OnGroupEnd(size_t part, const absl::Status& status) {
  std::shared_ptr<Group> ended;  // They hold each other until now.
  {
    const std::lock_guard lock(mutex_);
    --num_open_;
    ended = std::move(parts_[part].group);
    status_.Update(status);
  }
  Pump();
}

void RouteCall::Abort(absl::Status status) {
  {
    const std::lock_guard lock(mutex_);
    status_.Update(std::move(status));
  }
  Pump();
}

void RouteCall::CheckTime(absl::Time now) {
  const LimitsConfig& limits = services_.limits;
  bool idle = false;
  {
    const std::lock_guard lock(mutex_);
    idle = reading_ && untaken_bytes_ == 0 &&
           now - last_message_ > limits.max_idle_time;
  }
  if (idle) Abort(IdleTooLong(limits));
  if (now - call_.started() > limits.max_stream_time) {
    Abort(LastedTooLong(limits));
  }
}

void RouteCall::OnCancel() { Abort(CancellationOf(context_)); }

void RouteCall::OnDone() {
  std::shared_ptr<RouteCall> self;
  const std::lock_guard lock(mutex_);
  self = std::move(self_);
}

RouteCall::Action RouteCall::NextAction() {
  if (finished_) return Action::kNone;
  if (!status_.ok() || (input_over_ && num_open_ == 0)) {
    finished_ = true;
    return Action::kFinish;
  }
  if (!reading_ && !input_over_ && untaken_bytes_ < kMaxUntakenBytes) {
    reading_ = true;
    return Action::kRead;
  }
  return Action::kNone;
}

void RouteCall::Pump() {
  const std::shared_ptr<RouteCall> self = shared_from_this();
  std::unique_lock lock(mutex_);
  if (std::exchange(pumping_, true)) return;
  for (;;) {
    const Action action = NextAction();
    if (action == Action::kNone) break;
    const std::vector<Part> parts = parts_;
    const absl::Status status = status_;
    lock.unlock();
    if (action == Action::kRead) {
      request_ = std::make_shared<v1::RouteDomainRequest>();
      MarkUnread(*request_);
      StartRead(request_.get());
    } else {
      for (const Part& part : parts) {
        if (part.group == nullptr) continue;
        part.group->Fail(absl::CancelledError("the call has ended"));
      }
      Finish(call_.End(status));
    }
    lock.lock();
  }
  pumping_ = false;
}

}  // namespace ladder::server
