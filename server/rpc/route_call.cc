#include "server/rpc/route_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/rpc/cancellation.h"
#include "server/rpc/convert.h"
#include "server/rpc/pinned_models.h"
#include "server/rpc/wire_message.h"

namespace ladder::server {
namespace {

constexpr int kMaxQuestions = 1000;

absl::Status WithQuestion(int question, const absl::Status& status) {
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

grpc::ServerReadReactor<grpc::ByteBuffer>* RouteCall::Start(
    const RpcServices& services, grpc::CallbackServerContext& context,
    grpc::ByteBuffer& response) {
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
                     grpc::ByteBuffer& response)
    : services_(services),
      context_(context),
      response_bytes_(response),
      call_(services, "RouteDomain", context),
      last_message_(absl::Now()) {}

void RouteCall::OnReadDone(bool ok) {
  if (!ok) return EndInput();
  absl::Status status = Accept();
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    last_message_ = absl::Now();
    status_.Update(std::move(status));
  }
  Pump();
}

absl::Status RouteCall::Accept() {
  // Kept with its samples.
  const auto request = std::make_shared<v1::RouteDomainRequest>();
  absl::Status status =
      ParseMessage(request_, services_.limits.max_message_bytes, *request);
  request_.Clear();
  if (!status.ok()) return status;
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
    if (!model.ok()) return WithQuestion(i, model.status());
    absl::StatusOr<RouteQuestion> question = QuestionFromProto(
        proto.routing(), proto.min_samples(), proto.fallback(),
        proto.has_soften_factor() ? std::optional(proto.soften_factor())
                                  : std::nullopt,
        **model);
    if (!question.ok()) return WithQuestion(i, question.status());
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
    const std::optional<size_t> question = FailedQuestion(status);
    status_.Update(question.has_value()
                       ? WithQuestion(parts_[part].questions[*question], status)
                       : status);
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
  if (!reading_ && !input_over_ &&
      untaken_bytes_ < services_.max_untaken_bytes) {
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
    absl::Status status = status_;
    if (action == Action::kFinish && status.ok()) {
      status = SerializeMessage(response_, response_bytes_);
    }
    lock.unlock();
    if (action == Action::kRead) {
      StartRead(&request_);
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
