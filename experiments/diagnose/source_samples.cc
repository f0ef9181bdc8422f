#include "experiments/diagnose/source_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "routing/gather_rows.h"

namespace ladder::experiments {
namespace {

absl::Status CheckSize(absl::string_view name, size_t size, size_t expected) {
  if (size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected ", expected, " values, got ", size));
}

absl::Status CheckIndex(absl::string_view name, size_t sample, int64_t index,
                        size_t bound) {
  if (index >= 0 && static_cast<uint64_t>(index) < bound) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " of sample ", sample,
                                                 ": expected 0 to below ",
                                                 bound, ", got ", index));
}

// -log softmax(logits)[label], without ever forming a share that could be 0.
double CrossEntropy(std::span<const float> logits, size_t label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum) - logits[label];
}

// The mean loss of the samples at `rows`. Goes block by block, so that the
// logits of a large source need not be in memory at once.
absl::StatusOr<double> MeanLoss(const routing::LinearHeads& heads,
                                size_t source,
                                const trainer::EncodedSamples& samples,
                                std::span<const size_t> rows) {
  constexpr size_t kBlockRows = 256;
  const size_t num_classes = heads.num_classes();
  double sum = 0;
  for (size_t begin = 0; begin < rows.size(); begin += kBlockRows) {
    const auto block =
        rows.subspan(begin, std::min(kBlockRows, rows.size() - begin));
    const std::vector<float> content =
        routing::GatherRows(samples.content_view(), block);
    std::vector<float> logits(block.size() * num_classes);
    LADDER_RETURN_IF_ERROR(heads.ExpertLogits(
        source, {content.data(), block.size(), samples.content_dimension},
        logits));
    for (size_t i = 0; i < block.size(); ++i) {
      sum +=
          CrossEntropy(std::span(logits).subspan(i * num_classes, num_classes),
                       static_cast<size_t>(samples.labels[block[i]]));
    }
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace

absl::StatusOr<std::vector<std::vector<size_t>>> RowsBySource(
    const trainer::EncodedSamples& samples, size_t num_sources) {
  const size_t n = samples.size();
  LADDER_RETURN_IF_ERROR(CheckSize("domains", samples.domains.size(), n));
  LADDER_RETURN_IF_ERROR(
      CheckSize("z_c", samples.content.size(), n * samples.content_dimension));
  LADDER_RETURN_IF_ERROR(
      CheckSize("z_s", samples.style.size(), n * samples.style_dimension));
  std::vector<std::vector<size_t>> rows(num_sources);
  for (size_t i = 0; i < n; ++i) {
    LADDER_RETURN_IF_ERROR(
        CheckIndex("source", i, samples.domains[i], num_sources));
    rows[static_cast<size_t>(samples.domains[i])].push_back(i);
  }
  return rows;
}

absl::Status CheckLabels(const trainer::EncodedSamples& samples,
                         size_t num_classes) {
  for (size_t i = 0; i < samples.size(); ++i) {
    LADDER_RETURN_IF_ERROR(
        CheckIndex("label", i, samples.labels[i], num_classes));
  }
  return absl::OkStatus();
}

ContentSummary SummarizeContent(const trainer::EncodedSamples& samples,
                                std::span<const size_t> rows,
                                size_t num_classes) {
  const size_t dimension = samples.content_dimension;
  ContentSummary summary{
      .mean = std::vector<double>(dimension),
      .deviation = std::vector<double>(dimension),
      .prototypes = std::vector<double>(num_classes * dimension),
      .label_shares = std::vector<double>(num_classes)};
  if (rows.empty()) return summary;
  const auto count = static_cast<double>(rows.size());
  for (const size_t row : rows) {
    const auto label = static_cast<size_t>(samples.labels[row]);
    const auto content = samples.content_view().Row(row);
    summary.label_shares[label] += 1;
    for (size_t i = 0; i < dimension; ++i) {
      summary.mean[i] += content[i];
      summary.prototypes[label * dimension + i] += content[i];
    }
  }
  for (double& mean : summary.mean) mean /= count;
  for (size_t label = 0; label < num_classes; ++label) {
    if (summary.label_shares[label] == 0) continue;
    for (size_t i = 0; i < dimension; ++i) {
      summary.prototypes[label * dimension + i] /= summary.label_shares[label];
    }
    summary.label_shares[label] /= count;
  }
  // A second pass, around the mean: the difference of two large sums of squares
  // would lose the digits that a small deviation has.
  for (const size_t row : rows) {
    const auto content = samples.content_view().Row(row);
    for (size_t i = 0; i < dimension; ++i) {
      const double difference = content[i] - summary.mean[i];
      summary.deviation[i] += difference * difference;
    }
  }
  for (double& value : summary.deviation) value = std::sqrt(value / count);
  return summary;
}

double EuclideanDistance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

std::optional<double> PrototypeDistance(const ContentSummary& a,
                                        const ContentSummary& b) {
  const size_t dimension = a.mean.size();
  double sum = 0;
  size_t num_shared = 0;
  for (size_t label = 0; label < a.label_shares.size(); ++label) {
    if (a.label_shares[label] == 0 || b.label_shares[label] == 0) continue;
    ++num_shared;
    sum += EuclideanDistance(
        std::span(a.prototypes).subspan(label * dimension, dimension),
        std::span(b.prototypes).subspan(label * dimension, dimension));
  }
  if (num_shared == 0) return std::nullopt;
  return sum / static_cast<double>(num_shared);
}

double LabelDistance(const ContentSummary& a, const ContentSummary& b) {
  double sum = 0;
  for (size_t label = 0; label < a.label_shares.size(); ++label) {
    sum += std::abs(a.label_shares[label] - b.label_shares[label]);
  }
  return sum / 2;
}

absl::StatusOr<std::vector<double>> TransferLosses(
    const routing::LinearHeads& heads, const trainer::EncodedSamples& samples,
    std::span<const std::vector<size_t>> rows,
    const routing::Execution& execution) {
  const size_t num_sources = rows.size();
  std::vector<double> losses(num_sources * num_sources);
  std::vector<absl::Status> results(losses.size());
  absl::Status status = execution.ForEach(losses.size(), [&](size_t i) {
    const size_t head = i / num_sources;
    const size_t other = i % num_sources;
    if (head == other || rows[other].empty()) return;
    const auto loss = MeanLoss(heads, head, samples, rows[other]);
    results[i] = loss.status();
    if (loss.ok()) losses[i] = *loss;
  });
  for (const absl::Status& result : results) status.Update(result);
  LADDER_RETURN_IF_ERROR(status);
  return losses;
}

}  // namespace ladder::experiments
