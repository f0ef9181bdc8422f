#include "server/rpc/stream_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"

namespace ladder::server {
namespace {

// gRPC's own threads, of which there are few, take in messages up to this size;
// larger ones wait for their turn on ours.
constexpr uint64_t kQuickMessageBytes = 256 << 10;

// How long taking in a message lasts, roughly.
absl::Duration ExpectedParsing(uint64_t bytes) {
  return absl::Nanoseconds(2) * static_cast<int64_t>(bytes);
}

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
      last_message_(base::SteadyNow()) {}

void StreamCall::Begin(Entrance entrance) {
  {
    const base::MutexLock lock(mutex_);
    self_ = shared_from_this();
    absl::Status status = call_->Enter(entrance);
    if (!status.ok()) EndWith(std::move(status));
  }
  services_.calls.Add(weak_from_this());
  Pump();
}

void StreamCall::OnReadDone(bool ok) {
  if (!ok) {
    // The end of a call that was broken off looks like the end of its input,
    // and is not: half a group must not pass for a whole one.
    if (context_.IsCancelled()) return EndRead(CancellationOf(context_));
    EndInput();
    {
      const base::MutexLock lock(mutex_);
      input_over_ = true;
    }
    return EndRead(absl::OkStatus());
  }
  {
    const base::MutexLock lock(mutex_);
    has_read_ = true;
  }
  const uint64_t bytes = read_.Length();
  std::optional<MemoryBudget::Lease> memory = services_.messages.TakeOrWait(
      bytes, [weak = weak_from_this()](MemoryBudget::Lease granted) {
        const auto self = weak.lock();
        if (self != nullptr) self->PostTakeIn(std::move(granted));
      });
  if (!memory.has_value()) return;
  if (bytes <= kQuickMessageBytes) {
    TakeIn(*std::move(memory));
  } else {
    PostTakeIn(*std::move(memory));
  }
}

void StreamCall::PostTakeIn(MemoryBudget::Lease memory) {
  // Shared, because tasks can be copied.
  const auto held = std::make_shared<MemoryBudget::Lease>(std::move(memory));
  services_.groups.workers.Post(
      call_->owner(), WorkerPool::LengthOf(ExpectedParsing(held->bytes())),
      [self = shared_from_this(), held] { self->TakeIn(std::move(*held)); });
}

void StreamCall::TakeIn(MemoryBudget::Lease memory) {
  bool wanted = false;
  {
    const base::MutexLock lock(mutex_);
    wanted = !ending_;
  }
  memory_ = std::move(memory);
  const absl::Status status = wanted ? Accept() : absl::OkStatus();
  read_.Clear();
  memory_.reset();  // Unless it went with the message.
  EndRead(status);
}

void StreamCall::EndRead(const absl::Status& status) {
  {
    const base::MutexLock lock(mutex_);
    reading_ = false;
    has_read_ = false;
    last_message_ = base::SteadyNow();
    if (!status.ok()) EndWith(status);
  }
  Pump();
}

void StreamCall::OnWriteDone(bool ok) {
  uint64_t bytes = 0;
  {
    const base::MutexLock lock(mutex_);
    writing_ = false;
    last_message_ = base::SteadyNow();
    bytes = written_.Length();
    written_.Clear();
  }
  if (!ok) Abort(absl::CancelledError("the caller takes no more answers"));
  OnAnswerTaken(bytes);
  Pump();
}

void StreamCall::OnCancel() {
  OnCallerGone();
  Abort(CancellationOf(context_));
}

void StreamCall::OnDone() {
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
    const bool waits_for_caller =
        finished_ || writing_ || (reading_ && !has_read_ && !IsWorking());
    idle = waits_for_caller && now - last_message_ > limits.max_idle_time;
    // Who takes no answers will not take a status either.
    if (idle && (writing_ || finished_)) context_.TryCancel();
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
  if (ending_ && !status_.ok() && !std::exchange(work_stopped_, true)) {
    return Action::kStopWork;
  }
  if (!writing_ && ChooseAnswer()) {
    writing_ = true;
    return Action::kWrite;
  }
  if (!ending_ && input_over_ && IsAnswered()) EndWith(absl::OkStatus());
  if (ending_ && !writing_) {
    finished_ = true;
    last_message_ = base::SteadyNow();
    return Action::kClose;
  }
  if (!ending_ && !reading_ && !input_over_ && CanRead()) {
    reading_ = true;
    return Action::kRead;
  }
  return Action::kNone;
}

void StreamCall::Write() {
  const absl::Status status = SerializeAnswer(written_);
  if (status.ok()) return StartWrite(&written_);
  {
    const base::MutexLock lock(mutex_);
    writing_ = false;
    EndWith(status);
  }
  OnAnswerTaken(written_.Length());
}

void StreamCall::Close(absl::Status status) {
  written_.Clear();
  if (status.ok()) {
    const base::MutexLock lock(mutex_);
    status = CompleteAnswer(written_);
  }
  const grpc::Status last = call_->End(status);
  if (last.ok() && written_.Valid()) {
    StartWriteAndFinish(&written_, grpc::WriteOptions(), last);
  } else {
    Finish(last);
  }
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
        StartRead(&read_);
        break;
      case Action::kWrite:
        Write();
        break;
      case Action::kStopWork:
        StopWork();
        break;
      case Action::kClose:
        Close(status);
        break;
      case Action::kNone:
        break;
    }
    lock.lock();
  }
  pumping_ = false;
}

}  // namespace ladder::server
