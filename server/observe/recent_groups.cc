#include "server/observe/recent_groups.h"

#include "prometheus/client_metric.h"
#include "prometheus/metric_type.h"
#include "server/observe/label_text.h"

namespace ladder::server {

RecentGroups::RecentGroups(RecentGroupsOptions options)
    : options_(std::move(options)) {}

void RecentGroups::Record(absl::string_view model, absl::string_view group,
                          std::span<const SourceWeight> weights) {
  if (options_.max_groups == 0) return;
  Entry entry = {.key = {LabelText(model), LabelText(group)},
                 .weights = {},
                 .seen = options_.now()};
  for (const SourceWeight& source : weights) {
    if (source.weight > 0) {
      entry.weights[LabelText(source.source)] += source.weight;
    }
  }

  const std::lock_guard lock(mutex_);
  if (const auto place = places_.find(entry.key); place != places_.end()) {
    entries_.erase(place->second);
    places_.erase(place);
  }
  DropExpired(entry.seen);
  while (entries_.size() >= options_.max_groups) DropLast();
  entries_.push_front(std::move(entry));
  places_[entries_.front().key] = entries_.begin();
}

std::vector<prometheus::MetricFamily> RecentGroups::Collect() const {
  prometheus::MetricFamily family;
  family.name = "ladder_group_weight";
  family.help = "Weight of a source in a recently routed group.";
  family.type = prometheus::MetricType::Gauge;

  const std::lock_guard lock(mutex_);
  DropExpired(options_.now());
  for (const Entry& entry : entries_) {
    for (const auto& [source, weight] : entry.weights) {
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      metric.label = {{"model", entry.key.first},
                      {"group", entry.key.second},
                      {"source", source}};
      metric.gauge.value = weight;
    }
  }
  if (family.metric.empty()) return {};
  return {std::move(family)};
}

void RecentGroups::DropExpired(absl::Time now) const {
  while (!entries_.empty() && now - entries_.back().seen >= options_.expiry) {
    DropLast();
  }
}

void RecentGroups::DropLast() const {
  places_.erase(entries_.back().key);
  entries_.pop_back();
}

}  // namespace ladder::server
