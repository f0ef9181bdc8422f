#include "experiments/diagnose/content_summary.h"

#include <cmath>

namespace ladder::trainer {

ContentSummary SummarizeContent(const EncodedSamples& samples,
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
  // Around the mean, which must be known: the difference of two large sums of
  // squares would lose what a small deviation has.
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

}  // namespace ladder::trainer
