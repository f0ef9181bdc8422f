#include "server/rpc/admission.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "base/system/threads.h"
#include "server/config/server_config.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kShortestRetry = absl::Milliseconds(50);
constexpr absl::Duration kLongestRetry = absl::Seconds(5);
// For a place: a quarter of a second, so that callers do not hammer.
constexpr absl::Duration kShortestPlaceRetry = absl::Milliseconds(250);
constexpr absl::Duration kLongestPlaceRetry = absl::Seconds(30);

absl::Status ClosedError() {
  return WithRetryAfter(absl::UnavailableError("the server is shutting down"),
                        kShortestRetry);
}

}  // namespace

Admission::Ticket::Ticket(Admission& admission, std::shared_ptr<Caller> caller)
    : admission_(admission),
      caller_(std::move(caller)),
      owner_({.caller = caller_->account}) {}

Admission::Ticket::~Ticket() {
  const base::MutexLock lock(admission_.mutex_);
  if (!answered_) admission_.NoteAnswered(*caller_);
  --admission_.places_.num_answered;
  --caller_->places.num_answered;
}

void Admission::Ticket::Answered() {
  const base::MutexLock lock(admission_.mutex_);
  if (!std::exchange(answered_, true)) admission_.NoteAnswered(*caller_);
}

void Admission::NoteAnswered(Caller& caller) {
  constexpr double kNewest = 0.1;  // Its share in the mean.
  const absl::Time now = base::SteadyNow();
  between_answers_ += kNewest * (now - last_answer_ - between_answers_);
  last_answer_ = now;
  num_refused_ = 0;
  for (Places* places : {&places_, &caller.places}) {
    --places->num_served;
    ++places->num_answered;
  }
  // Notified under the lock: the admission may be gone right after it.
  if (places_.num_served == 0) emptied_.notify_all();
}

absl::Status Admission::CheckQueue() const {
  const size_t num_waiting = scheduler_.num_waiting();
  if (num_waiting < options_.max_waiting_samples) return absl::OkStatus();
  return WithRetryAfter(
      absl::ResourceExhaustedError(
          absl::StrCat(BatchingConfig::kMaxQueuedSamplesFlag,
                       ": expected fewer than ", options_.max_waiting_samples,
                       " samples to wait, found ", num_waiting)),
      std::clamp(scheduler_.ExpectedWait(), kShortestRetry, kLongestRetry));
}

absl::Status Admission::CheckOpen() const {
  const base::MutexLock lock(mutex_);
  return closed_ ? ClosedError() : absl::OkStatus();
}

absl::Duration Admission::ExpectedWait() {
  const absl::Duration one =
      std::max(between_answers_, base::SteadyNow() - last_answer_);
  return std::clamp(one * ++num_refused_, kShortestPlaceRetry,
                    kLongestPlaceRetry);
}

std::shared_ptr<Admission::Caller> Admission::FindCaller(
    const std::string& name) {
  if (const auto known = callers_.find(name); known != callers_.end()) {
    return known->second;
  }
  if (callers_.size() >= max_callers_) {
    std::erase_if(callers_, [](const auto& entry) {
      // Nobody else has it: the caller has no calls.
      return entry.second.use_count() == 1 &&
             entry.second->account->IsForgotten();
    });
    max_callers_ = std::max(max_callers_, 2 * callers_.size());
  }
  return callers_[name] = std::make_shared<Caller>();
}

absl::StatusOr<std::unique_ptr<Admission::Ticket>> Admission::Enter(
    const std::string& name) {
  absl::Status status = CheckQueue();
  const base::MutexLock lock(mutex_);
  if (closed_) return ClosedError();
  if (!status.ok()) return status;
  if (places_.IsFull(options_.max_calls)) {
    return WithRetryAfter(
        absl::ResourceExhaustedError(absl::StrCat(
            LimitsConfig::kMaxConcurrentStreamsFlag, ": expected at most ",
            options_.max_calls, " calls at once, one more came")),
        ExpectedWait());
  }
  std::shared_ptr<Caller> caller = FindCaller(name);
  if (caller->places.IsFull(options_.max_calls_per_caller)) {
    return WithRetryAfter(
        absl::ResourceExhaustedError(absl::StrCat(
            LimitsConfig::kMaxStreamsPerClientFlag, ": expected at most ",
            options_.max_calls_per_caller, " calls of one client at once (",
            name, "), one more came")),
        ExpectedWait());
  }
  ++places_.num_served;
  ++caller->places.num_served;
  return std::make_unique<Ticket>(*this, std::move(caller));
}

void Admission::Close() {
  const base::MutexLock lock(mutex_);
  closed_ = true;
}

bool Admission::WaitUntilEmpty(absl::Duration timeout) {
  base::MutexLock lock(mutex_);
  return emptied_.wait_for(lock, base::WaitTime(timeout),
                           [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
                             return places_.num_served == 0;
                           });
}

uint64_t Admission::num_calls() const {
  const base::MutexLock lock(mutex_);
  return places_.num_served;
}

}  // namespace ladder::server
