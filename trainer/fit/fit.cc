#include "trainer/fit/fit.h"

#include <ATen/Parallel.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/system/control_group.h"
#include "base/system/version.h"
#include "model_store/format/bundle.h"
#include "model_store/graphs/bundle_graphs.h"
#include "routing/thread_pool.h"
#include "trainer/data/covariate_readers.h"
#include "trainer/data/open_dataset.h"
#include "trainer/fit/fit_context.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/run_folder.h"
#include "trainer/fit/source_stage.h"
#include "trainer/fit/stack_builder.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;

constexpr double kGib = 1 << 30;

absl::StatusOr<Dataset> OpenData(const FitOptions& options,
                                 FitObserver& observer) {
  LADDER_ASSIGN_OR_RETURN(const auto layout, ParseLayout(options.layout));
  DatasetOptions dataset_options = {.layout = layout,
                                    .on_broken = options.on_broken.value()};
  dataset_options.image.height = options.image_size;
  dataset_options.image.width = options.image_size;
  LADDER_ASSIGN_OR_RETURN(auto loaded,
                          OpenDataset(options.data, dataset_options));
  observer.Message(absl::StrCat(options.data, ": ", loaded.report.Summary()));
  for (const std::string& message : loaded.report.messages) {
    observer.Message(absl::StrCat("skipped: ", message));
  }
  return WithCache(std::move(loaded.dataset),
                   static_cast<size_t>(options.cache_gib * kGib));
}

absl::StatusOr<SourceSelection> Select(const FitOptions& options,
                                       const Dataset& dataset,
                                       FitObserver& observer) {
  LADDER_ASSIGN_OR_RETURN(
      auto selection,
      SelectSources(dataset, {.min_samples = options.min_source_samples,
                              .max_sources = options.max_sources}));
  if (selection.num_sources() < static_cast<size_t>(options.domains_per_step)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "domains-per-step: expected at most the number of sources, ",
        selection.num_sources(), ", got ", options.domains_per_step));
  }
  size_t num_samples = 0;
  for (const auto& samples : selection.samples) num_samples += samples.size();
  observer.Message(absl::StrCat(
      selection.num_sources(), " sources with ", num_samples, " samples; ",
      selection.num_domains_left_out, " domains with ",
      selection.num_samples_left_out, " samples left out"));
  return selection;
}

absl::StatusOr<fs::path> Export(const FitOptions& options,
                                const Dataset& dataset,
                                const LadderNetwork& network,
                                TrainedStack stack) {
  LADDER_ASSIGN_OR_RETURN(auto encoder, network.ExportEncoder());
  LADDER_ASSIGN_OR_RETURN(auto heads,
                          model_store::BuildHeadsGraph(stack.heads));
  LADDER_ASSIGN_OR_RETURN(
      auto router, model_store::BuildRouterGraph(stack.styles.fingerprints,
                                                 stack.styles.normalizer));
  model_store::Manifest manifest = {
      .model = fs::path(options.out).filename(),
      .created = absl::Now(),
      .trainer_version = base::kVersion,
      .trainer_config = ToJson(options).dump(),
      .classes = std::move(stack.classes),
      .sources = std::move(stack.sources),
      .content_dimension = static_cast<size_t>(options.content_dimension),
      .style_dimension = static_cast<size_t>(options.style_dimension),
      .input = dataset.input,
      .routing = stack.routing,
      .coverage = std::move(stack.coverage),
      .source_distances = std::move(stack.source_distances)};
  // The baselines' heads are all one; DSNR's differ by the index, which a
  // target's mean gate estimates.
  if (options.method == FitMethod::kDsnr) {
    manifest.routing.method = routing::Method::kSampleGateGroup;
  } else if (options.method != FitMethod::kLadder) {
    manifest.routing.method = routing::Method::kUniform;
  }
  return model_store::WriteBundle(fs::path(options.out).parent_path(),
                                  {.manifest = std::move(manifest),
                                   .styles = std::move(stack.styles),
                                   .encoder = std::move(encoder),
                                   .heads = std::move(heads),
                                   .router = std::move(router)});
}

absl::Status CheckOut(const FitOptions& options) {
  const fs::path out = options.out;
  if (!out.has_parent_path() || !out.has_filename()) {
    return absl::InvalidArgumentError(
        absl::StrCat("out: expected STORE/NAME, got \"", options.out, "\""));
  }
  return base::AtPlace("out",
                       model_store::CheckModelName(out.filename().string()));
}

}  // namespace

void SetDefaultRun(FitOptions& options) {
  if (!options.run.empty()) return;
  options.run = absl::StrCat("runs/", fs::path(options.out).filename().string(),
                             "-", options.method.text(), "-s", options.seed);
}

absl::StatusOr<fs::path> Fit(const FitOptions& options, bool resume,
                             FitObserver& observer, std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  LADDER_RETURN_IF_ERROR(CheckOut(options));
  LADDER_ASSIGN_OR_RETURN(const auto device,
                          ChooseTrainingDevice(options.device));
  LADDER_ASSIGN_OR_RETURN(const auto dataset, OpenData(options, observer));
  LADDER_ASSIGN_OR_RETURN(const auto selection,
                          Select(options, dataset, observer));
  // Before the run folder is made: a wrong option should not cost one.
  LADDER_ASSIGN_OR_RETURN(auto trainee,
                          Trainee::Create(options, dataset, selection));
  LADDER_RETURN_IF_ERROR(OpenRunFolder(options, dataset, resume, observer));
  // Not LibTorch's own choice, which leaves out every second virtual processor
  // and knows nothing of a container's quota.
  const int threads = static_cast<int>(
      options.threads > 0 ? options.threads : base::GrantedCpus());
  at::set_num_threads(threads);
  LADDER_RETURN_IF_ERROR(CatchTorchErrors([&] {
    trainee->to(device);
    return absl::OkStatus();
  }));

  BrokenSamples broken;
  const FitContext context = {.options = options,
                              .dataset = dataset,
                              .selection = selection,
                              .device = device,
                              .run = options.run,
                              .observer = observer,
                              .broken = broken,
                              .stop = stop};
  LADDER_RETURN_IF_ERROR(RunRepresentationStage(context, *trainee));
  LADDER_ASSIGN_OR_RETURN(const auto summaries,
                          RunSourceStage(context, *trainee));
  for (const auto& [reason, count] : broken.counts()) {
    observer.Message(absl::StrCat(count, " samples skipped: ", reason));
  }
  observer.Message("measuring the distances between sources");
  routing::ThreadPool pool(threads);
  LADDER_ASSIGN_OR_RETURN(auto stack,
                          BuildStack(options, dataset, selection, summaries,
                                     {.pool = &pool, .stop = stop}));
  if (stack.coverage.levels.empty()) {
    observer.Message(
        "no coverage calibration: fewer than 3 sources have 8 samples beside "
        "their fingerprints; a split id_val would give some");
  }
  return Export(options, dataset, trainee->network(), std::move(stack));
}

}  // namespace ladder::trainer
