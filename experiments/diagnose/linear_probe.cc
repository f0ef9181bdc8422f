#include "experiments/diagnose/linear_probe.h"

#include <torch/optim/adamw.h>
#include <torch/types.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"
#include "trainer/network/torch_status.h"

namespace ladder::experiments {
namespace {

constexpr size_t kHeldOutPart = 5;  // One in five.

// Shifts and scales features by the moments that they have in training.
class Standardizer {
 public:
  Standardizer(const routing::MatrixView& features,
               const torch::Tensor& training_rows)
      : features_(torch::from_blob(const_cast<float*>(features.data),
                                   {static_cast<int64_t>(features.rows),
                                    static_cast<int64_t>(features.cols)})) {
    // The rows come in parts, so that memory need not hold them once more.
    constexpr int64_t kPart = 1024;
    const auto count = static_cast<double>(training_rows.size(0));
    mean_ = torch::zeros({features_.size(1)}, torch::kDouble);
    for (const torch::Tensor& rows : training_rows.split(kPart)) {
      mean_ += features_.index_select(0, rows).sum(0, false, torch::kDouble);
    }
    mean_ /= count;
    torch::Tensor squares = torch::zeros_like(mean_);
    for (const torch::Tensor& rows : training_rows.split(kPart)) {
      squares += (features_.index_select(0, rows) - mean_).square().sum(0);
    }
    // A feature that never changes becomes 0.
    scale_ = torch::where(squares > 0, (squares / count).rsqrt(),
                          torch::zeros_like(squares));
  }

  torch::Tensor Rows(const torch::Tensor& rows) const {
    return ((features_.index_select(0, rows) - mean_) * scale_)
        .to(torch::kFloat);
  }

 private:
  torch::Tensor features_;
  torch::Tensor mean_;
  torch::Tensor scale_;  // One over the standard deviation.
};

// The numbers below `size` in random order.
torch::Tensor Shuffled(int64_t size, uint64_t seed) {
  const routing::CounterRng rng(seed);
  torch::Tensor indices = torch::arange(size);
  auto* const values = indices.data_ptr<int64_t>();
  const auto count = static_cast<size_t>(size);
  for (size_t i = 0; i < count; ++i) {
    std::swap(values[i], values[i + rng.Below(count - i, i)]);
  }
  return indices;
}

double ShareEqual(const torch::Tensor& a, const torch::Tensor& b) {
  return a.eq(b).to(torch::kDouble).mean().item<double>();
}

absl::StatusOr<ProbeScore> TrainAndScore(const routing::MatrixView& features,
                                         const ProbeTask& task,
                                         const ProbeTraining& training,
                                         const std::stop_token& stop) {
  const auto num_rows = static_cast<int64_t>(task.rows.size());
  const int64_t num_held_out = num_rows / kHeldOutPart;
  const routing::CounterRng seeds(task.seed);
  const torch::Tensor order = Shuffled(num_rows, seeds.Bits(0));
  const torch::Tensor rows =
      torch::tensor(std::vector<int64_t>(task.rows.begin(), task.rows.end()))
          .index_select(0, order);
  // The targets as 0, 1, ... in ascending order.
  const auto [values, all_classes] =
      torch::_unique(torch::tensor(task.targets), /*sorted=*/true,
                     /*return_inverse=*/true);
  const torch::Tensor classes = all_classes.index_select(0, order);
  const torch::Tensor train_rows = rows.slice(0, num_held_out);
  const torch::Tensor train_classes = classes.slice(0, num_held_out);

  const Standardizer standardizer(features, train_rows);
  const torch::Tensor weight =
      torch::zeros({static_cast<int64_t>(features.cols), values.size(0)},
                   torch::requires_grad());
  const torch::Tensor bias =
      torch::zeros({values.size(0)}, torch::requires_grad());
  torch::optim::AdamW optimizer(
      std::vector<torch::Tensor>{weight, bias},
      torch::optim::AdamWOptions(training.learning_rate)
          .weight_decay(training.weight_decay));
  for (size_t epoch = 0; epoch < training.num_epochs; ++epoch) {
    if (stop.stop_requested()) {
      return absl::CancelledError("stopped by the caller");
    }
    const torch::Tensor places =
        Shuffled(train_rows.size(0), seeds.Bits(1 + epoch));
    for (const torch::Tensor& batch :
         places.split(static_cast<int64_t>(training.batch_size))) {
      optimizer.zero_grad();
      const torch::Tensor inputs =
          standardizer.Rows(train_rows.index_select(0, batch));
      torch::cross_entropy_loss(torch::addmm(bias, inputs, weight),
                                train_classes.index_select(0, batch))
          .backward();
      optimizer.step();
    }
  }

  const torch::NoGradGuard no_grad;
  const torch::Tensor truth = classes.slice(0, 0, num_held_out);
  const torch::Tensor logits = torch::addmm(
      bias, standardizer.Rows(rows.slice(0, 0, num_held_out)), weight);
  const torch::Tensor commonest = train_classes.bincount().argmax();
  return ProbeScore{.accuracy = ShareEqual(logits.argmax(1), truth),
                    .majority = ShareEqual(commonest, truth)};
}

}  // namespace

absl::StatusOr<ProbeScore> RunProbe(const routing::MatrixView& features,
                                    const ProbeTask& task,
                                    const ProbeTraining& training,
                                    const std::stop_token& stop) {
  if (task.rows.size() < kHeldOutPart) {
    return absl::InvalidArgumentError(
        absl::StrCat("probe: expected at least ", kHeldOutPart,
                     " samples, got ", task.rows.size()));
  }
  return trainer::CatchTorchErrors<ProbeScore>(
      [&] { return TrainAndScore(features, task, training, stop); });
}

}  // namespace ladder::experiments
