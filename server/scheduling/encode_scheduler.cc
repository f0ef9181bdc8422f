#include "server/scheduling/encode_scheduler.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "server/scheduling/fair_queue.h"

namespace ladder::server {
namespace {

using model_store::Encoding;
using model_store::Tensor;

// Rows of a batch that outlive it without keeping the whole of it in memory.
absl::StatusOr<Tensor> OwnRows(const model_store::Model& model,
                               const Tensor& all, size_t begin, size_t end,
                               const std::stop_token& stop) {
  const Tensor rows = all.Rows(begin, end);
  // Smaller batches may be views of what the model has padded.
  if (rows.rows() == model.max_batch()) return rows;
  return model.Concatenate({&rows, 1}, rows.rows(), stop);
}

absl::StatusOr<Encoding> OwnRows(const model_store::Model& model,
                                 const Encoding& batch, size_t begin,
                                 size_t end, const std::stop_token& stop) {
  Encoding own;
  for (const auto member : {&Encoding::z_c, &Encoding::z_s, &Encoding::gate}) {
    LADDER_ASSIGN_OR_RETURN(own.*member,
                            OwnRows(model, batch.*member, begin, end, stop));
  }
  return own;
}

}  // namespace

struct EncodeScheduler::Pending {
  EncodeJob job;
  absl::Time submitted;
  SteadyTime waits_since;
  // Guarded by the scheduler's mutex_:
  size_t num_taken = 0;  // Rows.
  size_t num_parts = 0;
  absl::Time taken = absl::InfiniteFuture();  // When the first row was.

  base::Mutex mutex;
  size_t num_done ABSL_GUARDED_BY(mutex) = 0;  // Rows.
  absl::Status status ABSL_GUARDED_BY(mutex);
  EncodedRows rows ABSL_GUARDED_BY(mutex);

  // Notes that `num_rows` rows, which are part `index`, are done or have
  // failed. Calls `done` if these were the last.
  void Finish(size_t index, size_t num_rows, absl::StatusOr<Encoding> part,
              absl::Duration duration) {
    absl::StatusOr<EncodedRows> all;
    {
      const base::MutexLock lock(mutex);
      status.Update(part.status());
      if (part.ok()) {
        rows.parts.resize(std::max(rows.parts.size(), index + 1));
        rows.parts[index] = *std::move(part);
      }
      rows.encoding += duration;
      num_done += num_rows;
      if (num_done < job.num_rows) return;
      rows.submitted = submitted;
      rows.taken = taken;
      rows.encoded = base::SteadyNow();
      if (status.ok()) {
        all = std::move(rows);
      } else {
        all = status;
      }
    }
    job.done(std::move(all));
  }
};

struct EncodeScheduler::Slice {
  std::shared_ptr<Pending> pending;
  size_t part = 0;  // Which of the job's it is.
  size_t begin = 0;
  size_t end = 0;

