#ifndef LADDER_TRAINER_NETWORK_BACKBONE_H_
#define LADDER_TRAINER_NETWORK_BACKBONE_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
class GraphValue;
}  // namespace ladder::model_store

namespace ladder::trainer {

// Turns samples into features that the content and style branches share.
class Backbone : public torch::nn::Module {
 public:
  // [n, sample shape] to [n, num_features()].
  virtual torch::Tensor Forward(const torch::Tensor& x) = 0;
  virtual int64_t num_features() const = 0;

  // Appends to the graph of `x` what Forward computes in evaluation mode, with
  // the parameters as they are now, whatever the mode and the device.
  virtual model_store::GraphValue Export(
      const model_store::GraphValue& x) const = 0;
};

// A backbone with random weights, drawn from torch's generator:
//   "resnet50", "resnet18"  samples [3, h, w], h and w at least 32
//   "small-cnn"             samples [c, h, w], h and w at least 8
//   "mlp"                   tensors of any shape, no pictures
// InvalidArgument, listing the names, for another name, and, with the shape
// expected, if the input does not suit it.
absl::StatusOr<std::shared_ptr<Backbone>> MakeBackbone(
    absl::string_view name, const model_store::InputSpec& input);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_BACKBONE_H_
