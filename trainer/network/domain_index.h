#ifndef LADDER_TRAINER_NETWORK_DOMAIN_INDEX_H_
#define LADDER_TRAINER_NETWORK_DOMAIN_INDEX_H_

#include <torch/nn/module.h>

#include <cstdint>

namespace ladder::trainer {

// A number for every source, learned, that shifts the label logits along one
// direction: the index of DSNR as we understand it (docs/methods.md).
class DomainIndex : public torch::nn::Module {
 public:
  // The numbers start evenly between -1 and 1, the direction at zero.
  DomainIndex(int64_t num_sources, int64_t num_classes);

  // What is added to the logits of each source, [num_sources, num_classes].
  torch::Tensor Offsets() const;

 private:
  torch::Tensor index_;
  torch::Tensor direction_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_DOMAIN_INDEX_H_