  size_t num_rows() const { return end - begin; }
  std::span<const float> x() const {
    const size_t row = pending->job.x.size() / pending->job.num_rows;
    return pending->job.x.subspan(begin * row, num_rows() * row);
  }
};

struct EncodeScheduler::Queue {
  model_store::ModelHandle model;
  FairQueue<std::shared_ptr<Pending>> jobs;
  size_t num_rows = 0;
  SteadyTime oldest = kNever;  // Since when a row waits.
};

struct EncodeScheduler::Batch {
  model_store::ModelHandle model;
  std::vector<Slice> slices;
  std::vector<std::shared_ptr<Pending>> cancelled;
  size_t num_rows = 0;
};

EncodeScheduler::EncodeScheduler(const EncodeSchedulerOptions& options,
                                 ServingObserver& observer)
    : options_(options), observer_(observer) {
  for (size_t i = 0; i < std::max<size_t>(options.num_workers, 1); ++i) {
    threads_.emplace_back(&EncodeScheduler::Main, this);
  }
}

EncodeScheduler::~EncodeScheduler() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void EncodeScheduler::Submit(EncodeJob job) {
  auto pending = std::make_shared<Pending>();
  pending->job = std::move(job);
  pending->submitted = base::SteadyNow();
  pending->waits_since = std::chrono::steady_clock::now();
  num_waiting_ += pending->job.num_rows;
  {
    const base::MutexLock lock(mutex_);
    auto queue = std::find_if(
        queues_.begin(), queues_.end(),
        [&](const Queue& q) { return q.model == pending->job.model; });
    if (queue == queues_.end()) {
      queue = queues_.insert(queues_.end(), Queue{});
      queue->model = pending->job.model;
    }
    queue->num_rows += pending->job.num_rows;
    queue->oldest = std::min(queue->oldest, pending->waits_since);
    const WorkOwner owner = pending->job.owner;
    queue->jobs.Push(owner, std::move(pending));
  }
  changed_.notify_one();
}

absl::Duration EncodeScheduler::ExpectedWait() const {
  return absl::Seconds(static_cast<double>(num_waiting()) *
                       seconds_per_row_.load(std::memory_order_relaxed));
}

absl::Duration EncodeScheduler::ExpectedWork(size_t num_rows) const {
  // Before the first batch nothing is known, but rows still have to count.
  constexpr double kUnknown = 1e-6;
  const double seconds = seconds_per_row_.load(std::memory_order_relaxed) *
                         static_cast<double>(threads_.size());
  return absl::Seconds(static_cast<double>(num_rows) *
                       std::max(seconds, kUnknown));
}

size_t EncodeScheduler::MaxBatch(const model_store::Model& model) const {
  return options_.max_batch_size == 0
             ? model.max_batch()
             : std::min(options_.max_batch_size, model.max_batch());
}

EncodeScheduler::Queue* EncodeScheduler::FindReady(SteadyTime now,
                                                   SteadyTime& wake) {
  wake = kNever;
  for (auto queue = queues_.begin(); queue != queues_.end(); ++queue) {
    const auto delay = absl::ToChronoNanoseconds(options_.max_delay);
    const SteadyTime due =
        delay < kNever - queue->oldest ? queue->oldest + delay : kNever;
    if (stopping_ || due <= now || queue->num_rows >= MaxBatch(*queue->model)) {
      queues_.splice(queues_.end(), queues_, queue);  // Models take turns too.
      return &queues_.back();
    }
    wake = std::min(wake, due);
  }
  return nullptr;
}

void EncodeScheduler::AddRows(const std::shared_ptr<Pending>& pending,
                              size_t num_rows, Batch& batch) {
  if (pending->num_taken == 0) pending->taken = base::SteadyNow();
  pending->num_taken += num_rows;
  batch.num_rows += num_rows;
  for (Slice& slice : batch.slices) {
    if (slice.pending == pending) {  // It has had a turn in this batch.
      slice.end += num_rows;
      return;
    }
  }
  batch.slices.push_back({.pending = pending,
                          .part = pending->num_parts++,
                          .begin = pending->num_taken - num_rows,
                          .end = pending->num_taken});
}

EncodeScheduler::Batch EncodeScheduler::TakeBatch(Queue& queue) {
  Batch batch;
  batch.model = queue.model;
  const size_t max_rows = MaxBatch(*queue.model);
  while (!queue.jobs.empty() && batch.num_rows < max_rows) {
    // A share for each, which the one with least behind it takes next: the
    // calls of one caller have as much together as the only call of another.
    const size_t num_calls = queue.jobs.num_calls();
    const size_t share =
        (max_rows - batch.num_rows + num_calls - 1) / num_calls;
    for (size_t i = 0;
         i < num_calls && !queue.jobs.empty() && batch.num_rows < max_rows;
         ++i) {
      TakeTurn(std::min(share, max_rows - batch.num_rows), queue, batch);
    }
  }
  queue.oldest = kNever;
  queue.jobs.VisitFronts([&](const std::shared_ptr<Pending>& pending) {
    queue.oldest = std::min(queue.oldest, pending->waits_since);
  });
  return batch;
}

void EncodeScheduler::TakeTurn(size_t max_rows, Queue& queue, Batch& batch) {
  queue.jobs.BeginTurn();
  do {
    const std::shared_ptr<Pending>& pending = queue.jobs.Front();
    const size_t rest = pending->job.num_rows - pending->num_taken;
    const bool cancelled = pending->job.stop.stop_requested();
    const size_t num_rows = cancelled ? rest : std::min(rest, max_rows);
    queue.num_rows -= num_rows;
    num_waiting_ -= num_rows;
    if (cancelled) {
      batch.cancelled.push_back(pending);
    } else {
      max_rows -= num_rows;
      pending->job.owner.Charge(ExpectedWork(num_rows));
      if (num_rows > 0) AddRows(pending, num_rows, batch);
      if (num_rows < rest) return queue.jobs.EndTurn();
    }
  } while (queue.jobs.PopWithinTurn());
}

void EncodeScheduler::Main() {
  std::vector<float> buffer;
  base::MutexLock lock(mutex_);
  for (;;) {
    SteadyTime wake;
    Queue* const queue = FindReady(std::chrono::steady_clock::now(), wake);
    if (queue == nullptr) {
      if (stopping_ && queues_.empty()) return;
      if (wake == kNever) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, wake);
      }
      continue;
    }
    Batch batch = TakeBatch(*queue);
    // Without jobs it goes, and with it the hold on the model.
    if (queue->jobs.empty()) queues_.pop_back();
    if (!queues_.empty()) changed_.notify_one();
    lock.unlock();
    Run(std::move(batch), buffer);  // And frees, all without the lock.
    lock.lock();
  }
}

