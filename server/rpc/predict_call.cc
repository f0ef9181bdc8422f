#include "server/rpc/predict_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/rpc/cancellation.h"
#include "server/rpc/convert.h"
#include "server/rpc/wire_message.h"

namespace ladder::server {
namespace {

// Samples that have been read and not been encoded, and answers that have not
// been taken, beyond which nothing more is read.
constexpr uint64_t kMaxAnswerBytes = 4 << 20;

// `status`, whose message says which group it is about.
absl::Status AboutGroup(absl::string_view group, const absl::Status& status) {
  absl::Status about(status.code(),
                     absl::StrCat("group \"", group, "\": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    about.SetPayload(type, payload);
  });
  return about;
}

}  // namespace

class PredictCall::Sink final : public GroupSink {
 public:
  Sink(std::shared_ptr<PredictCall> call, std::string group,
       model_store::ModelHandle model)
      : call_(std::move(call)),
        group_(std::move(group)),
        model_(std::move(model)) {}

  void OnRouting(const RoutingAnswer& answer) override {
    v1::PredictDomainResponse response;
    RoutingToProto(*model_, answer, *response.mutable_routing());
    Answer(std::move(response));
  }
  void OnPredictions(PredictionRows rows) override {
    v1::PredictDomainResponse response;
    PredictionsToProto(*model_, std::move(rows),
                       *response.mutable_predictions());
    Answer(std::move(response));
  }
  void OnSamplesTaken(uint64_t bytes) override {
    call_->OnSamplesTaken(group_, bytes);
  }
  void OnEnd(const absl::Status& status, const GroupSummary& summary) override {
    call_->OnGroupEnd(group_, status, summary);
  }
  bool HasRoom() override { return call_->HasRoom(group_); }

 private:
  void Answer(v1::PredictDomainResponse response) {
    response.set_group(group_);
    call_->Answer(std::move(response));
  }

  const std::shared_ptr<PredictCall> call_;
  const std::string group_;
  const model_store::ModelHandle model_;
};

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* PredictCall::Start(
    const RpcServices& services, grpc::CallbackServerContext& context) {
  const std::shared_ptr<PredictCall> call(new PredictCall(services, context));
  {
    const std::lock_guard lock(call->mutex_);
    call->self_ = call;
    absl::Status status = call->call_.Authorize();
    if (status.ok()) status = call->call_.Enter();
    if (!status.ok()) call->EndWith(std::move(status));
  }
  services.calls.Add(call);
  call->Pump();
  return call.get();
}

PredictCall::PredictCall(const RpcServices& services,
                         grpc::CallbackServerContext& context)
    : services_(services),
      context_(context),
      call_(services, "PredictDomain", context),
      models_(services.store),
      last_message_(absl::Now()) {}

void PredictCall::OnReadDone(bool ok) {
  if (!ok) return EndInput();
  absl::Status status = Accept();
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    last_message_ = absl::Now();
  }
  if (!status.ok()) Abort(std::move(status));
  Pump();
}

absl::Status PredictCall::Accept() {
  // Kept with its samples.
  const auto request = std::make_shared<v1::PredictDomainRequest>();
  absl::Status status =
      ParseMessage(request_, services_.limits.max_message_bytes, *request);
  request_.Clear();
  if (!status.ok()) return status;
  const std::string& name = request->group();
  if (name.size() > services_.limits.max_name_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        LimitsConfig::kMaxNameBytesFlag, ": expected groups' names of at most ",
        services_.limits.max_name_bytes, " bytes, got one of ", name.size()));
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_first_message_, false)) {
      continue_on_error_ = request->continue_on_group_error();
    }
  }
  const absl::StatusOr<std::shared_ptr<Group>> group = FindGroup(*request);
  if (!group.ok()) {
    const std::lock_guard lock(mutex_);
    FailGroup(name, group.status());
    if (request->end_of_group()) failed_.erase(name);
    return absl::OkStatus();
  }
  if (*group == nullptr) return absl::OkStatus();
  status = AddSamples(request, **group);
  // Its sink is told, and the group is over as after any other failure.
  if (!status.ok()) (*group)->Fail(std::move(status));
  if (request->end_of_group()) (*group)->End();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Group>> PredictCall::FindGroup(
    const v1::PredictDomainRequest& request) {
  const std::lock_guard lock(mutex_);
  if (ending_) return nullptr;
  const std::string& name = request.group();
  if (failed_.contains(name)) {
    if (request.end_of_group()) failed_.erase(name);
    return nullptr;
  }
  const auto found = groups_.find(name);
  if (found == groups_.end()) return OpenGroup(request);
  if (found->second.ended) {
    // Its name is its only identity: answers could not be told apart.
    EndWith(absl::InvalidArgumentError(absl::StrCat(
        "group \"", name,
        "\": expected no more messages until its end was answered, got one")));
    return nullptr;
  }
  found->second.ended = request.end_of_group();
  if (request.has_options()) {
    found->second.group->Fail(absl::InvalidArgumentError(
        "options: expected them in the group's first message only"));
    return nullptr;
  }
  return found->second.group;
}

