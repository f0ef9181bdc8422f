#include "server/observe/serving_metrics.h"

#include <iterator>
#include <utility>

#include "prometheus/family.h"
#include "server/observe/buckets.h"

namespace ladder::server {
namespace {

constexpr size_t kMaxReasons = 16;

std::array<prometheus::Histogram*, kNumStages> MakeStages(
    prometheus::Registry& registry) {
  auto& stages = prometheus::BuildHistogram()
                     .Name("ladder_stage_duration_seconds")
                     .Help("Time spent in a stage of serving.")
                     .Register(registry);
  auto& queue = prometheus::BuildHistogram()
                    .Name("ladder_queue_wait_seconds")
                    .Help("Time that samples waited for a place in a batch.")
                    .Register(registry);
  std::array<prometheus::Histogram*, kNumStages> histograms;
  for (size_t i = 0; i < kNumStages; ++i) {
    const auto stage = static_cast<Stage>(i);
    histograms[i] =
        stage == Stage::kQueue
            ? &queue.Add({}, SecondsBuckets())
            : &stages.Add({{"stage", std::string(StageName(stage))}},
                          SecondsBuckets());
  }
  return histograms;
}

ByLabel<prometheus::Histogram*>::Make MakeBatchSizes(
    prometheus::Registry& registry) {
  auto& family = prometheus::BuildHistogram()
                     .Name("ladder_batch_size_samples")
                     .Help("Samples in a batch of the encoder, by model.")
                     .Register(registry);
  return [&family](const std::string& model) {
    return &family.Add({{"model", model}}, BatchSizeBuckets());
  };
}

ByLabel<prometheus::Counter*>::Make MakeRejectedImages(
    prometheus::Registry& registry) {
  auto& family = prometheus::BuildCounter()
                     .Name("ladder_images_rejected_total")
                     .Help("Images that were not decoded, by reason.")
                     .Register(registry);
  return [&family](const std::string& reason) {
    return &family.Add({{"reason", reason}});
  };
}

}  // namespace

ServingMetrics::ServingMetrics(ServingMetricsOptions options)
    : rpcs_(options.rpcs, registry_),
      groups_(registry_),
      recent_groups_(std::move(options.recent_groups)),
      stages_(MakeStages(registry_)),
      batch_sizes_(kMaxModels, MakeBatchSizes(registry_)),
      rejected_images_(kMaxReasons, MakeRejectedImages(registry_)) {}

void ServingMetrics::OnRpcStarted(absl::string_view rpc) { rpcs_.Started(rpc); }

void ServingMetrics::OnRpcEnded(absl::string_view rpc, absl::StatusCode code,
                                absl::Duration duration) {
  rpcs_.Ended(rpc, code, duration);
}

void ServingMetrics::OnBatch(const BatchReport& report) {
  batch_sizes_.Get(report.model)->Observe(static_cast<double>(report.num_rows));
}

void ServingMetrics::OnStage(Stage stage, absl::Duration duration) {
  stages_[static_cast<size_t>(stage)]->Observe(absl::ToDoubleSeconds(duration));
}

void ServingMetrics::OnImageRejected(absl::string_view reason) {
  rejected_images_.Get(reason)->Increment();
}

void ServingMetrics::OnGroup(const GroupReport& report) {
  groups_.Count(report);
  if (report.routed) {
    recent_groups_.Record(report.model, report.group, report.weights);
  }
}

std::vector<prometheus::MetricFamily> ServingMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::vector<prometheus::MetricFamily> recent = recent_groups_.Collect();
  families.insert(families.end(), std::make_move_iterator(recent.begin()),
                  std::make_move_iterator(recent.end()));
  return families;
}

}  // namespace ladder::server
