#include "server/observe/serving_metrics.h"

#include <utility>

namespace ladder::server {
namespace {

constexpr size_t kMaxReasons = 16;

std::array<prometheus::Histogram*, kNumStages> MakeStages(
    prometheus::Registry& registry) {
  auto& stages = AddHistograms(registry, "ladder_stage_duration_seconds",
                               "Time spent in a stage of serving.");
  auto& queue =
      AddHistograms(registry, "ladder_queue_wait_seconds",
                    "Time that samples waited for a place in a batch.");
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
  auto& family = AddHistograms(registry, "ladder_batch_size_samples",
                               "Samples in a batch of the encoder, by model.");
  return [&family](const std::string& model) {
    return &family.Add({{"model", model}},
                       prometheus::Histogram::BucketBoundaries{
                           1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  };
}

ByLabel<prometheus::Counter*>::Make MakeRejectedImages(
    prometheus::Registry& registry) {
  auto& family = AddCounters(registry, "ladder_images_rejected_total",
                             "Images that were not decoded, by reason.");
  return [&family](const std::string& reason) {
    return &family.Add({{"reason", reason}});
  };
}

}  // namespace

RpcMetrics::RpcMetrics(std::span<const std::string> rpcs,
                       prometheus::Registry& registry) {
  auto& requests = AddCounters(registry, "ladder_requests_total",
                               "Ended calls by RPC and status code.");
  auto& in_flight = prometheus::BuildGauge()
                        .Name("ladder_in_flight_requests")
                        .Help("Calls that have begun and not ended, by RPC.")
                        .Register(registry);
  auto& duration =
      AddHistograms(registry, "ladder_request_duration_seconds",
                    "Time from a call's begin to its end, by RPC.");
  const auto make = [&](const std::string& name) {
    const auto make_counter = [&requests, name](const std::string& code) {
      return &requests.Add({{"rpc", name}, {"code", code}});
    };
    return std::unique_ptr<Rpc>(
        new Rpc{.in_flight = in_flight.Add({{"rpc", name}}),
                .duration = duration.Add({{"rpc", name}}, SecondsBuckets()),
                .requests = {kMaxCodes, make_counter}});
  };
  for (const std::string& rpc : rpcs) rpcs_.try_emplace(rpc, make(rpc));
  other_ = make("other");
}

RpcMetrics::Rpc& RpcMetrics::Find(absl::string_view rpc) {
  const auto it = rpcs_.find(rpc);
  return it == rpcs_.end() ? *other_ : *it->second;
}

void RpcMetrics::Started(absl::string_view rpc) {
  Find(rpc).in_flight.Increment();
}

void RpcMetrics::Ended(absl::string_view rpc, absl::StatusCode code,
                       absl::Duration duration) {
  Rpc& metrics = Find(rpc);
  metrics.in_flight.Decrement();
  metrics.duration.Observe(absl::ToDoubleSeconds(duration));
  metrics.requests.Get(absl::StatusCodeToString(code))->Increment();
}

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

MetricFamilies ServingMetrics::Collect() const {
  MetricFamilies families = registry_.Collect();
  Append(recent_groups_.Collect(), families);
  return families;
}

}  // namespace ladder::server