absl::StatusOr<std::shared_ptr<Group>> PredictCall::OpenGroup(
    const v1::PredictDomainRequest& request) {
  if (groups_.size() + failed_.size() >=
      services_.limits.max_groups_per_stream) {
    return absl::ResourceExhaustedError(absl::StrCat(
        LimitsConfig::kMaxGroupsPerStreamFlag, ": expected at most ",
        services_.limits.max_groups_per_stream,
        " groups open at once, got one more"));
  }
  absl::Status status = services_.admission.CheckQueue();
  if (!status.ok()) return status;
  absl::StatusOr<model_store::ModelHandle> model =
      models_.Get(request.options().model());
  if (!model.ok()) return model.status();
  absl::StatusOr<GroupOptions> options =
      GroupOptionsFromProto(request.options(), **model);
  if (!options.ok()) return options.status();
  const std::shared_ptr<Group> group = Group::Start(
      services_.groups,
      {.stream = call_.number(),
       .model = *model,
       .options = *std::move(options),
       .limits = services_.group_limits,
       .report = call_.ReportOf(request.group())},
      std::make_shared<Sink>(shared_from_this(), request.group(), *model));
  groups_[request.group()] = {group, *model, request.end_of_group()};
  return group;
}

absl::Status PredictCall::AddSamples(
    const std::shared_ptr<v1::PredictDomainRequest>& request, Group& group) {
  if (!request->has_samples()) return absl::OkStatus();
  model_store::ModelHandle model;
  {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(request->group());
    if (found == groups_.end()) return absl::OkStatus();  // It has failed.
    model = found->second.model;
  }
  absl::StatusOr<SampleChunk> chunk = ChunkFromProto(
      request->samples(), *model, services_.limits.max_name_bytes, request);
  if (!chunk.ok()) return chunk.status();
  const uint64_t bytes = chunk->num_bytes();
  {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(request->group());
    if (found == groups_.end()) return absl::OkStatus();
    found->second.untaken_bytes += bytes;
    untaken_bytes_ += bytes;
  }
  return group.Add(*std::move(chunk));
}

void PredictCall::EndInput() {
  std::vector<std::shared_ptr<Group>> open;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    input_over_ = true;
    for (auto& [name, entry] : groups_) {
      if (!std::exchange(entry.ended, true)) open.push_back(entry.group);
    }
  }
  for (const auto& group : open) group->End();
  Pump();
}

void PredictCall::Answer(v1::PredictDomainResponse response) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    answer_bytes_ += response.ByteSizeLong();
    answers_.push_back(std::move(response));
  }
  Pump();
}

bool PredictCall::HasRoom(const std::string& group) {
  const std::lock_guard lock(mutex_);
  if (answer_bytes_ < kMaxAnswerBytes) return true;
  waiting_for_room_.insert(group);
  return false;
}

void PredictCall::OnSamplesTaken(const std::string& group, uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    groups_[group].untaken_bytes -= bytes;
    untaken_bytes_ -= bytes;
  }
  Pump();
}

void PredictCall::OnGroupEnd(const std::string& group,
                             const absl::Status& status,
                             const GroupSummary& summary) {
  {
    const std::lock_guard lock(mutex_);
    const bool ended = groups_[group].ended;
    untaken_bytes_ -= groups_[group].untaken_bytes;  // A failed group's.
    groups_.erase(group);
    if (!status.ok()) {
      FailGroup(group, status);
      if (ended) failed_.erase(group);
    } else if (!ending_) {
      v1::PredictDomainResponse response;
      response.set_group(group);
      response.mutable_end()->set_num_predicted(summary.num_samples);
      response.mutable_end()->set_num_rejected(summary.num_rejected);
      answer_bytes_ += response.ByteSizeLong();
      answers_.push_back(std::move(response));
    }
  }
  Pump();
}

void PredictCall::FailGroup(const std::string& group,
                            const absl::Status& status) {
  if (ending_) return;
  // Nor can more groups be ignored than be served.
  if (!continue_on_error_ ||
      failed_.size() >= services_.limits.max_groups_per_stream) {
    EndWith(AboutGroup(group, status));
    return;
  }
  failed_.insert(group);
  v1::PredictDomainResponse response;
  response.set_group(group);
  response.mutable_error()->set_code(static_cast<int>(status.code()));
  response.mutable_error()->set_message(std::string(status.message()));
  answer_bytes_ += response.ByteSizeLong();
  answers_.push_back(std::move(response));
}

