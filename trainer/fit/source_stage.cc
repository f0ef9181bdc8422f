#include "trainer/fit/source_stage.h"

#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/counter_rng.h"
#include "trainer/data/batch_loader.h"
#include "trainer/data/domain_sampler.h"
#include "trainer/fit/fit_context.h"
#include "trainer/fit/run_folder.h"
#include "trainer/network/pooled_risk.h"
#include "trainer/network/torch_status.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

torch::Tensor MeanHeadLoss(const torch::Tensor& logits,
                           const torch::Tensor& labels,
                           const torch::Tensor& class_weights) {
  return class_weights.defined()
             ? ClassBalancedCrossEntropy(logits, labels, class_weights)
             : torch::nn::functional::cross_entropy(logits, labels);
}

torch::Tensor Logits(const Head& head, const torch::Tensor& content) {
  return torch::addmm(head.bias, content, head.weight.t());
}

constexpr size_t kEvaluationBatch = 64;

// Independent draws of one run, for each source.
enum Draw : uint64_t { kFingerprint, kHeldOut, kHead, kNumDraws };

uint64_t SeedOf(const FitOptions& options, size_t source, Draw draw) {
  return routing::CounterRng(~options.seed).Bits(source * kNumDraws + draw);
}

// The codes of samples, on the CPU.
struct SourceCodes {
  torch::Tensor content;
  torch::Tensor style;
  torch::Tensor labels;
};

torch::Tensor Rows(const torch::Tensor& tensor,
                   const std::vector<size_t>& rows) {
  return tensor.index_select(
      0, torch::tensor(std::vector<int64_t>(rows.begin(), rows.end()),
                       torch::kLong));
}

// All of [0, n) that is not in `chosen`, which ascends.
std::vector<size_t> Others(size_t n, const std::vector<size_t>& chosen) {
  std::vector<size_t> others;
  for (size_t i = 0; i < n; ++i) {
    if (!std::binary_search(chosen.begin(), chosen.end(), i)) {
      others.push_back(i);
    }
  }
  return others;
}

// The samples of the split id_val by source.
std::vector<std::vector<size_t>> ValidationSamples(const FitContext& context) {
  std::vector<std::vector<size_t>> samples(context.selection.num_sources());
  for (const size_t sample : context.dataset.SamplesOf(Split::kIdVal)) {
    const auto domain =
        static_cast<size_t>(context.dataset.samples[sample].domain);
    const int64_t source = context.selection.source_of_domain[domain];
    if (source >= 0) samples[static_cast<size_t>(source)].push_back(sample);
  }
  return samples;
}

class SourceStage {
 public:
  SourceStage(const FitContext& context, Trainee& trainee)
      : context_(context),
        trainee_(trainee),
        validation_(ValidationSamples(context)) {}

  absl::StatusOr<std::vector<SourceSummary>> Run() {
    trainee_.eval();
    std::vector<SourceSummary> summaries;
    for (size_t e = 0; e < context_.selection.num_sources(); ++e) {
      if (context_.stop.stop_requested()) {
        return absl::CancelledError("stopped by the caller");
      }
      auto summary = Restore(e);
      if (absl::IsNotFound(summary.status())) summary = Make(e);
      if (!summary.ok()) return summary.status();
      summaries.push_back(*std::move(summary));
      context_.observer.Progress({.stage = "sources",
                                  .done = e + 1,
                                  .total = context_.selection.num_sources(),
                                  .samples = samples_,
                                  .losses = std::exchange(losses_, {})});
    }
    return summaries;
  }

 private:
  absl::StatusOr<SourceSummary> Restore(size_t source) const {
    LADDER_ASSIGN_OR_RETURN(auto tensors,
                            ReadTensors(context_.run / SourceFile(source)));
    return SourceSummary{.weight = tensors["weight"],
                         .bias = tensors["bias"],
                         .style = tensors["style"],
                         .held_out = tensors["held_out"]};
  }

