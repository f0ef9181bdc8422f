#include "server/rpc/predict_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "server/rpc/from_proto.h"
#include "server/rpc/to_proto.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

// Once answers of this size wait to be taken, nothing more is read or
// predicted.
constexpr uint64_t kMaxAnswerBytes = 4 << 20;

}  // namespace

class PredictCall::Sink final : public GroupSink {
 public:
  Sink(std::shared_ptr<PredictCall> call, std::string group,
       model_store::ModelHandle model, const OutputOptions& outputs)
      : call_(std::move(call)),
        group_(std::move(group)),
        model_(std::move(model)),
        outputs_(outputs) {}

  void OnRouting(const RoutingAnswer& answer) override {
    v1::PredictDomainResponse response;
    RoutingToProto(*model_, answer, outputs_, *response.mutable_routing());
    Answer(std::move(response));
  }
  void OnPredictions(GroupPredictions rows) override {
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
  const OutputOptions outputs_;
};

CallReactor* PredictCall::Start(const RpcServices& services,
                                grpc::CallbackServerContext& context) {
  const std::shared_ptr<PredictCall> call(new PredictCall(services, context));
  call->Begin();
  return call.get();
}

PredictCall::PredictCall(const RpcServices& services,
                         grpc::CallbackServerContext& context)
    : StreamCall(services, "PredictDomain", context),
      models_(services.store),
      answer_memory_(services.groups.memory) {}

absl::Status PredictCall::Accept() {
  LADDER_ASSIGN_OR_RETURN(const auto request,
                          TakeMessage<v1::PredictDomainRequest>());
  const std::string& name = request->group();
  LADDER_RETURN_IF_ERROR(
      CheckNameLength("groups' names", name, services_.limits));
  {
    const base::MutexLock lock(mutex_);
    if (std::exchange(is_first_message_, false)) {
      continue_on_error_ = request->continue_on_group_error();
    }
  }
  const absl::StatusOr<std::shared_ptr<Group>> group = FindGroup(*request);
  if (!group.ok()) {
    const base::MutexLock lock(mutex_);
    FailGroup(name, group.status());
    if (request->end_of_group()) failed_.erase(name);
    return absl::OkStatus();
  }
  if (*group == nullptr) return absl::OkStatus();
  absl::Status status = AddSamples(request, **group);
  // Its sink is told, and the group is over as after any other failure.
  if (!status.ok()) (*group)->Fail(std::move(status));
  if (request->end_of_group()) (*group)->End();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Group>> PredictCall::FindGroup(
    const v1::PredictDomainRequest& request) {
  const base::MutexLock lock(mutex_);
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
  LADDER_RETURN_IF_ERROR(services_.admission.CheckQueue());
  // The group counts what it takes itself; here it is about whether it may.
  LADDER_RETURN_IF_ERROR(MemoryBudget::Lease(services_.groups.memory)
                             .Grow(GroupIntake::kEmptyGroupBytes));
  LADDER_ASSIGN_OR_RETURN(const model_store::ModelHandle model,
                          models_.Get(request.options().model()));
  LADDER_ASSIGN_OR_RETURN(GroupOptions options,
                          GroupOptionsFromProto(request.options(), *model));
  const auto self = std::static_pointer_cast<PredictCall>(shared_from_this());
  const auto sink =
      std::make_shared<Sink>(self, request.group(), model, options.outputs);
  const std::shared_ptr<Group> group =
      Group::Start(services_.groups,
                   {.owner = call_->owner(),
                    .model = model,
                    .options = std::move(options),
                    .limits = services_.group_limits,
                    .report = call_->ReportOf(request.group())},
                   sink);
  groups_[request.group()] = {group, request.end_of_group()};
  return group;
}

absl::Status PredictCall::AddSamples(
    const std::shared_ptr<v1::PredictDomainRequest>& request, Group& group) {
  if (!request->has_samples()) return absl::OkStatus();
  LADDER_ASSIGN_OR_RETURN(SampleChunk chunk,
                          ChunkFromProto(request->samples(), group.model(),
                                         services_.limits, request));
  const uint64_t bytes = chunk.num_bytes();
  {
    const base::MutexLock lock(mutex_);
    const auto found = groups_.find(request->group());
    if (found == groups_.end()) return absl::OkStatus();  // It has failed.
    found->second.untaken_bytes += bytes;
    untaken_bytes_ += bytes;
  }
  return group.Add(std::move(chunk));
}

void PredictCall::EndInput() {
  std::vector<std::shared_ptr<Group>> open;
  {
    const base::MutexLock lock(mutex_);
    for (auto& [name, entry] : groups_) {
      if (!std::exchange(entry.ended, true)) open.push_back(entry.group);
    }
  }
  for (const auto& group : open) group->End();
}

void PredictCall::Answer(v1::PredictDomainResponse response) {
  {
    const base::MutexLock lock(mutex_);
    if (ending_) return;
    QueueAnswer(std::move(response));
  }
  Pump();
}

void PredictCall::QueueAnswer(v1::PredictDomainResponse response) {
  const uint64_t bytes = response.ByteSizeLong();
  answer_bytes_ += bytes;
  answer_memory_.Count(bytes);
  answers_.push_back(std::move(response));
}

bool PredictCall::HasRoom(const std::string& group) {
  const base::MutexLock lock(mutex_);
  if (answer_bytes_ < kMaxAnswerBytes) return true;
  waiting_for_room_.insert(group);
  return false;
}

void PredictCall::OnSamplesTaken(const std::string& group, uint64_t bytes) {
  {
    const base::MutexLock lock(mutex_);
    groups_[group].untaken_bytes -= bytes;
    untaken_bytes_ -= bytes;
  }
  Pump();
}

void PredictCall::OnGroupEnd(const std::string& group,
                             const absl::Status& status,
                             const GroupSummary& summary) {
  {
    const base::MutexLock lock(mutex_);
    const bool ended = groups_[group].ended;
    // A failed group leaves samples that nobody takes any more.
    untaken_bytes_ -= groups_[group].untaken_bytes;
    groups_.erase(group);
    if (!status.ok()) {
      FailGroup(group, status);
      if (ended) failed_.erase(group);
    } else if (!ending_) {
      v1::PredictDomainResponse response;
      response.set_group(group);
      response.mutable_end()->set_num_predicted(summary.num_samples);
      response.mutable_end()->set_num_rejected(summary.num_rejected);
      QueueAnswer(std::move(response));
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
    EndWith(base::AtPlace(absl::StrCat("group \"", group, "\""), status));
    return;
  }
  failed_.insert(group);
  v1::PredictDomainResponse response;
  response.set_group(group);
  response.mutable_error()->set_code(static_cast<int>(status.code()));
  response.mutable_error()->set_message(ErrorText(status.message()));
  QueueAnswer(std::move(response));
}

void PredictCall::StopWork() {
  std::vector<std::shared_ptr<Group>> groups;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& [name, entry] : groups_) groups.push_back(entry.group);
  }
  for (const auto& group : groups) {
    group->Fail(absl::CancelledError("the stream has ended"));
  }
}

bool PredictCall::CanRead() const {
  return untaken_bytes_ < services_.max_untaken_bytes &&
         answer_bytes_ < kMaxAnswerBytes;
}

bool PredictCall::IsWorking() const {
  return untaken_bytes_ > 0 ||
         std::any_of(groups_.begin(), groups_.end(),
                     [](const auto& group) { return group.second.ended; });
}

bool PredictCall::ChooseAnswer() {
  if (answers_.empty()) return false;
  response_ = std::move(answers_.front());
  answers_.pop_front();
  return true;
}

absl::Status PredictCall::SerializeAnswer(grpc::ByteBuffer& bytes) {
  const absl::Status status = SerializeMessage(response_, bytes);
  response_.Clear();
  return status;
}

void PredictCall::OnAnswerTaken(uint64_t bytes) {
  std::vector<std::shared_ptr<Group>> resumed;
  {
    const base::MutexLock lock(mutex_);
    answer_bytes_ -= bytes;
    answer_memory_.Shrink(bytes);
    if (answer_bytes_ < kMaxAnswerBytes) {
      for (const std::string& name : std::exchange(waiting_for_room_, {})) {
        const auto found = groups_.find(name);
        if (found != groups_.end()) resumed.push_back(found->second.group);
      }
    }
  }
  for (const auto& group : resumed) group->Resume();
}

void PredictCall::OnCallerGone() {
  const base::MutexLock lock(mutex_);
  answers_.clear();
}

}  // namespace ladder::server