void PredictCall::FailGroups() {
  std::vector<std::shared_ptr<Group>> groups;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : groups_) groups.push_back(entry.group);
  }
  for (const auto& group : groups) {
    group->Fail(absl::CancelledError("the stream has ended"));
  }
}

void PredictCall::EndWith(absl::Status status) {
  if (std::exchange(ending_, true)) return;
  status_ = std::move(status);
}

void PredictCall::Abort(absl::Status status) {
  {
    const std::lock_guard lock(mutex_);
    EndWith(std::move(status));
  }
  Pump();
}

bool PredictCall::WaitsForCaller() const {
  if (writing_) return true;
  const bool works =
      untaken_bytes_ > 0 ||
      std::any_of(groups_.begin(), groups_.end(),
                  [](const auto& group) { return group.second.ended; });
  return reading_ && !works;
}

void PredictCall::CheckTime(absl::Time now) {
  const LimitsConfig& limits = services_.limits;
  bool idle = false;
  {
    const std::lock_guard lock(mutex_);
    if (self_ == nullptr) return;  // And `context_` has gone.
    idle = WaitsForCaller() && now - last_message_ > limits.max_idle_time;
    // Who takes no answers will not take a status either.
    if (idle && writing_) context_.TryCancel();
  }
  if (idle) Abort(IdleTooLong(limits));
  if (now - call_.started() > limits.max_stream_time) {
    Abort(LastedTooLong(limits));
  }
}

void PredictCall::OnWriteDone(bool ok) {
  std::vector<std::shared_ptr<Group>> resumed;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    last_message_ = absl::Now();
    answer_bytes_ -= response_bytes_.Length();
    response_bytes_.Clear();
    if (answer_bytes_ < kMaxAnswerBytes) {
      for (const std::string& name : std::exchange(waiting_for_room_, {})) {
        const auto found = groups_.find(name);
        if (found != groups_.end()) resumed.push_back(found->second.group);
      }
    }
  }
  if (!ok) Abort(absl::CancelledError("the caller takes no more answers"));
  for (const auto& group : resumed) group->Resume();
  Pump();
}

void PredictCall::OnCancel() {
  {
    const std::lock_guard lock(mutex_);
    answers_.clear();  // Nobody takes them.
  }
  Abort(CancellationOf(context_));
}

void PredictCall::OnDone() {
  std::shared_ptr<PredictCall> self;
  const std::lock_guard lock(mutex_);
  self = std::move(self_);
}

PredictCall::Action PredictCall::NextAction() {
  if (finished_) return Action::kNone;
  if (ending_ && !groups_.empty() && !std::exchange(groups_failed_, true)) {
    return Action::kFailGroups;
  }
  if (!writing_ && !answers_.empty()) {
    response_ = std::move(answers_.front());
    answers_.pop_front();
    writing_ = true;
    return Action::kWrite;
  }
  if (input_over_ && groups_.empty() && !ending_) EndWith(absl::OkStatus());
  if (ending_ && !writing_) {
    finished_ = true;
    return Action::kFinish;
  }
  if (!ending_ && !reading_ && !input_over_ &&
      untaken_bytes_ < services_.max_untaken_bytes &&
      answer_bytes_ < kMaxAnswerBytes) {
    reading_ = true;
    return Action::kRead;
  }
  return Action::kNone;
}

void PredictCall::Pump() {
  // The call may be over, and gRPC's hold on it gone, before this returns.
  const std::shared_ptr<PredictCall> self = shared_from_this();
  std::unique_lock lock(mutex_);
  // gRPC must not be told two things at once, nor anything after the last.
  if (std::exchange(pumping_, true)) return;
  for (;;) {
    const Action action = NextAction();
    if (action == Action::kNone) break;
    lock.unlock();
    switch (action) {
      case Action::kRead:
        StartRead(&request_);
        break;
      case Action::kWrite:
        // A chunk of rows is never too large.
        SerializeMessage(response_, response_bytes_).IgnoreError();
        response_.Clear();
        StartWrite(&response_bytes_);
        break;
      case Action::kFailGroups:
        FailGroups();
        break;
      case Action::kFinish:
        Finish(call_.End(status_));
        break;
      case Action::kNone:
        break;
    }
    lock.lock();
  }
  pumping_ = false;
}

}  // namespace ladder::server
