#include "trainer/data/batch_loader.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/system/mutex.h"

namespace ladder::trainer {
namespace {

// Rows so small that taking them one by one would cost more than reading them
// are taken together.
constexpr size_t kNumbersAtOnce = 4096;

}  // namespace

BatchPlan InOrder(std::vector<size_t> samples, size_t batch_size) {
  // Shared, because functions are copied.
  const auto shared =
      std::make_shared<const std::vector<size_t>>(std::move(samples));
  return [shared, batch_size](uint64_t step) {
    const size_t begin = std::min<size_t>(step * batch_size, shared->size());
    const size_t end = std::min(begin + batch_size, shared->size());
    return std::vector<size_t>(shared->data() + begin, shared->data() + end);
  };
}

uint64_t NumBatches(size_t num_samples, size_t batch_size) {
  return (num_samples + batch_size - 1) / batch_size;
}

absl::StatusOr<std::unique_ptr<BatchLoader>> BatchLoader::Start(
    const Dataset& dataset, BatchPlan plan, uint64_t first_step,
    uint64_t end_step, const LoaderOptions& options, std::stop_token stop) {
  if (options.num_threads < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_threads must not be negative, got ", options.num_threads));
  }
  if (options.batches_ahead < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batches_ahead must be at least 1, got ", options.batches_ahead));
  }
  if (dataset.sample_size() < 1) {
    return absl::InvalidArgumentError("expected samples that have numbers");
  }
  std::unique_ptr<BatchLoader> loader(
      new BatchLoader(dataset, std::move(plan), first_step, end_step, options));
  const auto num_threads = options.num_threads > 0
                               ? static_cast<unsigned>(options.num_threads)
                               : std::thread::hardware_concurrency();
  for (unsigned i = 0; i < std::max(num_threads, 1u); ++i) {
    loader->workers_.emplace_back(&BatchLoader::WorkerMain, loader.get());
  }
  loader->on_stop_.emplace(std::move(stop),
                           [raw = loader.get()] { raw->Stop(); });
  return loader;
}

BatchLoader::BatchLoader(const Dataset& dataset, BatchPlan plan,
                         uint64_t first_step, uint64_t end_step,
                         const LoaderOptions& options)
    : dataset_(dataset),
      plan_(std::move(plan)),
      end_step_(end_step),
      options_(options),
      sample_size_(dataset.sample_size()),
      rows_at_once_(std::max<size_t>(1, kNumbersAtOnce / sample_size_)),
      next_step_(first_step) {}

BatchLoader::~BatchLoader() {
  on_stop_.reset();
  Stop();
  for (std::thread& worker : workers_) worker.join();
}

void BatchLoader::Stop() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  work_arrived_.notify_all();
  batch_done_.notify_all();
}

void BatchLoader::WorkerMain() {
  base::MutexLock lock(mutex_);
  for (;;) {
    Slot* slot = nullptr;
    work_arrived_.wait(lock, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return stopping_ || (slot = FindWork()) != nullptr;
    });
    if (stopping_) return;
    const size_t begin = slot->num_handed_out;
    const size_t end =
        std::min(begin + rows_at_once_, slot->batch.samples.size());
    slot->num_handed_out = end;
    lock.unlock();
    ReadRows(*slot, begin, end);
    lock.lock();
    slot->num_done += end - begin;
    if (slot->is_done()) batch_done_.notify_all();
  }
}

BatchLoader::Slot* BatchLoader::FindWork() {
  // Slots are opened when the one before is handed out, so that threads share
  // the batch that is needed first.
  for (;;) {
    if (!slots_.empty() &&
        slots_.back().num_handed_out < slots_.back().batch.samples.size()) {
      return &slots_.back();
    }
    if (next_step_ >= end_step_ || slots_.size() >= options_.batches_ahead) {
      return nullptr;
    }
    OpenSlot();
  }
}

void BatchLoader::OpenSlot() {
  Slot& slot = slots_.emplace_back();
  if (!used_.empty()) {
    slot.batch = std::move(used_.back());
    used_.pop_back();
  }
  slot.batch.step = next_step_;
  slot.batch.samples = plan_(next_step_);
  slot.batch.x.resize(slot.batch.samples.size() * sample_size_);
  slot.errors.resize(slot.batch.samples.size());
  ++next_step_;
  if (slot.is_done()) batch_done_.notify_all();  // A plan of no samples.
}

void BatchLoader::ReadRows(Slot& slot, size_t begin, size_t end) const {
  for (size_t row = begin; row < end; ++row) {
    const size_t sample = slot.batch.samples[row];
    slot.errors[row] =
        sample < dataset_.samples.size()
            ? dataset_.reader->Read(
                  sample, std::span(slot.batch.x)
                              .subspan(row * sample_size_, sample_size_))
            : absl::InternalError(absl::StrCat(
                  "step ", slot.batch.step, ": expected a sample below ",
                  dataset_.samples.size(), ", found ", sample));
  }
}

absl::StatusOr<Batch> BatchLoader::Next(Batch used) {
  base::MutexLock lock(mutex_);
  if (used.x.capacity() > 0) used_.push_back(std::move(used));
  absl::StatusOr<Slot> slot = TakeSlot(lock);
  lock.unlock();
  if (!slot.ok()) return slot.status();
  work_arrived_.notify_all();
  absl::StatusOr<Batch> batch = Finish(*std::move(slot));
  if (!batch.ok()) {
    lock.lock();
    failure_ = batch.status();
    lock.unlock();
    Stop();
  }
  return batch;
}

absl::StatusOr<BatchLoader::Slot> BatchLoader::TakeSlot(base::MutexLock& lock) {
  const auto is_done = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !slots_.empty() && slots_.front().is_done();
  };
  const auto is_over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return slots_.empty() && next_step_ >= end_step_;
  };
  batch_done_.wait(lock, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || is_done() || is_over();
  });
  if (!failure_.ok()) return failure_;
  if (stopping_) return absl::CancelledError("the loading of batches stopped");
  if (!is_done()) return absl::OutOfRangeError("there are no more batches");
  Slot slot = std::move(slots_.front());
  slots_.pop_front();
  return slot;
}

absl::StatusOr<Batch> BatchLoader::Finish(Slot slot) const {
  Batch& batch = slot.batch;
  batch.labels.clear();
  batch.domains.clear();
  batch.broken.clear();
  size_t num_rows = 0;
  for (size_t row = 0; row < slot.errors.size(); ++row) {
    const absl::Status& error = slot.errors[row];
    const size_t sample = batch.samples[row];
    if (!error.ok()) {
      if (options_.on_broken == OnBroken::kFail ||
          !base::FaultReason(error).has_value()) {
        return error;
      }
      batch.broken.push_back({sample, error});
      continue;
    }
    if (num_rows < row) {
      std::copy_n(&batch.x[row * sample_size_], sample_size_,
                  &batch.x[num_rows * sample_size_]);
      batch.samples[num_rows] = sample;
    }
    ++num_rows;
    batch.labels.push_back(dataset_.samples[sample].label);
    batch.domains.push_back(dataset_.samples[sample].domain);
  }
  batch.samples.resize(num_rows);
  batch.x.resize(num_rows * sample_size_);
  return std::move(batch);
}

}  // namespace ladder::trainer
