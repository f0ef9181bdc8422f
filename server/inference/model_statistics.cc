#include "server/inference/model_statistics.h"

#include <algorithm>

#include "base/system/mutex.h"

namespace ladder::server {

void ModelStatistics::Total::Add(absl::Duration duration) {
  ++count;
  sum += std::max(duration, absl::ZeroDuration());
}

void ModelStatistics::Total::ToProto(
    inference::StatisticDuration& proto) const {
  proto.set_count(count);
  proto.set_ns(static_cast<uint64_t>(absl::ToInt64Nanoseconds(sum)));
}

void ModelStatistics::ComputeTotals::Add(const ComputeTimes& times) {
  input.Add(times.input);
  infer.Add(times.infer);
  output.Add(times.output);
}

template <typename Proto>
void ModelStatistics::ToProto(const ComputeTotals& totals, Proto& proto) {
  totals.input.ToProto(*proto.mutable_compute_input());
  totals.infer.ToProto(*proto.mutable_compute_infer());
  totals.output.ToProto(*proto.mutable_compute_output());
}

void ModelStatistics::RecordSuccess(const RequestTimes& times, size_t num_rows,
                                    absl::Time now) {
  const base::MutexLock lock(mutex_);
  success_.Add(times.total);
  queue_.Add(times.queue);
  compute_.Add(times.compute);
  num_rows_ += num_rows;
  last_inference_ = std::max(last_inference_, now);
}

void ModelStatistics::RecordFailure(absl::Duration total, absl::Time now) {
  const base::MutexLock lock(mutex_);
  fail_.Add(total);
  last_inference_ = std::max(last_inference_, now);
}

void ModelStatistics::RecordExecution(const ComputeTimes& times,
                                      size_t batch_size) {
  const base::MutexLock lock(mutex_);
  ++num_executions_;
  batches_[batch_size].Add(times);
}

inference::ModelStatistics ModelStatistics::ToProto() const {
  inference::ModelStatistics proto;
  const base::MutexLock lock(mutex_);
  proto.set_last_inference(
      static_cast<uint64_t>(absl::ToUnixMillis(last_inference_)));
  proto.set_inference_count(num_rows_);
  proto.set_execution_count(num_executions_);
  inference::InferStatistics& requests = *proto.mutable_inference_stats();
  success_.ToProto(*requests.mutable_success());
  fail_.ToProto(*requests.mutable_fail());
  queue_.ToProto(*requests.mutable_queue());
  ToProto(compute_, requests);
  for (const auto& [batch_size, totals] : batches_) {
    inference::InferBatchStatistics& batch = *proto.add_batch_stats();
    batch.set_batch_size(batch_size);
    ToProto(totals, batch);
  }
  return proto;
}

}  // namespace ladder::server
