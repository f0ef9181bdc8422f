#ifndef LADDER_TRAINER_NETWORK_LADDER_NETWORK_H_
#define LADDER_TRAINER_NETWORK_LADDER_NETWORK_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/format/manifest.h"
#include "trainer/network/backbone.h"

namespace ladder::trainer {

// One branch's code of a batch: what is drawn in training is the mean in
// evaluation.
struct Code {
  torch::Tensor z;             // [n, d]
  torch::Tensor mean;          // [n, d]
  torch::Tensor log_variance;  // [n, d]; undefined unless variational.
};

// A linear map from features to a code and, if it is variational, another to
// the logarithms of its variances.
//
// Variances lie in [exp(-10), exp(10)], so that no step can make a code
// infinite. They start near exp(-5), less than the means' own: codes drawn with
// the variance 1 of the prior would say little about their samples until the
// map had learned to make it smaller, at an encoder's slow rate.
class CodeBranch : public torch::nn::Module {
 public:
  static constexpr double kLargestLogVariance = 10;
  static constexpr double kFirstLogVariance = -5;

  CodeBranch(int64_t num_features, int64_t dimension, bool variational);

  // Draws from torch's generator in training mode, if variational.
  Code Forward(const torch::Tensor& features);
  // The mean.
  model_store::GraphValue Export(const model_store::GraphValue& features) const;

  int64_t dimension() const { return mean_->options.out_features(); }

 private:
  torch::nn::Linear mean_;
  torch::nn::Linear log_variance_{nullptr};
};

struct NetworkOptions {
  std::string backbone = "resnet50";  // A name that MakeBackbone knows.
  int64_t content_dimension = 512;    // d_c
  int64_t style_dimension = 128;      // d_s
  // Whether the codes are Gaussian (the variational bottleneck); without, they
  // are points and the regulariser is zero.
  bool variational = true;
};

// The network that stage 1 trains: a shared backbone, the content and style
// branches, and the auxiliary classifiers (labels from content, domains from
// style, domains from content behind gradient reversal), all linear.
//
// Not thread-safe. Create and ExportEncoder translate LibTorch's exceptions;
// the rest throws them, for the caller to translate once per step.
class LadderNetwork : public torch::nn::Module {
 public:
  // Weights are drawn from torch's generator, on the CPU. InvalidArgument if a
  // number is less than 1, and as MakeBackbone.
  static absl::StatusOr<std::shared_ptr<LadderNetwork>> Create(
      const NetworkOptions& options, const model_store::InputSpec& input,
      int64_t num_classes, int64_t num_sources);

  struct Codes {
    Code content;
    Code style;
  };
  // Draws from the codes in training mode, with torch's generator.
  Codes Encode(const torch::Tensor& x);

  torch::Tensor LabelLogits(const torch::Tensor& z_c);        // rho_y
  torch::Tensor StyleDomainLogits(const torch::Tensor& z_s);  // rho_s, the gate
  torch::Tensor ContentDomainLogits(const torch::Tensor& z_c);  // rho_c

  Backbone& backbone() { return *backbone_; }
  const torch::nn::LinearImpl& label_classifier() const {
    return *label_classifier_;
  }
  int64_t num_classes() const { return num_classes_; }
  int64_t num_sources() const { return num_sources_; }

  // The two parts of parameters(), which learn at rates of their own.
  std::vector<torch::Tensor> EncoderParameters() const;     // theta and phi
  std::vector<torch::Tensor> ClassifierParameters() const;  // All rho.

  // encoder.onnx, serialised, of the parameters as they are now: the codes are
  // their means, and the gate is rho_s of the style's mean. FailedPrecondition,
  // naming the first, if a parameter is not finite.
  absl::StatusOr<std::string> ExportEncoder() const;

 private:
  LadderNetwork(const NetworkOptions& options,
                const model_store::InputSpec& input,
                std::shared_ptr<Backbone> backbone, int64_t num_classes,
                int64_t num_sources);

  absl::Status CheckFinite() const;

  model_store::InputSpec input_;
  int64_t num_classes_;
  int64_t num_sources_;
  std::shared_ptr<Backbone> backbone_;
  std::shared_ptr<CodeBranch> content_;
  std::shared_ptr<CodeBranch> style_;
  torch::nn::Linear label_classifier_;
  torch::nn::Linear style_domain_classifier_;
  torch::nn::Linear content_domain_classifier_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_LADDER_NETWORK_H_
