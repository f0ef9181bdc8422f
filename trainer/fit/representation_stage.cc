#include "trainer/fit/representation_stage.h"

#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/counter_rng.h"
#include "trainer/data/batch_loader.h"
#include "trainer/data/domain_sampler.h"
#include "trainer/fit/checkpoint.h"
#include "trainer/fit/fit_context.h"
#include "trainer/fit/run_folder.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {
namespace {

// Losses are looked at every so many steps: on a GPU, looking waits for it.
constexpr uint64_t kReportSteps = 20;

// Batch normalisation has no variance of one sample.
constexpr size_t kSmallestBatch = 2;

torch::optim::AdamW MakeOptimizer(const FitOptions& options,
                                  const Trainee& trainee) {
  const auto group = [&](std::vector<torch::Tensor> parameters, double rate) {
    return torch::optim::OptimizerParamGroup(
        std::move(parameters),
        std::make_unique<torch::optim::AdamWOptions>(
            torch::optim::AdamWOptions(rate).weight_decay(
                options.weight_decay)));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.push_back(group(trainee.EncoderParameters(), options.encoder_lr));
  groups.push_back(group(trainee.OtherParameters(), options.head_lr));
  return torch::optim::AdamW(std::move(groups));
}

// Sums of the losses' parts since the last report, on the device.
class LossSums {
 public:
  void Add(const BatchLoss& loss) {
    if (sums_.empty()) {
      for (const auto& [name, part] : loss.parts) {
        sums_.emplace_back(name, part.detach());
      }
    } else {
      for (size_t i = 0; i < sums_.size(); ++i) {
        sums_[i].second = sums_[i].second + loss.parts[i].second.detach();
      }
    }
    ++count_;
  }

  // The means; forgets all.
  std::vector<std::pair<std::string, double>> Take() {
    std::vector<std::pair<std::string, double>> means;
    for (const auto& [name, sum] : sums_) {
      means.emplace_back(name, sum.item<double>() / count_);
    }
    sums_.clear();
    count_ = 0;
    return means;
  }

 private:
  std::vector<std::pair<std::string, torch::Tensor>> sums_;
  int count_ = 0;
};

class RepresentationStage {
 public:
  RepresentationStage(const FitContext& context, Trainee& trainee)
      : context_(context),
        trainee_(trainee),
        optimizer_(MakeOptimizer(context.options, trainee)),
        num_steps_(StepsPerEpoch(context.options, context.selection) *
                   static_cast<uint64_t>(context.options.epochs)) {}

  absl::Status Run() {
    LADDER_RETURN_IF_ERROR(Restore());
    LADDER_ASSIGN_OR_RETURN(auto curves,
                            Curves::Open(context_.run / kCurvesFile, step_));
    if (step_ == num_steps_) return absl::OkStatus();
    LADDER_ASSIGN_OR_RETURN(
        auto sampler,
        DomainSampler::Create(
            context_.selection.samples,
            {.batch_size = context_.options.batch_size,
             .domains_per_step = context_.options.domains_per_step,
             .seed = context_.options.seed}));
    LADDER_ASSIGN_OR_RETURN(
        auto loader, BatchLoader::Start(
                         context_.dataset,
                         [sampler = std::move(sampler)](uint64_t step) {
                           return sampler.Batch(step);
                         },
                         step_, num_steps_, LoaderOptionsOf(context_.options),
                         context_.stop));
    trainee_.train();
    absl::Status status = Train(*loader, curves);
    if (absl::IsCancelled(status) || status.ok()) {
      // What was learned so far stays, whatever made the run stop.
      LADDER_RETURN_IF_ERROR(Save());
    }
    return status;
  }

 private:
  absl::Status Restore() {
    const auto step =
        LoadCheckpoint(context_.run / kCheckpointFile, trainee_, optimizer_);
    if (absl::IsNotFound(step.status())) return absl::OkStatus();
    if (!step.ok()) return step.status();
    step_ = *step;
    context_.observer.Message(
        absl::StrCat("going on after step ", step_, " of ", num_steps_));
    return absl::OkStatus();
  }

  absl::Status Save() {
    return SaveCheckpoint(context_.run / kCheckpointFile, trainee_, optimizer_,
                          step_);
  }

  absl::Status Train(BatchLoader& loader, Curves& curves) {
    const auto checkpoint_steps =
        static_cast<uint64_t>(context_.options.checkpoint_steps);
    Batch batch;
    while (step_ < num_steps_) {
      if (context_.stop.stop_requested()) {
        return absl::CancelledError("stopped by the caller");
      }
      LADDER_ASSIGN_OR_RETURN(batch, loader.Next(std::move(batch)));
      NoteBroken(batch, context_);
      LADDER_RETURN_IF_ERROR(CatchTorchErrors([&] { return Step(batch); }));
      ++step_;
      if (step_ % kReportSteps == 0 || step_ == num_steps_) {
        LADDER_RETURN_IF_ERROR(
            CatchTorchErrors([&] { return Report(curves); }));
      }
      if (checkpoint_steps > 0 && step_ % checkpoint_steps == 0) {
        LADDER_RETURN_IF_ERROR(Save());
      }
    }
    return absl::OkStatus();
  }

  absl::Status Step(const Batch& batch) {
    if (batch.size() < kSmallestBatch) return absl::OkStatus();
    // Draws depend on the step only, and need no place in the checkpoint.
    torch::manual_seed(routing::CounterRng(context_.options.seed).Bits(step_));
    optimizer_.zero_grad();
    const BatchLoss loss =
        trainee_.Loss(ToTensors(batch, context_), static_cast<int64_t>(step_));
    loss.total.backward();
    optimizer_.step();
    sums_.Add(loss);
    samples_ += batch.size();
    return absl::OkStatus();
  }

  absl::Status Report(Curves& curves) {
    auto losses = sums_.Take();
    if (losses.empty()) return absl::OkStatus();  // Broken samples only.
    for (const auto& [name, value] : losses) {
      if (!std::isfinite(value)) {
        return absl::FailedPreconditionError(absl::StrCat(
            "loss \"", name, "\": expected a finite value, found ", value,
            " before step ", step_, "; a lower learning rate may help"));
      }
    }
    LADDER_RETURN_IF_ERROR(curves.Add(step_, losses));
    context_.observer.Progress({.stage = "representation",
                                .done = step_,
                                .total = num_steps_,
                                .samples = samples_,
                                .losses = std::move(losses)});
    return absl::OkStatus();
  }

  const FitContext& context_;
  Trainee& trainee_;
  torch::optim::AdamW optimizer_;
  const uint64_t num_steps_;
  uint64_t step_ = 0;
  uint64_t samples_ = 0;
  LossSums sums_;
};

}  // namespace

uint64_t StepsPerEpoch(const FitOptions& options,
                       const SourceSelection& selection) {
  if (options.steps_per_epoch > 0) {
    return static_cast<uint64_t>(options.steps_per_epoch);
  }
  size_t num_samples = 0;
  for (const auto& samples : selection.samples) num_samples += samples.size();
  return NumBatches(num_samples, static_cast<size_t>(options.batch_size));
}

absl::Status RunRepresentationStage(const FitContext& context,
                                    Trainee& trainee) {
  return RepresentationStage(context, trainee).Run();
}

}  // namespace ladder::trainer
