#include "trainer/command/model_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/control_group.h"
#include "trainer/encode/encode_samples.h"

namespace ladder::trainer {

absl::StatusOr<std::unique_ptr<ModelSession>> ModelSession::Create(
    const ModelSessionOptions& options) {
  // First, so that no thread of the engine takes the signals.
  auto interrupt = std::make_unique<base::Interrupt>();
  const size_t threads =
      options.threads > 0 ? options.threads : base::GrantedCpus();
  // One size: a warmed size that is never used costs a run at loading.
  LADDER_ASSIGN_OR_RETURN(
      auto engine,
      model_store::Engine::Create(
          {.device = options.device, .threads = threads, .batch_sizes = {64}}));
  return std::unique_ptr<ModelSession>(new ModelSession(
      std::move(interrupt), std::move(engine), static_cast<int>(threads)));
}

ModelSession::ModelSession(std::unique_ptr<base::Interrupt> interrupt,
                           std::unique_ptr<model_store::Engine> engine,
                           int num_threads)
    : interrupt_(std::move(interrupt)),
      engine_(std::move(engine)),
      pool_(num_threads),
      execution_{.pool = &pool_, .stop = interrupt_->token()} {}

absl::StatusOr<EncodedSamples> EncodeShown(const model_store::Model& model,
                                           const Dataset& dataset,
                                           const std::vector<size_t>& samples,
                                           absl::string_view stage,
                                           const routing::Execution& execution,
                                           FitObserver& observer) {
  BrokenSamples broken;
  LADDER_ASSIGN_OR_RETURN(
      auto encoded,
      EncodeSamples(model, dataset, samples,
                    {.loader = {.num_threads = execution.pool->num_threads()},
                     .stop = execution.stop,
                     .on_progress =
                         [&](size_t done) {
                           observer.Progress({.stage = stage,
                                              .done = done,
                                              .total = samples.size(),
                                              .samples = done});
                         }},
                    broken));
  for (const auto& [reason, count] : broken.counts()) {
    observer.Message(absl::StrCat(count, " samples skipped: ", reason));
  }
  return encoded;
}

}  // namespace ladder::trainer
