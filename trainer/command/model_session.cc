#include "trainer/command/model_session.h"

#include "base/system/cpu_quota.h"

namespace ladder::trainer {

absl::StatusOr<std::unique_ptr<ModelSession>> ModelSession::Create(
    const ModelSessionOptions& options) {
  // First, so that no thread of the engine takes the signals.
  auto interrupt = std::make_unique<base::Interrupt>();
  const size_t threads =
      options.threads > 0 ? options.threads : base::GrantedCpus();
  // One size: a warmed size that is never used costs a run at loading.
  auto engine = model_store::Engine::Create(
      {.device = options.device, .threads = threads, .batch_sizes = {64}});
  if (!engine.ok()) return engine.status();
  return std::unique_ptr<ModelSession>(new ModelSession(
      std::move(interrupt), *std::move(engine), static_cast<int>(threads)));
}

ModelSession::ModelSession(std::unique_ptr<base::Interrupt> interrupt,
                           std::unique_ptr<model_store::Engine> engine,
                           int num_threads)
    : interrupt_(std::move(interrupt)),
      engine_(std::move(engine)),
      pool_(num_threads),
      execution_{.pool = &pool_, .stop = interrupt_->token()} {}

}  // namespace ladder::trainer
