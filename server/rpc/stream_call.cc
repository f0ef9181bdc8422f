#include "server/rpc/stream_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/system/mutex.h"

namespace ladder::server {
namespace {

// Why a call has to end. Both name the flag.
absl::Status IdleTooLong(const LimitsConfig& limits) {
  return absl::DeadlineExceededError(
      absl::StrCat(LimitsConfig::kMaxIdleSecondsFlag,
                   ": expected a message or a read within ",
                   absl::FormatDuration(limits.max_idle_time)));
}

absl::Status LastedTooLong(const LimitsConfig& limits) {
  return absl::DeadlineExceededError(absl::StrCat(
      LimitsConfig::kMaxStreamSecondsFlag, ": expected a call to last at most ",
      absl::FormatDuration(limits.max_stream_time)));
}

}  // namespace

StreamCall::StreamCall(const RpcServices& services, absl::string_view rpc,
                       grpc::CallbackServerContext& context)
    : services_(services),
      call_(std::make_shared<Call>(services, rpc, context)),
      context_(context),
      last_message_(absl::Now()) {}

void StreamCall::Begin() {
  {
    const base::MutexLock lock(mutex_);
    self_ = shared_from_this();
    absl::Status status = call_->Authorize();
    if (status.ok()) status = call_->Enter();
    if (!status.ok()) EndWith(std::move(status));
  }
  services_.calls.Add(shared_from_this());
  Pump();
}

void StreamCall::HandleRead(bool ok) {
  absl::Status status;
  if (ok) {
    status = Accept();
  } else {
    EndInput();
  }
  {
    const base::MutexLock lock(mutex_);
    reading_ = false;
    input_over_ = !ok;
    last_message_ = absl::Now();
    if (!status.ok()) EndWith(std::move(status));
  }
  Pump();
}

void StreamCall::HandleWrite(bool ok) {
  uint64_t bytes = 0;
  {
    const base::MutexLock lock(mutex_);
    writing_ = false;
    last_message_ = absl::Now();
    bytes = written_.Length();
    written_.Clear();
  }
  if (!ok) Abort(absl::CancelledError("the caller takes no more answers"));
  OnAnswerTaken(bytes);
  Pump();
}

void StreamCall::HandleCancel() {
  OnCallerGone();
  Abort(CancellationOf(context_));
}

void StreamCall::HandleDone() {
  std::shared_ptr<StreamCall> self;  // Let go of without the lock.
  const base::MutexLock lock(mutex_);
  self = std::move(self_);
}

void StreamCall::CheckTime(absl::Time now) {
  const LimitsConfig& limits = services_.limits;
  bool idle = false;
  {
    const base::MutexLock lock(mutex_);
    if (self_ == nullptr) return;
    const bool waits_for_caller = writing_ || (reading_ && !IsWorking());
    idle = waits_for_caller && now - last_message_ > limits.max_idle_time;
    // Who takes no answers will not take a status either.
    if (idle && writing_) context_.TryCancel();
  }
  if (idle) Abort(IdleTooLong(limits));
  if (now - call_->started() > limits.max_stream_time) {
    Abort(LastedTooLong(limits));
  }
}

void StreamCall::Abort(absl::Status status) {
  {
    const base::MutexLock lock(mutex_);
    EndWith(std::move(status));
  }
  Pump();
}

void StreamCall::EndWith(absl::Status status) {
  if (std::exchange(ending_, true)) return;
  status_ = std::move(status);
}

StreamCall::Action StreamCall::NextAction() {
  if (finished_) return Action::kNone;
  if (ending_ && !std::exchange(work_stopped_, true)) return Action::kStopWork;
  if (!writing_ && ChooseAnswer()) {
    writing_ = true;
    return Action::kWrite;
  }
  if (!ending_ && input_over_ && IsAnswered()) EndWith(absl::OkStatus());
  if (ending_ && !writing_) {
    finished_ = true;
    if (status_.ok()) status_ = CompleteAnswer();
    return Action::kClose;
  }
  if (!ending_ && !reading_ && !input_over_ && CanRead()) {
    reading_ = true;
    return Action::kRead;
  }
  return Action::kNone;
}

void StreamCall::Pump() {
  // The call may be over, and gRPC's hold on it gone, before this returns.
  const std::shared_ptr<StreamCall> self = shared_from_this();
  base::MutexLock lock(mutex_);
  // gRPC must not be told two things at once, nor anything after the last.
  if (std::exchange(pumping_, true)) return;
  for (;;) {
    const Action action = NextAction();
    if (action == Action::kNone) break;
    const absl::Status status = status_;
    lock.unlock();
    switch (action) {
      case Action::kRead:
        Read(read_);
        break;
      case Action::kWrite:
        SerializeAnswer(written_);
        Write(written_);
        break;
      case Action::kStopWork:
        StopWork();
        break;
      case Action::kClose:
        Close(call_->End(status));
        break;
      case Action::kNone:
        break;
    }
    lock.lock();
  }
  pumping_ = false;
}

}  // namespace ladder::server
