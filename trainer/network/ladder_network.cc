#include "trainer/network/ladder_network.h"

#include <torch/nn/init.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/graphs/graph_builder.h"
#include "trainer/network/layers.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {
namespace {

using model_store::GraphBuilder;
using model_store::GraphDimension;
using model_store::GraphValue;

absl::Status CheckAtLeastOne(absl::string_view name, int64_t number) {
  if (number >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected at least 1, got ", number));
}

bool IsFinite(const torch::Tensor& tensor) {
  return tensor.isfinite().all().item<bool>();
}

void Append(const torch::nn::Module& module,
            std::vector<torch::Tensor>& parameters) {
  for (torch::Tensor& parameter : module.parameters()) {
    parameters.push_back(std::move(parameter));
  }
}

}  // namespace

CodeBranch::CodeBranch(int64_t num_features, int64_t dimension,
                       bool variational)
    : mean_(num_features, dimension) {
  register_module("mean", mean_);
  if (variational) {
    log_variance_ = register_module("log_variance",
                                    torch::nn::Linear(num_features, dimension));
    torch::nn::init::constant_(log_variance_->bias, kFirstLogVariance);
  }
}

Code CodeBranch::Forward(const torch::Tensor& features) {
  const torch::Tensor mean = mean_->forward(features);
  Code code{.z = mean, .mean = mean, .log_variance = {}};
  if (log_variance_.is_empty()) return code;
  code.log_variance = log_variance_->forward(features).clamp(
      -kLargestLogVariance, kLargestLogVariance);
  if (is_training()) {
    code.z = mean + (0.5 * code.log_variance).exp() * torch::randn_like(mean);
  }
  return code;
}

model_store::GraphValue CodeBranch::Export(
    const model_store::GraphValue& features) const {
  return ExportLinear(mean_, features);
}

absl::StatusOr<std::shared_ptr<LadderNetwork>> LadderNetwork::Create(
    const NetworkOptions& options, const model_store::InputSpec& input,
    int64_t num_classes, int64_t num_sources) {
  const std::pair<absl::string_view, int64_t> numbers[] = {
      {"content dimension", options.content_dimension},
      {"style dimension", options.style_dimension},
      {"number of classes", num_classes},
      {"number of sources", num_sources}};
  for (const auto& [name, number] : numbers) {
    LADDER_RETURN_IF_ERROR(CheckAtLeastOne(name, number));
  }
  LADDER_ASSIGN_OR_RETURN(auto backbone, MakeBackbone(options.backbone, input));
  return CatchTorchErrors<std::shared_ptr<LadderNetwork>>([&] {
    return std::shared_ptr<LadderNetwork>(new LadderNetwork(
        options, input, std::move(backbone), num_classes, num_sources));
  });
}

LadderNetwork::LadderNetwork(const NetworkOptions& options,
                             const model_store::InputSpec& input,
                             std::shared_ptr<Backbone> backbone,
                             int64_t num_classes, int64_t num_sources)
    : input_(input),
      num_classes_(num_classes),
      num_sources_(num_sources),
      backbone_(std::move(backbone)),
      content_(std::make_shared<CodeBranch>(backbone_->num_features(),
                                            options.content_dimension,
                                            options.variational)),
      style_(std::make_shared<CodeBranch>(backbone_->num_features(),
                                          options.style_dimension,
                                          options.variational)),
      label_classifier_(options.content_dimension, num_classes),
      style_domain_classifier_(options.style_dimension, num_sources),
      content_domain_classifier_(options.content_dimension, num_sources) {
  register_module("backbone", backbone_);
  register_module("content", content_);
  register_module("style", style_);
  register_module("label_classifier", label_classifier_);
  register_module("style_domain_classifier", style_domain_classifier_);
  register_module("content_domain_classifier", content_domain_classifier_);
}

LadderNetwork::Codes LadderNetwork::Encode(const torch::Tensor& x) {
  const torch::Tensor features = backbone_->Forward(x);
  // One after the other: members of a braced list are evaluated in order, and
  // so are the draws from the generator.
  return {.content = content_->Forward(features),
          .style = style_->Forward(features)};
}

torch::Tensor LadderNetwork::LabelLogits(const torch::Tensor& z_c) {
  return label_classifier_->forward(z_c);
}

torch::Tensor LadderNetwork::StyleDomainLogits(const torch::Tensor& z_s) {
  return style_domain_classifier_->forward(z_s);
}

torch::Tensor LadderNetwork::ContentDomainLogits(const torch::Tensor& z_c) {
  return content_domain_classifier_->forward(z_c);
}

std::vector<torch::Tensor> LadderNetwork::EncoderParameters() const {
  std::vector<torch::Tensor> parameters;
  Append(*backbone_, parameters);
  Append(*content_, parameters);
  Append(*style_, parameters);
  return parameters;
}

std::vector<torch::Tensor> LadderNetwork::ClassifierParameters() const {
  std::vector<torch::Tensor> parameters;
  Append(*label_classifier_, parameters);
  Append(*style_domain_classifier_, parameters);
  Append(*content_domain_classifier_, parameters);
  return parameters;
}

absl::Status LadderNetwork::CheckFinite() const {
  for (const auto& tensors : {named_parameters(), named_buffers()}) {
    for (const auto& tensor : tensors) {
      if (!IsFinite(tensor.value())) {
        return absl::FailedPreconditionError(absl::StrCat(
            tensor.key(), ": expected finite numbers, found others"));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LadderNetwork::ExportEncoder() const {
  GraphBuilder graph("encoder");
  const auto build = [&] {
    LADDER_RETURN_IF_ERROR(CheckFinite());
    const std::vector<int64_t> sample = model_store::SampleShape(input_);
    std::vector<GraphDimension> shape = {"n"};
    shape.insert(shape.end(), sample.begin(), sample.end());
    const GraphValue features = backbone_->Export(graph.Input("x", shape));
    const GraphValue z_s = style_->Export(features);
    graph.Output("z_c", content_->Export(features),
                 {"n", content_->dimension()});
    graph.Output("z_s", z_s, {"n", style_->dimension()});
    graph.Output("gate", ExportLinear(style_domain_classifier_, z_s),
                 {"n", num_sources_});
    return absl::OkStatus();
  };
  LADDER_RETURN_IF_ERROR(CatchTorchErrors(build));
  return graph.Serialize();
}

}  // namespace ladder::trainer
