#ifndef LADDER_SERVER_SCHEDULING_ENCODE_SCHEDULER_H_
#define LADDER_SERVER_SCHEDULING_ENCODE_SCHEDULER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "model_store/engine/model.h"
#include "server/observe/serving_observer.h"
#include "server/scheduling/work_account.h"

namespace ladder::server {

struct EncodeSchedulerOptions {
  size_t num_workers = 1;     // Batches in the encoders at the same time.
  size_t max_batch_size = 0;  // Samples; 0: the model's largest.
  // How long the first of a batch waits for others to fill it.
  absl::Duration max_delay = absl::ZeroDuration();
};

// The codes of a chunk, in pieces that follow each other. None of them keeps
// more memory than its own rows take.
struct EncodedRows {
  std::vector<model_store::Encoding> parts = {};
  absl::Time submitted = {};     // By base::SteadyNow, as the next two.
  absl::Time taken = {};         // When the first row was.
  absl::Time encoded = {};       // When the last row was.
  absl::Duration encoding = {};  // In encoders, with the others of the batches.
};

// A chunk of samples to be encoded.
struct EncodeJob {
  WorkOwner owner = {};
  model_store::ModelHandle model = {};
  std::span<const float> x = {};  // Stays valid until `done` was called.
  size_t num_rows = 0;            // At least one.
  std::stop_token stop = {};
  // Called once, by a thread of the scheduler, which it should not keep long.
  // Cancelled if `stop` was requested; else errors as Model::Encode.
  std::function<void(absl::StatusOr<EncodedRows>)> done = {};
};

// Puts samples of many calls together into batches. Calls take turns, as
// FairQueue has them, and share a batch while others wait, so that one with a
// huge chunk does not starve the small ones. What its rows take is charged to
// each owner.
//
// What waits is bounded by those who submit: they hold back what comes later.
// num_waiting() tells them when there is too much altogether.
//
// Thread-safe.
class EncodeScheduler {
 public:
  // `observer` must outlive the scheduler.
  EncodeScheduler(const EncodeSchedulerOptions& options,
                  ServingObserver& observer);
  ~EncodeScheduler();  // Finishes what was submitted.

  EncodeScheduler(const EncodeScheduler&) = delete;
  EncodeScheduler& operator=(const EncodeScheduler&) = delete;

  void Submit(EncodeJob job);

  // Samples that no encoder has taken yet.
  size_t num_waiting() const { return num_waiting_.load(); }

  // How long those take, by the speed of the last batches.
  absl::Duration ExpectedWait() const;

  // Batches in the encoders at the same time.
  size_t num_workers() const { return threads_.size(); }

 private:
  struct Pending;  // A job that is not done.
  struct Slice;    // Rows of a job in a batch.
  struct Queue;    // The jobs for one version of a model.
  struct Batch;

  void Main();
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr SteadyTime kNever = SteadyTime::max();

  // The queue whose batch should run now, or null; then `wake` is when to look
  // again.
  Queue* FindReady(SteadyTime now, SteadyTime& wake)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Batch TakeBatch(Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves up to `max_rows` rows of the call whose turn it is.
  void TakeTurn(size_t max_rows, Queue& queue, Batch& batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AddRows(const std::shared_ptr<Pending>& pending, size_t num_rows,
                      Batch& batch);
  // `buffer` is memory to use again.
  void Run(Batch batch, std::vector<float>& buffer);
  static absl::StatusOr<model_store::Encoding> Encode(const Batch& batch,
                                                      std::span<const float> x);
  void NoteSpeed(absl::Duration duration, size_t num_rows);
  // What rows take in an encoder, by the speed of the last batches.
  absl::Duration ExpectedWork(size_t num_rows) const;
  size_t MaxBatch(const model_store::Model& model) const;

  const EncodeSchedulerOptions options_;
  ServingObserver& observer_;
  std::atomic<size_t> num_waiting_ = 0;
  std::atomic<double> seconds_per_row_ = 0;

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  // One for every version that jobs wait for; the first is the next.
  std::list<Queue> queues_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_ENCODE_SCHEDULER_H_
