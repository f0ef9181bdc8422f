#include "client/command/watch/watch_view.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/command/watch/exposition.h"

namespace ladder::client {
namespace {

constexpr absl::string_view kStartTime = "ladder_process_start_time_seconds";

// Two scrapes and the time between them.
class Period {
 public:
  Period(const Exposition& older, const Exposition& newer,
         absl::Duration duration)
      : older_(older),
        newer_(newer),
        seconds_(std::max(absl::ToDoubleSeconds(duration), 1e-9)) {}

  const Exposition& newer() const { return newer_; }

  // The rate of a counter, given its sample in `newer`.
  double PerSecond(absl::string_view name, const MetricSample& sample) const {
    const double increase = sample.value - older_.Value(name, sample.labels);
    return (increase >= 0 ? increase : sample.value) / seconds_;
  }

  double PerSecond(const MetricHistogram& increase) const {
    return increase.count / seconds_;
  }

  std::vector<MetricHistogram> Increases(absl::string_view name) const {
    std::vector<MetricHistogram> histograms = newer_.Histograms(name);
    for (const MetricHistogram& old : older_.Histograms(name)) {
      const auto it = std::find_if(
          histograms.begin(), histograms.end(),
          [&](const MetricHistogram& h) { return h.labels == old.labels; });
      if (it != histograms.end()) *it = HistogramIncrease(*it, old);
    }
    return histograms;
  }

