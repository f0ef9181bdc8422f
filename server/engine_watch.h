#ifndef LADDER_SERVER_ENGINE_WATCH_H_
#define LADDER_SERVER_ENGINE_WATCH_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"
#include "model_store/engine/model.h"

namespace ladder::server {

// Finds out whether the engine can still run anything: a GPU that is lost fails
// every run from then on. When many runs in a row have failed, models are tried
// with a sample of the watch's own, since what failed may have been what
// callers sent; and again at every look until one succeeds.
//
// Thread-safe.
class EngineWatch {
 public:
  struct Options {
    // How many runs have failed since one last succeeded.
    std::function<uint64_t()> num_failed_runs;
    // The models that are served.
    std::function<std::vector<model_store::ModelHandle>()> served;
    // Told when status() has changed.
    std::function<void(const absl::Status&)> on_change;
  };

  static constexpr uint64_t kManyFailedRuns = 8;

  explicit EngineWatch(Options options);

  // Looks, and tries models if need be, which may wait for their turn. One call
  // at a time.
  void Look(const std::stop_token& stop);

  // OK, or Unavailable with the error of a run if all fail.
  absl::Status status() const;

 private:
  // OK as soon as one of the served models can be run.
  absl::Status TryModels(const std::stop_token& stop) const;

  const Options options_;
  mutable base::Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_ENGINE_WATCH_H_
