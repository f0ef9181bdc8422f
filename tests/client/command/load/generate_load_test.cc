#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "client/command/load/run_load.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

// Answers on a thread of its own, once `hold` requests are waiting; CANCELLED
// after a stop.
class FakeTarget {
 public:
  explicit FakeTarget(size_t hold = 1)
      : hold_(hold), thread_([this] { Main(); }) {}
  ~FakeTarget() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  operator LoadTarget() {
    return {"fake 1", [this](std::stop_token stop, LoadTarget::Done done) {
              Send(std::move(stop), std::move(done));
            }};
  }

  void Send(std::stop_token stop, LoadTarget::Done done) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(stop), std::move(done)});
    ++num_sent_;
    most_waiting_ = std::max(most_waiting_, waiting_.size());
    changed_.notify_all();
  }

  // The next ones end so, first to last, before all others succeed.
  void FailNext(absl::Status status, size_t count) {
    const std::lock_guard lock(mutex_);
    failures_.insert(failures_.end(), count, status);
  }
  void Hold(size_t hold) {
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    changed_.notify_all();
  }
  void WaitUntilSent(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return num_sent_ >= count; });
  }
  size_t num_sent() const {
    const std::lock_guard lock(mutex_);
    return num_sent_;
  }
  size_t most_waiting() const {
    const std::lock_guard lock(mutex_);
    return most_waiting_;
  }
  void Wake() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

 private:
  struct Request {
    std::stop_token stop;
    LoadTarget::Done done;
  };

  bool IsDue() const {
    return !waiting_.empty() &&
           (waiting_.size() >= hold_ || waiting_.front().stop.stop_requested());
  }

  void Main() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closing_ || IsDue(); });
      if (closing_) return;
      Request request = std::move(waiting_.front());
      waiting_.pop_front();
      LoadOutcome outcome;
      if (request.stop.stop_requested()) {
        outcome.status = absl::CancelledError("stopped");
      } else if (!failures_.empty()) {
        outcome.status = failures_.front();
        failures_.pop_front();
      }
      lock.unlock();
      request.done(outcome);
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t hold_;
  std::deque<Request> waiting_;
  std::deque<absl::Status> failures_;
  size_t num_sent_ = 0;
  size_t most_waiting_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

LoadOptions Requests(uint64_t count) {
  return {.requests = count, .warm_up = absl::ZeroDuration()};
}

TEST(GenerateLoadTest, AClosedLoopSendsAsManyAsAsked) {
  FakeTarget target;

  const LoadReport report = GenerateLoad(target, Requests(100), {});

  EXPECT_EQ(report.succeeded, 100);
  EXPECT_EQ(report.latency.count(), 100);
  EXPECT_EQ(target.num_sent(), 100);
  EXPECT_EQ(report.target, "fake 1");
}

TEST(GenerateLoadTest, AClosedLoopKeepsItsConcurrency) {
  // Nothing is answered unless four requests are waiting, so fewer would hang;
  // the last ones never are four.
  FakeTarget target(/*hold=*/4);
  LoadOptions options = Requests(100);
  options.concurrency = 4;
  std::thread release([&] {
    target.WaitUntilSent(100);
    target.Hold(1);
  });

  const LoadReport report = GenerateLoad(target, options, {});

  release.join();
  EXPECT_EQ(report.succeeded, 100);
  EXPECT_EQ(target.most_waiting(), 4);
}

TEST(GenerateLoadTest, AnOpenLoopDoesNotWaitForAnswers) {
  // A closed loop of any smaller concurrency would hang.
  FakeTarget target(/*hold=*/50);
  LoadOptions options = Requests(50);
  options.rate = 1e6;
  std::thread release([&] {
    target.WaitUntilSent(50);
    target.Hold(1);
  });

  const LoadReport report = GenerateLoad(target, options, {});

  release.join();
  EXPECT_EQ(report.succeeded, 50);
  EXPECT_EQ(target.most_waiting(), 50);
}

TEST(GenerateLoadTest, AnOpenLoopIsBoundedByWhatMayBeInFlight) {
  FakeTarget target;
  LoadOptions options = Requests(500);
  options.rate = 1e6;
  options.max_in_flight = 3;

  const LoadReport report = GenerateLoad(target, options, {});

  EXPECT_EQ(report.succeeded, 500);
  EXPECT_LE(target.most_waiting(), 3);
}

TEST(GenerateLoadTest, WhatIsDueInAnOpenLoopIsSentOrCountedAsUnsent) {
  FakeTarget target;
  const LoadOptions options = {.rate = 1e6,
                               .max_in_flight = 1,
                               .duration = absl::Milliseconds(5),
                               .warm_up = absl::ZeroDuration()};
  ArrivalSchedule schedule(options.rate, options.seed);
  uint64_t num_due = 0;
  while (schedule.Next() < options.duration) ++num_due;

  const LoadReport report = GenerateLoad(target, options, {});

  EXPECT_EQ(report.succeeded, target.num_sent());
  EXPECT_EQ(report.succeeded + report.unsent, num_due);
}

TEST(GenerateLoadTest, FailuresAreCountedByCode) {
  FakeTarget target;
  target.FailNext(absl::UnavailableError("gone"), 7);
  target.FailNext(absl::InternalError("bug"), 2);

  const LoadReport report = GenerateLoad(target, Requests(20), {});

  EXPECT_EQ(report.succeeded, 11);
  EXPECT_EQ(report.failed, 9);
  EXPECT_EQ(report.errors.at(absl::StatusCode::kUnavailable).count, 7);
  EXPECT_EQ(report.errors.at(absl::StatusCode::kInternal).first_message, "bug");
}

TEST(GenerateLoadTest, AStopEndsTheRunAndCallsOffWhatIsInFlight) {
  FakeTarget target(/*hold=*/1000);
  std::stop_source source;
  LoadOptions options = Requests(100);
  options.concurrency = 8;
  std::thread stopper([&] {
    target.WaitUntilSent(8);
    source.request_stop();
    target.Wake();
  });

  const LoadReport report = GenerateLoad(target, options, source.get_token());

  stopper.join();
  EXPECT_EQ(report.abandoned, 8);
  EXPECT_EQ(report.succeeded, 0);
  EXPECT_EQ(report.failed, 0);
}

TEST(GenerateLoadTest, ARunOfADurationEnds) {
  FakeTarget target;

  const LoadReport report = GenerateLoad(
      target,
      {.duration = absl::Milliseconds(5), .warm_up = absl::Milliseconds(1)},
      {});

  EXPECT_EQ(report.failed, 0);
  EXPECT_LE(report.succeeded, target.num_sent());
}

}  // namespace
}  // namespace ladder::client
