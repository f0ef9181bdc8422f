#ifndef LADDER_SERVER_INFERENCE_MODEL_STATISTICS_H_
#define LADDER_SERVER_INFERENCE_MODEL_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "inference/grpc_service.pb.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// How long the parts of a request, or of a batch, took.
struct ComputeTimes {
  absl::Duration input = absl::ZeroDuration();   // Decoding, copying together.
  absl::Duration infer = absl::ZeroDuration();   // Encoder, routing, heads.
  absl::Duration output = absl::ZeroDuration();  // Copying apart, encoding.
};

struct RequestTimes {
  absl::Duration total = absl::ZeroDuration();
  absl::Duration queue = absl::ZeroDuration();
  ComputeTimes compute = {};
};

// Counts what one version of a model has done, for the protocol's
// ModelStatistics. Negative durations, which a clock that was set back can
// give, count as zero.
//
// Thread-safe. Grows with the number of different batch sizes only.
class ModelStatistics {
 public:
  ModelStatistics() = default;
  ModelStatistics(const ModelStatistics&) = delete;
  ModelStatistics& operator=(const ModelStatistics&) = delete;

  // A request for `num_rows` rows was answered at `now`.
  void RecordSuccess(const RequestTimes& times, size_t num_rows,
                     absl::Time now);

  // A request failed at `now`, `total` after it came.
  void RecordFailure(absl::Duration total, absl::Time now);

  // The encoder ran on a batch of `batch_size` rows, of whichever requests.
  void RecordExecution(const ComputeTimes& times, size_t batch_size);

  // All counts at one moment. Leaves name and version to the caller.
  inference::ModelStatistics ToProto() const;

 private:
  struct Total {
    void Add(absl::Duration duration);
    void ToProto(inference::StatisticDuration& proto) const;

    uint64_t count = 0;
    absl::Duration sum = absl::ZeroDuration();
  };

  struct ComputeTotals {
    void Add(const ComputeTimes& times);

    Total input = {};
    Total infer = {};
    Total output = {};
  };

  // Fills what InferStatistics and InferBatchStatistics have in common.
  template <typename Proto>
  static void ToProto(const ComputeTotals& totals, Proto& proto);

  mutable base::Mutex mutex_;
  Total success_ ABSL_GUARDED_BY(mutex_);
  Total fail_ ABSL_GUARDED_BY(mutex_);
  Total queue_ ABSL_GUARDED_BY(mutex_);
  ComputeTotals compute_ ABSL_GUARDED_BY(mutex_);
  std::map<size_t, ComputeTotals> batches_ ABSL_GUARDED_BY(mutex_);
  uint64_t num_rows_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t num_executions_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_inference_ ABSL_GUARDED_BY(mutex_) = absl::UnixEpoch();
};

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
    const base::MutexLock lock(mutex_);
    auto& statistics = statistics_[{std::string(model), version}];
    if (statistics == nullptr) statistics = std::make_unique<ModelStatistics>();
    return *statistics;
  }

 private:
  base::Mutex mutex_;
  std::map<std::pair<std::string, uint64_t>, std::unique_ptr<ModelStatistics>>
      statistics_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_MODEL_STATISTICS_H_
