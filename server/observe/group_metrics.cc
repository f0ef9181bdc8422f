#include "server/observe/group_metrics.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "routing/coverage.h"

namespace ladder::server {
namespace {

using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<prometheus::Histogram>;
using CountersByLabel = ByLabel<prometheus::Counter*>;

// Models, versions and sources are the operator's, and far fewer than this.
constexpr size_t kMaxVersions = 64;
constexpr size_t kMaxSources = 4096;

// Style vectors are normalised by the sources' statistics, so that distances
// between domains are about one.
prometheus::Histogram::BucketBoundaries DistanceBuckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
          0.5,   1,      2.5,   5,    10,    25,   50,  100};
}

prometheus::Histogram::BucketBoundaries ExpertsBuckets() {
  return {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};
}

// A counter for every value of `label`, beside the labels `shared`.
CountersByLabel CountersBy(const std::string& label, size_t max_values,
                           const prometheus::Labels& shared, Counters& family) {
  return {max_values, [label, shared, &family](const std::string& value) {
            prometheus::Labels labels = shared;
            labels[label] = value;
            return &family.Add(labels);
          }};
}

}  // namespace

struct GroupMetrics::Families {
  prometheus::Registry& registry;
  Counters& groups = AddCounters(registry, "ladder_groups_total",
                                 "Ended groups by version and status code.");
  Counters& samples =
      AddCounters(registry, "ladder_samples_total", "Samples of ended groups.");
  Histograms& duration =
      AddHistograms(registry, "ladder_group_duration_seconds",
                    "Time from a group's begin to its end.");
  Counters& routed = AddCounters(registry, "ladder_routed_groups_total",
                                 "Groups that were given weights.");
  Counters& weight =
      AddCounters(registry, "ladder_source_weight_total",
                  "Sum of a source's weights over routed groups.");
  Histograms& distance =
      AddHistograms(registry, "ladder_nearest_distance",
                    "Distance of a group to its nearest source.");
  Histograms& experts =
      AddHistograms(registry, "ladder_effective_experts",
                    "exp of the entropy of a group's weights.");
  Counters& verdicts = AddCounters(registry, "ladder_coverage_verdicts_total",
                                   "Routed groups by coverage verdict.");
  Counters& out = AddCounters(registry, "ladder_out_of_coverage_groups_total",
                              "Routed groups with the verdict OUT.");
  Counters& fallbacks =
      AddCounters(registry, "ladder_fallbacks_total",
                  "Groups that a fallback rule was used for.");
};

struct GroupMetrics::Version {
  Version(const std::string& model, const std::string& version,
          Families& of_all)
      : families(of_all), labels({{"model", model}, {"version", version}}) {
    // They begin at zero, or the first of a kind would be missing in rates.
    using routing::CoverageVerdict;
    for (const auto verdict : {CoverageVerdict::kUnknown, CoverageVerdict::kIn,
                               CoverageVerdict::kEdge, CoverageVerdict::kOut}) {
      verdicts.Get(routing::CoverageVerdictName(verdict));
    }
  }

  Families& families;
  const prometheus::Labels labels;
  CountersByLabel groups =
      CountersBy("code", kMaxCodes, labels, families.groups);
  prometheus::Counter& samples = families.samples.Add(labels);
  prometheus::Histogram& duration =
      families.duration.Add(labels, SecondsBuckets());
  prometheus::Counter& routed = families.routed.Add(labels);
  CountersByLabel weights =
      CountersBy("source", kMaxSources, labels, families.weight);
  prometheus::Histogram& distance =
      families.distance.Add(labels, DistanceBuckets());
  prometheus::Histogram& experts =
      families.experts.Add(labels, ExpertsBuckets());
  CountersByLabel verdicts =
      CountersBy("verdict", /*max_values=*/4, labels, families.verdicts);
  prometheus::Counter& out = families.out.Add(labels);
};

struct GroupMetrics::Model {
  ByLabel<std::unique_ptr<Version>> versions;
};

GroupMetrics::GroupMetrics(prometheus::Registry& registry)
    : families_(new Families{registry}),
      models_(kMaxModels, [this](const std::string& name) {
        return std::unique_ptr<Model>(new Model{
            {kMaxVersions, [this, name](const std::string& version) {
               return std::make_unique<Version>(name, version, *families_);
             }}});
      }) {}

GroupMetrics::~GroupMetrics() = default;

void GroupMetrics::Count(const GroupReport& report) {
  // Without a model there is no version either.
  const std::string number =
      report.model.empty() ? "" : absl::StrCat(report.version);
  Version& version = *models_.Get(report.model)->versions.Get(number);
  version.groups.Get(absl::StatusCodeToString(report.status.code()))
      ->Increment();
  version.samples.Increment(static_cast<double>(report.num_samples));
  version.duration.Observe(absl::ToDoubleSeconds(report.duration));
  if (report.routed) CountRouting(report, version);
}

void GroupMetrics::CountRouting(const GroupReport& report, Version& version) {
  version.routed.Increment();
  for (const SourceWeight& source : report.weights) {
    if (source.weight > 0) {
      version.weights.Get(source.source)->Increment(source.weight);
    }
  }
  // One NaN would spoil a histogram's sum for good.
  if (std::isfinite(report.effective_experts)) {
    version.experts.Observe(report.effective_experts);
  }
  if (report.has_distances && std::isfinite(report.coverage.nearest_distance)) {
    version.distance.Observe(report.coverage.nearest_distance);
  }
  const auto verdict = report.coverage.verdict;
  version.verdicts.Get(routing::CoverageVerdictName(verdict))->Increment();
  if (verdict == routing::CoverageVerdict::kOut) version.out.Increment();
  if (!report.fallback.empty()) {
    prometheus::Labels labels = version.labels;
    labels["fallback"] = LabelText(report.fallback);
    labels["reason"] = LabelText(report.fallback_reason);
    version.families.fallbacks.Add(labels).Increment();
  }
}

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

  const base::MutexLock lock(mutex_);
  if (const auto place = places_.find(entry.key); place != places_.end()) {
    entries_.erase(place->second);
    places_.erase(place);
  }
  DropExpired(entry.seen);
  while (entries_.size() >= options_.max_groups) DropLast();
  entries_.push_front(std::move(entry));
  places_[entries_.front().key] = entries_.begin();
}

MetricFamilies RecentGroups::Collect() const {
  std::vector<LabelledValue> weights;
  const base::MutexLock lock(mutex_);
  DropExpired(options_.now());
  for (const Entry& entry : entries_) {
    for (const auto& [source, weight] : entry.weights) {
      weights.push_back({.labels = {{"model", entry.key.first},
                                    {"group", entry.key.second},
                                    {"source", source}},
                         .value = weight});
    }
  }
  if (weights.empty()) return {};
  return {MakeFamily("ladder_group_weight",
                     "Weight of a source in a recently routed group.",
                     prometheus::MetricType::Gauge, weights)};
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
