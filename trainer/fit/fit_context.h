#ifndef LADDER_TRAINER_FIT_FIT_CONTEXT_H_
#define LADDER_TRAINER_FIT_FIT_CONTEXT_H_

#include <torch/types.h>

#include <filesystem>
#include <stop_token>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer/data/batch_loader.h"
#include "trainer/data/dataset.h"
#include "trainer/data/dataset_report.h"
#include "trainer/data/source_filter.h"
#include "trainer/fit/fit_observer.h"
#include "trainer/fit/fit_options.h"
#include "trainer/fit/trainee.h"

namespace ladder::trainer {

// All that a stage works with; it outlives the stage.
struct FitContext {
  const FitOptions& options;
  const Dataset& dataset;
  const SourceSelection& selection;
  torch::Device device;
  std::filesystem::path run;  // Folder for checkpoints and curves.
  FitObserver& observer;
  BrokenSamples& broken;
  std::stop_token stop;
};

// The batch on the context's device. On the CPU, x is the batch's own memory,
// which must stay as long.
BatchTensors ToTensors(const Batch& batch, const FitContext& context);

// Tells the observer of samples that are found broken for the first time.
void NoteBroken(const Batch& batch, const FitContext& context);

// The loader's options, as the run's options want samples to be read.
LoaderOptions LoaderOptionsOf(const FitOptions& options);

// The device of that name: "cpu", "cuda" or "cuda:N". "auto" takes CUDA where
// LibTorch has it and a device answers, else the CPU. InvalidArgument for
// another name; FailedPrecondition if CUDA was asked for and cannot be had,
// saying what is missing.
absl::StatusOr<torch::Device> ChooseTrainingDevice(absl::string_view name);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_FIT_CONTEXT_H_
