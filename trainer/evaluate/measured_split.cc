#include "trainer/evaluate/measured_split.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "routing/gather_rows.h"
#include "routing/sinkhorn_distance.h"
#include "routing/style_sample.h"

namespace ladder::trainer {
namespace {

using routing::MatrixView;

// Samples whose logits are in memory at once, for every thread.
constexpr size_t kPieceRows = 256;

absl::Status CheckSame(absl::string_view what, size_t expected, size_t got) {
  if (expected == got) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected ", expected, ", got ", got));
}

absl::Status CheckFit(const TrainedStack& stack,
                      const EncodedSamples& samples) {
  const size_t size = samples.size();
  const size_t num_sources = stack.heads.num_sources();
  if (size == 0) {
    return absl::InvalidArgumentError("encoded samples: expected some, got 0");
  }
  absl::Status status = CheckSame("sources with a fingerprint", num_sources,
                                  stack.styles.fingerprints.num_sources());
  status.Update(CheckSame("content dimension of the samples",
                          stack.heads.dimension(), samples.content_dimension));
  status.Update(CheckSame("style dimension of the samples",
                          stack.styles.normalizer.dimension(),
                          samples.style_dimension));
  status.Update(
      CheckSame("sources of the gate", num_sources, samples.num_sources));
  status.Update(CheckSame("content values", size * samples.content_dimension,
                          samples.content.size()));
  status.Update(CheckSame("style values", size * samples.style_dimension,
                          samples.style.size()));
  status.Update(
      CheckSame("gate values", size * num_sources, samples.gate.size()));
  status.Update(
      CheckSame("domains of the samples", size, samples.domains.size()));
  return status;
}

// A distance owns its fingerprints, so it gets a copy.
absl::StatusOr<routing::Router> MakeRouter(const TrainedStack& stack) {
  return routing::Router::Create(std::make_shared<routing::SinkhornDistance>(
                                     stack.styles.fingerprints.Copy()),
                                 stack.coverage);
}

int64_t LargestOf(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

}  // namespace

MeasuredSplit::MeasuredSplit(const TrainedStack& stack,
                             const EncodedSamples& samples,
                             routing::Router router)
    : stack_(&stack), samples_(&samples), router_(std::move(router)) {}

absl::StatusOr<MeasuredSplit> MeasuredSplit::Measure(
    const TrainedStack& stack, const EncodedSamples& samples, Grouping grouping,
    const routing::Execution& execution) {
  LADDER_RETURN_IF_ERROR(CheckFit(stack, samples));
  LADDER_ASSIGN_OR_RETURN(auto router, MakeRouter(stack));
  MeasuredSplit split(stack, samples, std::move(router));
  split.AddGroups(grouping);
  for (Group& group : split.groups_) {
    LADDER_RETURN_IF_ERROR(split.MeasureGroup(group, execution));
  }
  return split;
}

void MeasuredSplit::AddGroups(Grouping grouping) {
  if (grouping == Grouping::kWholeSplit) {
    Group& all = groups_.emplace_back();
    all.samples.resize(samples_->size());
    std::iota(all.samples.begin(), all.samples.end(), size_t{0});
    return;
  }
  std::map<int64_t, std::vector<size_t>> samples_of_domain;
  for (size_t i = 0; i < samples_->size(); ++i) {
    samples_of_domain[samples_->domains[i]].push_back(i);
  }
  for (auto& [domain, samples] : samples_of_domain) {
    groups_.push_back({.domain = domain, .samples = std::move(samples)});
  }
}

absl::Status MeasuredSplit::MeasureGroup(
    Group& group, const routing::Execution& execution) const {
  routing::StyleSample sample(samples_->style_dimension,
                              stack_->routing.max_style_samples,
                              stack_->routing.seed);
  const MatrixView style = samples_->style_view();
  for (const size_t i : group.samples) {
    absl::Status status = sample.Add({style.Row(i).data(), 1, style.cols});
    if (!status.ok()) {
      return base::AtPlace(absl::StrCat("style of sample ", i), status);
    }
  }
  group.style.resize(sample.rows().rows * style.cols);
  LADDER_RETURN_IF_ERROR(
      stack_->styles.normalizer.Apply(sample.rows(), group.style));
  LADDER_ASSIGN_OR_RETURN(group.distances,
                          router_.Distances(StyleOf(group), execution));
  return absl::OkStatus();
}

MatrixView MeasuredSplit::StyleOf(const Group& group) const {
  const size_t dimension = samples_->style_dimension;
  return {group.style.data(), group.style.size() / dimension, dimension};
}

absl::StatusOr<std::vector<RoutedGroup>> MeasuredSplit::Route(
    const routing::RoutingOptions& options,
    const routing::Execution& execution) const {
  std::vector<RoutedGroup> routed;
  for (const Group& group : groups_) {
    const std::vector<float> gate =
        routing::GatherRows(samples_->gate_view(), group.samples);
    LADDER_ASSIGN_OR_RETURN(
        auto routing,
        router_.Decide({.style = StyleOf(group),
                        .gate_logits = {gate.data(), group.samples.size(),
                                        samples_->num_sources},
                        .num_seen = group.samples.size()},
                       group.distances, options, execution));
    routed.push_back({.domain = group.domain, .routing = std::move(routing)});
  }
  return routed;
}

absl::StatusOr<std::vector<int64_t>> MeasuredSplit::Predict(
    const routing::RoutingOptions& options,
    const routing::Execution& execution) const {
  LADDER_ASSIGN_OR_RETURN(const auto routed, Route(options, execution));
  std::vector<int64_t> labels(samples_->size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    LADDER_RETURN_IF_ERROR(PredictGroup(groups_[g], routed[g].routing, options,
                                        execution, labels));
  }
  return labels;
}

absl::Status MeasuredSplit::PredictGroup(const Group& group,
                                         const routing::Routing& routing,
                                         const routing::RoutingOptions& options,
                                         const routing::Execution& execution,
                                         std::span<int64_t> labels) const {
  LADDER_ASSIGN_OR_RETURN(const auto head, stack_->heads.Mix(routing.weights));
  const auto predict_rows = [&](std::span<const size_t> rows) {
    const size_t num_classes = stack_->heads.num_classes();
    std::vector<float> logits(rows.size() * num_classes);
    LADDER_RETURN_IF_ERROR(routing.per_sample
                               ? GatedLogits(rows, options, logits)
                               : MixedLogits(rows, head, logits));
    const MatrixView view{logits.data(), rows.size(), num_classes};
    for (size_t i = 0; i < rows.size(); ++i) {
      labels[rows[i]] = LargestOf(view.Row(i));
    }
    return absl::OkStatus();
  };
  std::vector<std::function<absl::Status()>> pieces;
  const std::span<const size_t> all = group.samples;
  for (size_t begin = 0; begin < all.size(); begin += kPieceRows) {
    const auto rows =
        all.subspan(begin, std::min(kPieceRows, all.size() - begin));
    pieces.push_back([&predict_rows, rows] { return predict_rows(rows); });
  }
  return execution.RunAll(pieces);
}

absl::Status MeasuredSplit::GatedLogits(std::span<const size_t> rows,
                                        const routing::RoutingOptions& options,
                                        std::span<float> logits) const {
  const std::vector<float> content =
      routing::GatherRows(samples_->content_view(), rows);
  const std::vector<float> gate =
      routing::GatherRows(samples_->gate_view(), rows);
  const size_t num_sources = samples_->num_sources;
  std::vector<float> weights(gate.size());
  LADDER_RETURN_IF_ERROR(router_.SampleWeights(
      {gate.data(), rows.size(), num_sources}, options, weights));
  return stack_->heads.MixedLogitsPerSample(
      {content.data(), rows.size(), samples_->content_dimension},
      {weights.data(), rows.size(), num_sources}, logits);
}

absl::Status MeasuredSplit::MixedLogits(std::span<const size_t> rows,
                                        const routing::MixedHead& head,
                                        std::span<float> logits) const {
  const std::vector<float> content =
      routing::GatherRows(samples_->content_view(), rows);
  return routing::Logits(
      head, {content.data(), rows.size(), samples_->content_dimension}, logits);
}

routing::RoutingOptions MeasuredSplit::LadderOptions() const {
  return {.method = routing::Method::kLadder,
          .k = stack_->routing.k,
          .tau = stack_->routing.tau};
}

}  // namespace ladder::trainer
