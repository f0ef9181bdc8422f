#include "client/command/load/run_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/threads.h"
#include "client/command/load/load_report.h"

namespace ladder::client {
namespace {

// How many requests are under way.
class InFlight {
 public:
  void Add() {
    const base::MutexLock lock(mutex_);
    ++count_;
  }

  void Remove() {
    // Notified under the lock, since the last one out frees this.
    const base::MutexLock lock(mutex_);
    --count_;
    changed_.notify_all();
  }

  // False if there are still as many after `timeout`, or `stop` was requested.
  bool WaitBelow(size_t limit, absl::Duration timeout, std::stop_token stop) {
    base::MutexLock lock(mutex_);
    const bool below = changed_.wait_for(
        lock, stop, base::WaitTime(timeout),
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return count_ < limit; });
    return below && !stop.stop_requested();
  }

  void WaitUntilNone() {
    base::MutexLock lock(mutex_);
    changed_.wait(lock, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return count_ == 0;
    });
  }

 private:
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

// One run. The calling thread sends; gRPC's threads take the answers.
class LoadRun {
 public:
  LoadRun(const LoadTarget& target, const LoadOptions& options,
          std::stop_token stop)
      : target_(target),
        options_(options),
        stop_(std::move(stop)),
        end_(options.requests > 0 ? absl::InfiniteDuration()
                                  : options.warm_up + options.duration),
        recorder_(options.warm_up) {}

  LoadReport Go() {
    if (options_.rate > 0) {
      SendAtRate();
    } else {
      SendInTurns();
    }
    in_flight_.WaitUntilNone();
    LoadReport report = recorder_.Report();
    report.target = target_.name;
    return report;
  }

 private:
  void SendAtRate() {
    ArrivalSchedule schedule(options_.rate, options_.seed);
    while (!stop_.stop_requested()) {
      const absl::Duration due = schedule.Next();
      if (due >= end_ || !IsWanted(due)) return;
      base::SleepFor(due - Elapsed(), stop_);
      if (WaitBelow(options_.max_in_flight)) {
        Send(due);
      } else if (!stop_.stop_requested()) {
        recorder_.RecordUnsent(due);
      }
    }
  }

  void SendInTurns() {
    while (WaitBelow(options_.concurrency)) {
      const absl::Duration now = Elapsed();
      if (now >= end_ || !IsWanted(now)) return;
      Send(now);
    }
  }

  bool WaitBelow(size_t limit) {
    return in_flight_.WaitBelow(limit, end_ - Elapsed(), stop_);
  }

  // The time since the run's start.
  absl::Duration Elapsed() const {
    return absl::FromChrono(std::chrono::steady_clock::now() - start_);
  }

  // Counts the requests beyond the warm-up, if their number is the end.
  bool IsWanted(absl::Duration due) {
    if (options_.requests == 0 || due < options_.warm_up) return true;
    return num_counted_++ < options_.requests;
  }

  void Send(absl::Duration due) {
    in_flight_.Add();
    target_.send(stop_, [this, due](const LoadOutcome& outcome) {
      recorder_.Record(due, Elapsed(), outcome, stop_.stop_requested());
      in_flight_.Remove();
    });
  }

  const LoadTarget& target_;
  const LoadOptions& options_;
  const std::stop_token stop_;
  const absl::Duration end_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  LoadRecorder recorder_;
  InFlight in_flight_;
  uint64_t num_counted_ = 0;
};

}  // namespace

absl::StatusOr<LoadReport> RunLoad(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options,
    std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  LADDER_ASSIGN_OR_RETURN(const LoadTarget target,
                          OpenLoadTarget(channel, options));
  return GenerateLoad(target, options, std::move(stop));
}

LoadReport GenerateLoad(const LoadTarget& target, const LoadOptions& options,
                        std::stop_token stop) {
  return LoadRun(target, options, std::move(stop)).Go();
}

absl::Duration ArrivalSchedule::Next() {
  // Uniform in (0, 1]: the logarithm is finite.
  const double uniform =
      (static_cast<double>(rng_.Bits(counter_++) >> 11) + 1) * 0x1p-53;
  seconds_ -= std::log(uniform) / rate_;
  return absl::Seconds(seconds_);
}

}  // namespace ladder::client
