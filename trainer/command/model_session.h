#ifndef LADDER_TRAINER_COMMAND_MODEL_SESSION_H_
#define LADDER_TRAINER_COMMAND_MODEL_SESSION_H_

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/terminal/interrupt.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/model.h"
#include "routing/execution.h"
#include "routing/thread_pool.h"
#include "trainer/data/dataset.h"
#include "trainer/encode/encoded_samples.h"
#include "trainer/fit/fit_observer.h"

namespace ladder::trainer {

struct ModelSessionOptions {
  std::string device = "auto";
  size_t threads = 0;  // 0 takes what the cgroup grants.
};

// Holds what commands need that run bundles: the engine, threads, and Ctrl-C.
class ModelSession {
 public:
  // Errors as Engine::Create.
  static absl::StatusOr<std::unique_ptr<ModelSession>> Create(
      const ModelSessionOptions& options);

  model_store::Engine& engine() { return *engine_; }
  std::stop_token stop() const { return interrupt_->token(); }
  const routing::Execution& execution() const { return execution_; }

 private:
  ModelSession(std::unique_ptr<base::Interrupt> interrupt,
               std::unique_ptr<model_store::Engine> engine, int num_threads);

  std::unique_ptr<base::Interrupt> interrupt_;
  std::unique_ptr<model_store::Engine> engine_;
  routing::ThreadPool pool_;
  routing::Execution execution_;
};

// EncodeSamples, before the eyes of `observer`: progress as `stage`, and how
// many samples were skipped for what reason. Reads on as many threads as
// `execution`, which must have a pool, has.
absl::StatusOr<EncodedSamples> EncodeShown(const model_store::Model& model,
                                           const Dataset& dataset,
                                           const std::vector<size_t>& samples,
                                           absl::string_view stage,
                                           const routing::Execution& execution,
                                           FitObserver& observer);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_MODEL_SESSION_H_
