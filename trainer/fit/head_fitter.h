#ifndef LADDER_TRAINER_FIT_HEAD_FITTER_H_
#define LADDER_TRAINER_FIT_HEAD_FITTER_H_

#include <torch/types.h>

#include <cstdint>

namespace ladder::trainer {

// A linear classifier: logits = weight z + bias.
struct Head {
  torch::Tensor weight;  // [C, d_c]
  torch::Tensor bias;    // [C]
};

struct HeadOptions {
  uint64_t num_updates = 1;
  int64_t batch_size = 8;
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  // [C], of class-balanced cross-entropy; undefined for plain.
  torch::Tensor class_weights = {};
  uint64_t seed = 0;
};

// Fits a head to one source's frozen codes, `content` [n, d_c], and their
// labels [n] int64, from `start` on: AdamW over random passes through the
// samples. `mean_loss` is over all of them, at the end.
struct FittedHead {
  Head head;
  double mean_loss = 0;
};
FittedHead FitHead(const torch::Tensor& content, const torch::Tensor& labels,
                   const Head& start, const HeadOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_HEAD_FITTER_H_