  absl::StatusOr<SourceSummary> Make(size_t source) {
    LADDER_ASSIGN_OR_RETURN(auto training,
                            Encode(context_.selection.samples[source]));
    if (training.labels.size(0) == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("source \"", SourceName(source),
                       "\": expected samples that can be read, found none"));
    }
    LADDER_ASSIGN_OR_RETURN(auto validation, Encode(validation_[source]));
    SourceSummary summary;
    LADDER_RETURN_IF_ERROR(CatchTorchErrors([&] {
      DrawStyles(source, training, validation, summary);
      return SetHead(source, training, summary);
    }));
    LADDER_RETURN_IF_ERROR(WriteTensors({{"weight", summary.weight},
                                         {"bias", summary.bias},
                                         {"style", summary.style},
                                         {"held_out", summary.held_out}},
                                        context_.run / SourceFile(source)));
    return summary;
  }

  const std::string& SourceName(size_t source) const {
    return context_.dataset.domains[static_cast<size_t>(
        context_.selection.domain_of_source[source])];
  }

  absl::StatusOr<SourceCodes> Encode(const std::vector<size_t>& samples) {
    LADDER_ASSIGN_OR_RETURN(
        auto loader,
        BatchLoader::Start(context_.dataset, InOrder(samples, kEvaluationBatch),
                           0, NumBatches(samples.size(), kEvaluationBatch),
                           LoaderOptionsOf(context_.options), context_.stop));
    const auto empty = [](int64_t columns) {
      return torch::zeros({0, columns}, torch::kFloat);
    };
    std::vector<torch::Tensor> content = {
        empty(context_.options.content_dimension)};
    std::vector<torch::Tensor> style = {
        empty(context_.options.style_dimension)};
    std::vector<torch::Tensor> labels = {torch::zeros({0}, torch::kLong)};
    Batch batch;
    while (true) {
      auto next = loader->Next(std::move(batch));
      if (absl::IsOutOfRange(next.status())) break;
      if (!next.ok()) return next.status();
      batch = *std::move(next);
      NoteBroken(batch, context_);
      if (batch.size() == 0) continue;
      LADDER_RETURN_IF_ERROR(CatchTorchErrors([&] {
        const torch::NoGradGuard no_grad;
        const BatchTensors tensors = ToTensors(batch, context_);
        const LadderNetwork::Codes codes = trainee_.network().Encode(tensors.x);
        content.push_back(codes.content.mean.to(torch::kCPU));
        style.push_back(codes.style.mean.to(torch::kCPU));
        labels.push_back(tensors.labels.to(torch::kCPU));
        return absl::OkStatus();
      }));
      samples_ += batch.size();
    }
    return SourceCodes{.content = torch::cat(content),
                       .style = torch::cat(style),
                       .labels = torch::cat(labels)};
  }

  void DrawStyles(size_t source, const SourceCodes& training,
                  const SourceCodes& validation, SourceSummary& summary) const {
    const auto m = static_cast<size_t>(context_.options.max_style_samples);
    const auto num_training = static_cast<size_t>(training.labels.size(0));
    const std::vector<size_t> chosen = routing::SampleIndices(
        num_training, m, SeedOf(context_.options, source, kFingerprint));
    summary.style = Rows(training.style, chosen);
    const torch::Tensor rest =
        validation.labels.size(0) > 0
            ? validation.style
            : Rows(training.style, Others(num_training, chosen));
    summary.held_out = Rows(
        rest,
        routing::SampleIndices(static_cast<size_t>(rest.size(0)), m,
                               SeedOf(context_.options, source, kHeldOut)));
  }

  absl::Status SetHead(size_t source, const SourceCodes& training,
                       SourceSummary& summary) {
    const FitOptions& options = context_.options;
    Head start = {
        trainee_.PooledWeight().to(torch::kCPU),
        trainee_.PooledBias()[static_cast<int64_t>(source)].to(torch::kCPU)};
    if (!trainee_.fits_heads()) {
      summary.weight = start.weight;
      summary.bias = start.bias;
      return absl::OkStatus();
    }
    if (options.head_start == HeadStart::kZero) {
      start = {torch::zeros_like(start.weight), torch::zeros_like(start.bias)};
    }
    HeadOptions head_options = {
        .num_updates = NumUpdates(),
        .batch_size = options.batch_size / options.domains_per_step,
        .learning_rate = options.head_lr,
        .weight_decay = options.weight_decay,
        .seed = SeedOf(options, source, kHead)};
    if (options.head_loss == HeadLoss::kClassBalanced) {
      LADDER_ASSIGN_OR_RETURN(
          auto weights,
          EffectiveNumberWeights(
              CountLabels(context_.dataset, context_.selection.samples[source]),
              options.class_balance_beta));
      head_options.class_weights = torch::tensor(weights, torch::kFloat);
    }
    FittedHead fitted =
        FitHead(training.content, training.labels, start, head_options);
    summary.weight = std::move(fitted.head.weight);
    summary.bias = std::move(fitted.head.bias);
    losses_ = {{"head", fitted.mean_loss}};
    return absl::OkStatus();
  }

  uint64_t NumUpdates() const {
    const uint64_t visits =
        StepsPerEpoch(context_.options, context_.selection) *
        static_cast<uint64_t>(context_.options.head_epochs) *
        static_cast<uint64_t>(context_.options.domains_per_step);
    return NumBatches(visits, context_.selection.num_sources());
  }

  const FitContext& context_;
  Trainee& trainee_;
  const std::vector<std::vector<size_t>> validation_;
  uint64_t samples_ = 0;
  std::vector<std::pair<std::string, double>> losses_;
};

}  // namespace

FittedHead FitHead(const torch::Tensor& content, const torch::Tensor& labels,
                   const Head& start, const HeadOptions& options) {
  const Head head = {start.weight.detach().clone().set_requires_grad(true),
                     start.bias.detach().clone().set_requires_grad(true)};
  torch::optim::AdamW optimizer(
      std::vector<torch::Tensor>{head.weight, head.bias},
      torch::optim::AdamWOptions(options.learning_rate)
          .weight_decay(options.weight_decay));
  std::vector<size_t> rows(static_cast<size_t>(content.size(0)));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto sampler =
      DomainSampler::Create({rows}, {.batch_size = options.batch_size,
                                     .domains_per_step = 1,
                                     .seed = options.seed});
  for (uint64_t update = 0; update < options.num_updates; ++update) {
    const std::vector<size_t> batch = sampler->Batch(update);
    const torch::Tensor index =
        torch::tensor(std::vector<int64_t>(batch.begin(), batch.end()),
                      torch::kLong)
            .to(content.device());
    optimizer.zero_grad();
    MeanHeadLoss(Logits(head, content.index_select(0, index)),
                 labels.index_select(0, index), options.class_weights)
        .backward();
    optimizer.step();
  }
  const torch::NoGradGuard no_grad;
  return {.head = {head.weight.detach(), head.bias.detach()},
          .mean_loss =
              MeanHeadLoss(Logits(head, content), labels, options.class_weights)
                  .item<double>()};
}

absl::StatusOr<std::vector<SourceSummary>> RunSourceStage(
    const FitContext& context, Trainee& trainee) {
  return SourceStage(context, trainee).Run();
}

}  // namespace ladder::trainer
