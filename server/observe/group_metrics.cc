#include "server/observe/group_metrics.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "routing/coverage.h"

namespace ladder::server {
namespace {

// Models and sources are the operator's, and far fewer than this.
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

// A counter for every value of `label`, beside that of "model".
ByLabel<prometheus::Counter*> CountersBy(
    const std::string& label, size_t max_values, const std::string& model,
    prometheus::Family<prometheus::Counter>& family) {
  return {max_values, [label, model, &family](const std::string& value) {
            return &family.Add({{"model", model}, {label, value}});
          }};
}

}  // namespace

struct GroupMetrics::Families {
  explicit Families(prometheus::Registry& r)
      : groups(AddCounters(r, "ladder_groups_total",
                           "Ended groups by model and status code.")),
        samples(
            AddCounters(r, "ladder_samples_total", "Samples of ended groups.")),
        duration(AddHistograms(r, "ladder_group_duration_seconds",
                               "Time from a group's begin to its end.")),
        routed(AddCounters(r, "ladder_routed_groups_total",
                           "Groups that were given weights.")),
        weight(AddCounters(r, "ladder_source_weight_total",
                           "Sum of a source's weights over routed groups.")),
        distance(AddHistograms(r, "ladder_nearest_distance",
                               "Distance of a group to its nearest source.")),
        experts(AddHistograms(r, "ladder_effective_experts",
                              "exp of the entropy of a group's weights.")),
        verdicts(AddCounters(r, "ladder_coverage_verdicts_total",
                             "Routed groups by coverage verdict.")),
        out(AddCounters(r, "ladder_out_of_coverage_groups_total",
                        "Routed groups with the verdict OUT.")),
        fallbacks(AddCounters(r, "ladder_fallbacks_total",
                              "Groups that a fallback rule was used for.")) {}

  prometheus::Family<prometheus::Counter>& groups;
  prometheus::Family<prometheus::Counter>& samples;
  prometheus::Family<prometheus::Histogram>& duration;
  prometheus::Family<prometheus::Counter>& routed;
  prometheus::Family<prometheus::Counter>& weight;
  prometheus::Family<prometheus::Histogram>& distance;
  prometheus::Family<prometheus::Histogram>& experts;
  prometheus::Family<prometheus::Counter>& verdicts;
  prometheus::Family<prometheus::Counter>& out;
  prometheus::Family<prometheus::Counter>& fallbacks;
};

struct GroupMetrics::Model {
  Model(const std::string& name, Families& f)
      : fallbacks(f.fallbacks),
        label(name),
        groups(CountersBy("code", kMaxCodes, name, f.groups)),
        samples(f.samples.Add({{"model", name}})),
        duration(f.duration.Add({{"model", name}}, SecondsBuckets())),
        routed(f.routed.Add({{"model", name}})),
        weights(CountersBy("source", kMaxSources, name, f.weight)),
        distance(f.distance.Add({{"model", name}}, DistanceBuckets())),
        experts(f.experts.Add({{"model", name}}, ExpertsBuckets())),
        verdicts(CountersBy("verdict", /*max_values=*/4, name, f.verdicts)),
        out(f.out.Add({{"model", name}})) {
    // They begin at zero, or the first of a kind would be missing in rates.
    using routing::CoverageVerdict;
    for (const auto verdict : {CoverageVerdict::kUnknown, CoverageVerdict::kIn,
                               CoverageVerdict::kEdge, CoverageVerdict::kOut}) {
      verdicts.Get(routing::CoverageVerdictName(verdict));
    }
  }

  prometheus::Family<prometheus::Counter>& fallbacks;
  const std::string label;
  ByLabel<prometheus::Counter*> groups;
  prometheus::Counter& samples;
  prometheus::Histogram& duration;
  prometheus::Counter& routed;
  ByLabel<prometheus::Counter*> weights;
  prometheus::Histogram& distance;
  prometheus::Histogram& experts;
  ByLabel<prometheus::Counter*> verdicts;
  prometheus::Counter& out;
};

GroupMetrics::GroupMetrics(prometheus::Registry& registry)
    : families_(std::make_unique<Families>(registry)),
      models_(kMaxModels, [this](const std::string& name) {
        return std::make_unique<Model>(name, *families_);
      }) {}

GroupMetrics::~GroupMetrics() = default;

void GroupMetrics::Count(const GroupReport& report) {
  Model& model = *models_.Get(report.model);
  model.groups.Get(absl::StatusCodeToString(report.status.code()))->Increment();
  model.samples.Increment(static_cast<double>(report.num_samples));
  model.duration.Observe(absl::ToDoubleSeconds(report.duration));
  if (report.routed) CountRouting(report, model);
}

void GroupMetrics::CountRouting(const GroupReport& report, Model& model) {
  model.routed.Increment();
  for (const SourceWeight& source : report.weights) {
    if (source.weight > 0) {
      model.weights.Get(source.source)->Increment(source.weight);
    }
  }
  // One NaN would spoil a histogram's sum for good.
  if (std::isfinite(report.effective_experts)) {
    model.experts.Observe(report.effective_experts);
  }
  if (report.has_distances && std::isfinite(report.coverage.nearest_distance)) {
    model.distance.Observe(report.coverage.nearest_distance);
  }
  const auto verdict = report.coverage.verdict;
  model.verdicts.Get(routing::CoverageVerdictName(verdict))->Increment();
  if (verdict == routing::CoverageVerdict::kOut) model.out.Increment();
  if (!report.fallback.empty()) {
    model.fallbacks
        .Add({{"model", model.label},
              {"fallback", LabelText(report.fallback)},
              {"reason", LabelText(report.fallback_reason)}})
        .Increment();
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

std::vector<prometheus::MetricFamily> RecentGroups::Collect() const {
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
