#ifndef LADDER_TESTS_SERVER_SCHEDULING_RECORDING_OBSERVER_H_
#define LADDER_TESTS_SERVER_SCHEDULING_RECORDING_OBSERVER_H_

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Remembers what it is told of batches and groups. Thread-safe.
class RecordingObserver final : public ServingObserver {
 public:
  using Batch = std::pair<std::string, size_t>;  // Model and rows.

  void OnRpcStarted(absl::string_view /*rpc*/) override {}
  void OnRpcEnded(absl::string_view /*rpc*/, absl::StatusCode /*code*/,
                  absl::Duration /*duration*/) override {}
  void OnBatch(const BatchReport& report) override {
    const std::lock_guard lock(mutex_);
    batches_.emplace_back(report.model, report.num_rows);
  }
  void OnStage(Stage stage, absl::Duration /*duration*/) override {
    const std::lock_guard lock(mutex_);
    ++num_stages_.at(static_cast<size_t>(stage));
  }
  void OnImageRejected(absl::string_view reason) override {
    const std::lock_guard lock(mutex_);
    rejections_.emplace_back(reason);
  }
  void OnGroup(const GroupReport& report) override {
    const std::lock_guard lock(mutex_);
    reports_.push_back(report);
  }

  std::vector<Batch> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  std::vector<std::string> rejections() const {
    const std::lock_guard lock(mutex_);
    return rejections_;
  }
  std::vector<GroupReport> reports() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  // How often a stage was reported.
  size_t num(Stage stage) const {
    const std::lock_guard lock(mutex_);
    return num_stages_.at(static_cast<size_t>(stage));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Batch> batches_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> rejections_ ABSL_GUARDED_BY(mutex_);
  std::vector<GroupReport> reports_ ABSL_GUARDED_BY(mutex_);
  std::array<size_t, kNumStages> num_stages_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SCHEDULING_RECORDING_OBSERVER_H_