void EncodeScheduler::Run(Batch batch, std::vector<float>& buffer) {
  for (const std::shared_ptr<Pending>& pending : batch.cancelled) {
    pending->Finish(/*part=*/0, pending->job.num_rows - pending->num_taken,
                    absl::CancelledError("the call has ended"), {});
  }
  if (batch.slices.empty()) return;

  std::span<const float> x = batch.slices.front().x();
  if (batch.slices.size() > 1) {
    buffer.clear();
    for (const Slice& slice : batch.slices) {
      buffer.insert(buffer.end(), slice.x().begin(), slice.x().end());
    }
    x = buffer;
  }
  const absl::Time start = base::SteadyNow();
  const absl::StatusOr<Encoding> encoding = Encode(batch, x);
  const absl::Duration duration = base::SteadyNow() - start;
  if (encoding.ok()) {
    NoteSpeed(duration, batch.num_rows);
    const model_store::Manifest& manifest = batch.model->manifest();
    observer_.OnBatch({.model = manifest.model,
                       .version = manifest.version,
                       .num_rows = batch.num_rows,
                       .duration = duration});
    observer_.OnStage(Stage::kEncode, duration);
  }

  size_t begin = 0;
  for (Slice& slice : batch.slices) {
    const size_t end = begin + slice.num_rows();
    absl::StatusOr<Encoding> part =
        encoding.ok() ? OwnRows(*batch.model, *encoding, begin, end,
                                slice.pending->job.stop)
                      : encoding.status();
    std::exchange(slice.pending, nullptr)
        ->Finish(slice.part, end - begin, std::move(part), duration);
    begin = end;
  }
}

absl::StatusOr<Encoding> EncodeScheduler::Encode(const Batch& batch,
                                                 std::span<const float> x) {
  // The batch is given up once nobody waits for it any more.
  std::stop_source stop;
  std::atomic<size_t> num_wanted = batch.slices.size();
  const auto on_stop = [&] {
    if (--num_wanted == 0) stop.request_stop();
  };
  std::list<std::stop_callback<decltype(on_stop)>> callbacks;
  for (const Slice& slice : batch.slices) {
    callbacks.emplace_back(slice.pending->job.stop, on_stop);
  }
  return batch.model->Encode(x, batch.num_rows, stop.get_token());
}

void EncodeScheduler::NoteSpeed(absl::Duration duration, size_t num_rows) {
  constexpr double kNewest = 0.1;  // Its share in the mean.
  const double seconds = absl::ToDoubleSeconds(duration) /
                         static_cast<double>(num_rows * threads_.size());
  const double before = seconds_per_row_.load(std::memory_order_relaxed);
  seconds_per_row_.store(
      before == 0 ? seconds : before + kNewest * (seconds - before),
      std::memory_order_relaxed);
}

}  // namespace ladder::server
