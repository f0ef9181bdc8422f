#include "experiments/diagnose/transfer_loss.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "routing/gather_rows.h"

namespace ladder::trainer {
namespace {

// -log softmax(logits)[label], without ever forming a share that could be 0.
double CrossEntropy(std::span<const float> logits, size_t label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum) - logits[label];
}

// The mean over the samples at `rows`, by blocks so that the logits of a large
// source need not be in memory at once.
absl::StatusOr<double> MeanLoss(const routing::LinearHeads& heads,
                                size_t source, const EncodedSamples& samples,
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
    absl::Status status = heads.ExpertLogits(
        source, {content.data(), block.size(), samples.content_dimension},
        logits);
    if (!status.ok()) return status;
    for (size_t i = 0; i < block.size(); ++i) {
      sum +=
          CrossEntropy(std::span(logits).subspan(i * num_classes, num_classes),
                       static_cast<size_t>(samples.labels[block[i]]));
    }
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace

absl::StatusOr<std::vector<double>> TransferLosses(
    const routing::LinearHeads& heads, const EncodedSamples& samples,
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
  if (!status.ok()) return status;
  return losses;
}

}  // namespace ladder::trainer
