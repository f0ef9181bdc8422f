#include "trainer/fit/trainee.h"

#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include "base/status_macros.h"
#include "trainer/network/pooled_risk.h"
#include "trainer/network/representation_loss.h"
#include "trainer/network/torch_status.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

PooledOptions PooledOptionsOf(const FitOptions& options) {
  PooledOptions pooled = {.irm_weight = options.irm_weight,
                          .warmup_steps = options.warmup_steps,
                          .eqrm_quantile = options.eqrm_quantile,
                          .rdm_weight = options.rdm_weight};
  if (options.method == FitMethod::kIrm) pooled.method = PooledMethod::kIrm;
  if (options.method == FitMethod::kEqrm) pooled.method = PooledMethod::kEqrm;
  if (options.method == FitMethod::kRdm) pooled.method = PooledMethod::kRdm;
  return pooled;
}

absl::Status LoadBackbone(const std::string& file, LadderNetwork& network) {
  if (file.empty()) return absl::OkStatus();
  return LoadWeights(file, network.backbone(), {.ignored_prefixes = {"fc."}});
}

absl::StatusOr<torch::Tensor> PooledClassWeights(
    const FitOptions& options, const Dataset& dataset,
    const SourceSelection& selection) {
  if (options.method == FitMethod::kLadder ||
      options.head_loss == HeadLoss::kCrossEntropy) {
    return torch::Tensor();
  }
  std::vector<size_t> all;
  for (const auto& samples : selection.samples) {
    all.insert(all.end(), samples.begin(), samples.end());
  }
  LADDER_ASSIGN_OR_RETURN(auto weights,
                          EffectiveNumberWeights(CountLabels(dataset, all),
                                                 options.class_balance_beta));
  return torch::tensor(weights, torch::kFloat);
}

}  // namespace

std::vector<int64_t> CountLabels(const Dataset& dataset,
                                 const std::vector<size_t>& samples) {
  std::vector<int64_t> counts(dataset.classes.size());
  for (const size_t sample : samples) {
    ++counts[static_cast<size_t>(dataset.samples[sample].label)];
  }
  return counts;
}

absl::StatusOr<std::shared_ptr<Trainee>> Trainee::Create(
    const FitOptions& options, const Dataset& dataset,
    const SourceSelection& selection) {
  torch::manual_seed(options.seed);
  const bool variational = options.method == FitMethod::kLadder &&
                           options.regularizer == Regularizer::kKl;
  LADDER_ASSIGN_OR_RETURN(
      auto network,
      LadderNetwork::Create({.backbone = options.backbone,
                             .content_dimension = options.content_dimension,
                             .style_dimension = options.style_dimension,
                             .variational = variational},
                            dataset.input,
                            static_cast<int64_t>(dataset.classes.size()),
                            static_cast<int64_t>(selection.num_sources())));
  LADDER_RETURN_IF_ERROR(LoadBackbone(options.init, *network));
  LADDER_ASSIGN_OR_RETURN(auto class_weights,
                          PooledClassWeights(options, dataset, selection));
  return CatchTorchErrors<std::shared_ptr<Trainee>>([&] {
    return std::shared_ptr<Trainee>(
        new Trainee(options, std::move(network), std::move(class_weights)));
  });
}

Trainee::Trainee(const FitOptions& options,
                 std::shared_ptr<LadderNetwork> network,
                 torch::Tensor class_weights)
    : options_(options), network_(std::move(network)) {
  register_module("network", network_);
  if (options.method == FitMethod::kDsnr) {
    index_ = register_module(
        "index", std::make_shared<DomainIndex>(network_->num_sources(),
                                               network_->num_classes()));
  }
  if (class_weights.defined()) {
    class_weights_ = register_buffer("class_weights", std::move(class_weights));
  }
}

BatchLoss Trainee::Loss(const BatchTensors& batch, int64_t step) {
  return fits_heads() ? LadderLoss(batch) : BaselineLoss(batch, step);
}

BatchLoss Trainee::LadderLoss(const BatchTensors& batch) {
  const RepresentationLoss loss = ComputeRepresentationLoss(
      *network_, batch.x, batch.labels, batch.sources,
      {.style_domain = options_.lambda_style,
       .adversarial = options_.lambda_adversarial,
       .orthogonality = options_.lambda_orthogonality,
       .regularization = options_.lambda_regularization});
  return {.total = loss.total,
          .parts = {{"total", loss.total},
                    {"cls", loss.label},
                    {"sd", loss.style_domain},
                    {"cd", loss.content_domain},
                    {"orth", loss.orthogonality},
                    {"reg", loss.regularization}}};
}

BatchLoss Trainee::BaselineLoss(const BatchTensors& batch, int64_t step) {
  const LadderNetwork::Codes codes = network_->Encode(batch.x);
  torch::Tensor logits = network_->LabelLogits(codes.content.z);
  if (index_ != nullptr) {
    logits = logits + index_->Offsets().index_select(0, batch.sources);
  }
  const torch::Tensor risk =
      PooledRisk(logits, batch.labels, batch.sources, class_weights_,
                 PooledOptionsOf(options_), step);
  BatchLoss loss = {.total = risk, .parts = {{"risk", risk}}};
  if (index_ != nullptr) {
    // The index of a target is estimated by the gate, which has to learn too.
    const torch::Tensor style_domain =
        CrossEntropyOverDomains(network_->StyleDomainLogits(codes.style.z),
                                batch.sources, batch.sources);
    loss.total = loss.total + options_.lambda_style * style_domain;
    loss.parts.emplace_back("sd", style_domain);
  }
  loss.parts.insert(loss.parts.begin(), {"total", loss.total});
  return loss;
}

std::vector<torch::Tensor> Trainee::EncoderParameters() const {
  return network_->EncoderParameters();
}

std::vector<torch::Tensor> Trainee::OtherParameters() const {
  std::vector<torch::Tensor> parameters = network_->ClassifierParameters();
  if (index_ != nullptr) {
    for (const torch::Tensor& parameter : index_->parameters()) {
      parameters.push_back(parameter);
    }
  }
  return parameters;
}

torch::Tensor Trainee::PooledWeight() const {
  return network_->label_classifier().weight.detach();
}

torch::Tensor Trainee::PooledBias() const {
  const torch::Tensor bias =
      network_->label_classifier().bias.detach().unsqueeze(0).repeat(
          {network_->num_sources(), 1});
  return index_ == nullptr ? bias : bias + index_->Offsets().detach();
}

}  // namespace ladder::trainer
