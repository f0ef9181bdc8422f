#ifndef LADDER_SERVER_INFERENCE_INFERENCE_STATISTICS_H_
#define LADDER_SERVER_INFERENCE_INFERENCE_STATISTICS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "server/inference/model_statistics.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// The statistics of every version that was ever used, for the Open Inference
// Protocol. Grows with the versions in the store only. Thread-safe.
class InferenceStatistics final : public ServingObserver {
 public:
  void OnBatch(const BatchReport& report) override {
    Of(report.model, report.version)
        .RecordExecution({.infer = report.duration}, report.num_rows);
  }

  // Valid as long as this.
  ModelStatistics& Of(absl::string_view model, uint64_t version) {
    const std::lock_guard lock(mutex_);
    auto& statistics = statistics_[{std::string(model), version}];
    if (statistics == nullptr) statistics = std::make_unique<ModelStatistics>();
    return *statistics;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, uint64_t>, std::unique_ptr<ModelStatistics>>
      statistics_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFERENCE_STATISTICS_H_
