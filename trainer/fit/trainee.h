#ifndef LADDER_TRAINER_FIT_TRAINEE_H_
#define LADDER_TRAINER_FIT_TRAINEE_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/data/dataset.h"
#include "trainer/data/source_filter.h"
#include "trainer/fit/fit_options.h"
#include "trainer/network/ladder_network.h"
#include "trainer/network/pooled_risk.h"

namespace ladder::trainer {

// A batch on the device.
struct BatchTensors {
  torch::Tensor x;
  torch::Tensor labels;   // [n] int64
  torch::Tensor sources;  // [n] int64, as SourceSelection numbers them.
};

// The loss of one batch and the parts that it is made of, for people.
struct BatchLoss {
  torch::Tensor total;
  std::vector<std::pair<std::string, torch::Tensor>> parts;
};

// The network that stage 1 trains by any of the methods, and its loss.
//
// Not thread-safe. Create translates LibTorch's exceptions; the rest throws
// them.
class Trainee : public torch::nn::Module {
 public:
  // The weights are drawn from the options' seed, but for the backbone's, which
  // options.init has if it is set. All is on the CPU. Errors as
  // LadderNetwork::Create, LoadWeights and EffectiveNumberWeights.
  static absl::StatusOr<std::shared_ptr<Trainee>> Create(
      const FitOptions& options, const Dataset& dataset,
      const SourceSelection& selection);

  BatchLoss Loss(const BatchTensors& batch, int64_t step);

  LadderNetwork& network() { return *network_; }
  const LadderNetwork& network() const { return *network_; }

  // theta and phi; all that learns at the rate of heads.
  std::vector<torch::Tensor> EncoderParameters() const;
  std::vector<torch::Tensor> OtherParameters() const;

  // The pooled classifier's parameters: weight [C, d_c] and, for each source, a
  // bias [E, C]; these differ by the index of DSNR only.
  torch::Tensor PooledWeight() const;
  torch::Tensor PooledBias() const;

  // True if stage 2 fits heads; the baselines have the pooled one.
  bool fits_heads() const { return options_.method == FitMethod::kLadder; }

 private:
  Trainee(const FitOptions& options, std::shared_ptr<LadderNetwork> network,
          torch::Tensor class_weights);

  BatchLoss LadderLoss(const BatchTensors& batch);
  BatchLoss BaselineLoss(const BatchTensors& batch, int64_t step);

  FitOptions options_;
  std::shared_ptr<LadderNetwork> network_;
  std::shared_ptr<DomainIndex> index_;  // Null unless the method is DSNR.
  torch::Tensor class_weights_;         // A buffer; undefined for none.
};

// The number of training samples, of all sources, that have each label.
std::vector<int64_t> CountLabels(const Dataset& dataset,
                                 const std::vector<size_t>& samples);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_TRAINEE_H_
