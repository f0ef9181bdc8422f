#include "server/rpc/route_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "server/rpc/from_proto.h"
#include "server/rpc/to_proto.h"

namespace ladder::server {
namespace {

constexpr int kMaxQuestions = 1000;

absl::Status AtQuestion(int question, const absl::Status& status) {
  return base::AtPlace(absl::StrCat("questions[", question, "]"), status);
}

}  // namespace

class RouteCall::Sink final : public GroupSink {
 public:
  Sink(std::shared_ptr<RouteCall> call, size_t part)
      : call_(std::move(call)), part_(part) {}

  void OnRouting(const RoutingAnswer& answer) override {
    call_->Answer(part_, num_answers_++, answer);
  }
  void OnPredictions(GroupPredictions rows) override {
    // Every model rejects the same samples.
    if (part_ == 0) call_->Reject(std::move(rows.rejected));
  }
  void OnSamplesTaken(uint64_t bytes) override { call_->OnSamplesTaken(bytes); }
  void OnEnd(const absl::Status& status, const GroupSummary& summary) override {
    call_->OnGroupEnd(part_, status, summary);
  }

 private:
  const std::shared_ptr<RouteCall> call_;
  const size_t part_;
  size_t num_answers_ = 0;
};

CallReactor* RouteCall::Start(const RpcServices& services,
                              grpc::CallbackServerContext& context) {
  const std::shared_ptr<RouteCall> call(new RouteCall(services, context));
  call->Begin();
  return call.get();
}

absl::Status RouteCall::Accept() {
  LADDER_ASSIGN_OR_RETURN(const auto request,
                          TakeMessage<v1::RouteDomainRequest>());
  bool is_first = false;
  {
    const base::MutexLock lock(mutex_);
    if (ending_) return absl::OkStatus();
    is_first = parts_.empty();
  }
  if (is_first) {
    LADDER_RETURN_IF_ERROR(OpenGroups(*request));
  } else if (!request->questions().empty() || !request->group().empty()) {
    return absl::InvalidArgumentError(
        "expected group and questions in the first message only");
  }
  return AddSamples(request);
}

absl::Status RouteCall::OpenGroups(const v1::RouteDomainRequest& request) {
  LADDER_RETURN_IF_ERROR(
      CheckNameLength("a group's name", request.group(), services_.limits));
  if (request.questions_size() > kMaxQuestions) {
    return absl::InvalidArgumentError(
        absl::StrCat("questions: expected at most ", kMaxQuestions, ", got ",
                     request.questions_size()));
  }
  const v1::RouteQuestion by_default;
  const int num_questions = std::max(request.questions_size(), 1);
  PinnedModels models(services_.store);
  std::vector<Part> parts;
  std::vector<GroupOptions> options;  // One for each part.
  for (int i = 0; i < num_questions; ++i) {
    const v1::RouteQuestion& proto =
        request.questions().empty() ? by_default : request.questions(i);
    absl::StatusOr<model_store::ModelHandle> model = models.Get(proto.model());
    if (!model.ok()) return AtQuestion(i, model.status());
    absl::StatusOr<RouteQuestion> question = QuestionFromProto(proto, **model);
    if (!question.ok()) return AtQuestion(i, question.status());
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
  const auto self = std::static_pointer_cast<RouteCall>(shared_from_this());
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].group = Group::Start(services_.groups,
                                  {.owner = call_->owner(),
                                   .model = parts[i].model,
                                   .options = std::move(options[i]),
                                   .limits = services_.group_limits,
                                   .report = call_->ReportOf(request.group())},
                                  std::make_shared<Sink>(self, i));
  }
  const base::MutexLock lock(mutex_);
  if (ending_) return absl::OkStatus();  // StopWork would not know of them.
  num_open_ = parts.size();
  parts_ = std::move(parts);
  for (int i = 0; i < num_questions; ++i) response_.add_routings();
  return absl::OkStatus();
}

absl::Status RouteCall::AddSamples(
    const std::shared_ptr<v1::RouteDomainRequest>& request) {
  if (!request->has_samples()) return absl::OkStatus();
  for (const Part& part : OpenParts()) {
    LADDER_ASSIGN_OR_RETURN(SampleChunk chunk,
                            ChunkFromProto(request->samples(), *part.model,
                                           services_.limits, request));
    const uint64_t bytes = chunk.num_bytes();
    {
      const base::MutexLock lock(mutex_);
      untaken_bytes_ += bytes;
    }
    LADDER_RETURN_IF_ERROR(part.group->Add(std::move(chunk)));
  }
  return absl::OkStatus();
}

std::vector<RouteCall::Part> RouteCall::OpenParts() const {
  std::vector<Part> open;
  const base::MutexLock lock(mutex_);
  std::copy_if(parts_.begin(), parts_.end(), std::back_inserter(open),
               [](const Part& part) { return part.group != nullptr; });
  return open;
}

void RouteCall::EndInput() {
  {
    const base::MutexLock lock(mutex_);
    if (parts_.empty()) {
      EndWith(absl::InvalidArgumentError(
          "expected a message with a group's samples, got none"));
    }
  }
  for (const Part& part : OpenParts()) part.group->End();
}

void RouteCall::Answer(size_t part, size_t number,
                       const RoutingAnswer& answer) {
  const base::MutexLock lock(mutex_);
  if (finished_) return;
  const Part& about = parts_[part];
  RoutingToProto(*about.model, answer, /*outputs=*/{},
                 *response_.mutable_routings(about.questions[number]));
}

void RouteCall::Reject(std::vector<RejectedSample> rejected) {
  const base::MutexLock lock(mutex_);
  if (finished_) return;
  for (RejectedSample& sample : rejected) {
    RejectedToProto(std::move(sample), *response_.add_rejected());
  }
}

void RouteCall::OnSamplesTaken(uint64_t bytes) {
  {
    const base::MutexLock lock(mutex_);
    untaken_bytes_ -= bytes;
  }
  Pump();
}

void RouteCall::OnGroupEnd(size_t part, const absl::Status& status,
                           const GroupSummary& summary) {
  std::shared_ptr<Group> ended;  // They hold each other until now.
  {
    const base::MutexLock lock(mutex_);
    --num_open_;
    ended = std::move(parts_[part].group);
    const std::optional<size_t> question = summary.failed_question;
    if (!status.ok()) {
      EndWith(question.has_value()
                  ? AtQuestion(parts_[part].questions[*question], status)
                  : status);
    }
  }
  Pump();
}

void RouteCall::StopWork() {
  for (const Part& part : OpenParts()) {
    part.group->Fail(absl::CancelledError("the call has ended"));
  }
}

bool RouteCall::CanRead() const {
  return untaken_bytes_ < services_.max_untaken_bytes;
}

}  // namespace ladder::server