 private:
  const Exposition& older_;
  const Exposition& newer_;
  const double seconds_;
};

std::string LabelOf(const MetricLabels& labels, absl::string_view name) {
  const auto it = labels.find(name);
  return it == labels.end() ? "" : it->second;
}

WatchView::Latency LatencyOf(std::string name, const Period& period,
                             const MetricHistogram& increase) {
  return {.name = std::move(name),
          .per_second = period.PerSecond(increase),
          .p50 = HistogramQuantile(0.5, increase),
          .p90 = HistogramQuantile(0.9, increase),
          .p99 = HistogramQuantile(0.99, increase),
          .in_flight = std::numeric_limits<double>::quiet_NaN(),
          .codes_per_second = {}};
}

// The latencies of calls, ordered by their names.
std::vector<WatchView::Latency> Calls(const Period& period) {
  constexpr absl::string_view kRequests = "ladder_requests_total";
  std::map<std::string, std::vector<std::pair<std::string, double>>> codes;
  for (const MetricSample& sample : period.newer().Samples(kRequests)) {
    codes[std::string(sample.label("rpc"))].emplace_back(
        sample.label("code"), period.PerSecond(kRequests, sample));
  }
  std::vector<WatchView::Latency> calls;
  for (const MetricHistogram& increase :
       period.Increases("ladder_request_duration_seconds")) {
    std::string rpc = LabelOf(increase.labels, "rpc");
    const double in_flight =
        period.newer().Value("ladder_in_flight_requests", {{"rpc", rpc}});
    const auto code = codes.find(rpc);
    WatchView::Latency& call =
        calls.emplace_back(LatencyOf(std::move(rpc), period, increase));
    call.in_flight = in_flight;
    if (code == codes.end()) continue;
    call.codes_per_second = code->second;
    std::sort(call.codes_per_second.begin(), call.codes_per_second.end());
    std::erase_if(call.codes_per_second,
                  [](const auto& rate) { return rate.second == 0; });
  }
  std::sort(calls.begin(), calls.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return calls;
}

std::vector<WatchView::Latency> GroupsByModel(const Period& period) {
  std::vector<WatchView::Latency> groups;
  for (const MetricHistogram& increase :
       period.Increases("ladder_group_duration_seconds")) {
    groups.push_back(
        LatencyOf(absl::StrCat("groups of ", LabelOf(increase.labels, "model")),
                  period, increase));
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return groups;
}

// The stages in the order in which a sample meets them.
std::vector<WatchView::Latency> Stages(const Period& period) {
  std::vector<WatchView::Latency> stages;
  const auto increases = period.Increases("ladder_stage_duration_seconds");
  const auto waits = period.Increases("ladder_queue_wait_seconds");
  for (const char* stage :
       {"decode", "queue", "encode", "style", "route", "heads"}) {
    const bool is_queue = stage == absl::string_view("queue");
    for (const MetricHistogram& increase : is_queue ? waits : increases) {
      if (!is_queue && LabelOf(increase.labels, "stage") != stage) continue;
      stages.push_back(
          LatencyOf(absl::StrCat("stage ", stage), period, increase));
    }
  }
  return stages;
}

std::vector<WatchView::Model> Models(const Period& period) {
  const Exposition& metrics = period.newer();
  std::map<std::string, WatchView::Model> models;
  const auto find = [&](absl::string_view name) -> WatchView::Model& {
    WatchView::Model& model = models[std::string(name)];
    if (model.name.empty()) {
      model.name = std::string(name);
      model.mean_batch = std::numeric_limits<double>::quiet_NaN();
    }
    return model;
  };
  for (const MetricSample& s : metrics.Samples("ladder_model_info")) {
    std::string& versions = find(s.label("model")).versions;
    absl::StrAppend(&versions, versions.empty() ? "" : ", ",
                    s.label("version"));
  }
  for (const MetricSample& s : metrics.Samples("ladder_samples_total")) {
    find(s.label("model")).samples_per_second =
        period.PerSecond("ladder_samples_total", s);
  }
  for (const MetricSample& s : metrics.Samples("ladder_groups_total")) {
    find(s.label("model")).groups_per_second +=
        period.PerSecond("ladder_groups_total", s);
  }
  for (const MetricHistogram& batches :
       period.Increases("ladder_batch_size_samples")) {
    find(LabelOf(batches.labels, "model")).mean_batch = HistogramMean(batches);
  }
  for (const MetricSample& s :
       metrics.Samples("ladder_coverage_verdicts_total")) {
    for (size_t i = 0; i < WatchView::kVerdicts.size(); ++i) {
      if (s.label("verdict") == WatchView::kVerdicts[i]) {
        find(s.label("model")).verdicts[i] = s.value;
      }
    }
  }
  std::vector<WatchView::Model> result;
  for (auto& [name, model] : models) result.push_back(std::move(model));
  return result;
}

double EffectiveExperts(const std::vector<base::NamedShare>& weights) {
  double entropy = 0;
  for (const base::NamedShare& w : weights) {
    if (w.share > 0) entropy -= w.share * std::log(w.share);
  }
  return std::exp(entropy);
}

std::vector<WatchView::Group> Groups(const Exposition& metrics) {
  std::vector<WatchView::Group> groups;
  std::map<std::pair<absl::string_view, absl::string_view>, size_t> places;
  for (const MetricSample& s : metrics.Samples("ladder_group_weight")) {
    const auto [place, is_new] =
        places.try_emplace({s.label("model"), s.label("group")}, groups.size());
    if (is_new) {
      groups.push_back({.model = std::string(s.label("model")),
                        .name = std::string(s.label("group"))});
    }
    groups[place->second].weights.push_back(
        {std::string(s.label("source")), s.value});
  }
  for (WatchView::Group& group : groups) {
    group.effective_experts = EffectiveExperts(group.weights);
  }
  return groups;
}

}  // namespace

WatchView ComputeWatchView(const Scrape* older, const Scrape& newer) {
  const Exposition& metrics = newer.metrics;
  const double start = metrics.Value(kStartTime);
  if (older != nullptr && older->metrics.Value(kStartTime) != start) {
    older = nullptr;
  }
  WatchView view;
  view.uptime = newer.time - absl::FromUnixMicros(
                                 static_cast<int64_t>(std::round(start * 1e6)));
  view.since_start = older == nullptr;
  view.period = view.since_start ? view.uptime : newer.time - older->time;
  for (const MetricSample& s : metrics.Samples("ladder_build_info")) {
    view.server_version = std::string(s.label("version"));
  }
  view.memory_bytes = metrics.Value("ladder_process_resident_memory_bytes");
  view.queued_samples = metrics.Value("ladder_queue_depth_samples");

  const Exposition nothing;
  const Period period(view.since_start ? nothing : older->metrics, metrics,
                      view.period);
  view.models = Models(period);
  view.latencies = Calls(period);
  for (auto rows : {GroupsByModel(period), Stages(period)}) {
    std::move(rows.begin(), rows.end(), std::back_inserter(view.latencies));
  }
  std::erase_if(view.latencies, [](const WatchView::Latency& latency) {
    return latency.per_second == 0 && !(latency.in_flight > 0);
  });
  view.groups = Groups(metrics);
  return view;
}

}  // namespace ladder::client
