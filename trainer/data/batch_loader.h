#ifndef LADDER_TRAINER_DATA_BATCH_LOADER_H_
#define LADDER_TRAINER_DATA_BATCH_LOADER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/system/mutex.h"
#include "trainer/data/dataset.h"
#include "trainer/data/dataset_report.h"

namespace ladder::trainer {

// Says which samples make up the batch of a step: a pure, thread-safe function.
using BatchPlan = std::function<std::vector<size_t>(uint64_t step)>;

// The given samples once, in order, `batch_size` at a time; the last batch may
// be smaller. Its steps are [0, NumBatches(samples.size(), batch_size)).
BatchPlan InOrder(std::vector<size_t> samples, size_t batch_size);

uint64_t NumBatches(size_t num_samples, size_t batch_size);

struct LoaderOptions {
  int num_threads = 0;       // 0: as many as there are processors.
  size_t batches_ahead = 4;  // Held or being read; bounds the memory.
  OnBroken on_broken = OnBroken::kSkip;
};

// The samples that a network is given at once. Rows whose sample was broken are
// missing, so that there may be fewer than planned, even none.
struct Batch {
  uint64_t step = 0;
  std::vector<float> x = {};         // size() times the sample shape.
  std::vector<int64_t> labels = {};  // The labels that the samples have.
  std::vector<int64_t> domains = {};
  std::vector<size_t> samples = {};  // Indices into Dataset::samples.
  std::vector<BrokenSample> broken = {};

  size_t size() const { return samples.size(); }
};

// Reads batches ahead of their use, on threads of its own, and hands them out
// in order. What is in them does not depend on the number of threads.
//
// One caller at a time. Stops its threads in the destructor.
class BatchLoader {
 public:
  // Loads the steps [first_step, end_step) of `plan`. `dataset` must outlive
  // the loader. InvalidArgument if an option is out of range.
  static absl::StatusOr<std::unique_ptr<BatchLoader>> Start(
      const Dataset& dataset, BatchPlan plan, uint64_t first_step,
      uint64_t end_step, const LoaderOptions& options,
      std::stop_token stop = {});

  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // The batch of the next step. `used` is one that is not needed any more; its
  // memory is used again.
  //
  // OutOfRange behind the last step; Cancelled once `stop` was requested; the
  // first error in the batch, in the order of the plan, if it is not a fault of
  // the sample or if faults are to fail. After an error no more batches come.
  absl::StatusOr<Batch> Next(Batch used = {});

 private:
  // A batch while it is read; rows in the order of the plan.
  struct Slot {
    Batch batch;
    std::vector<absl::Status> errors;  // One for each row.
    size_t num_handed_out = 0;
    size_t num_done = 0;

    bool is_done() const { return num_done == batch.samples.size(); }
  };

  BatchLoader(const Dataset& dataset, BatchPlan plan, uint64_t first_step,
              uint64_t end_step, const LoaderOptions& options);

  void WorkerMain();
  // The slot with rows left to hand out, if need be a new one; null if there is
  // nothing to do before a batch is taken.
  Slot* FindWork() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OpenSlot() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Slot> TakeSlot(base::MutexLock& lock)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void ReadRows(Slot& slot, size_t begin, size_t end) const;
  absl::StatusOr<Batch> Finish(Slot slot) const;
  void Stop();

  const Dataset& dataset_;
  const BatchPlan plan_;
  const uint64_t end_step_;
  const LoaderOptions options_;
  const size_t sample_size_;
  const size_t rows_at_once_;  // How many a thread takes at a time.

  base::Mutex mutex_;
  std::condition_variable_any work_arrived_;
  std::condition_variable_any batch_done_;
  uint64_t next_step_ ABSL_GUARDED_BY(mutex_);  // The next to be opened.
  // Ordered by step; threads refer to its elements.
  std::deque<Slot> slots_ ABSL_GUARDED_BY(mutex_);
  std::vector<Batch> used_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // Sticks.

  std::vector<std::thread> workers_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_BATCH_LOADER_H_
