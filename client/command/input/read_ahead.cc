#include "client/command/input/read_ahead.h"

#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/system/mutex.h"

namespace ladder::client {
namespace {

class ReadAheadReader : public SampleReader {
 public:
  ReadAheadReader(std::unique_ptr<SampleReader> reader, size_t max_bytes)
      : max_bytes_(max_bytes),
        reader_(std::move(reader)),
        thread_([this] { Main(); }) {}

  ~ReadAheadReader() override {
    {
      const base::MutexLock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    base::MutexLock lock(mutex_);
    changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return !chunks_.empty() || at_end_;
    });
    if (chunks_.empty()) {
      if (!end_status_.ok()) return end_status_;
      return std::nullopt;
    }
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    num_bytes_ -= chunk.num_bytes;
    lock.unlock();
    changed_.notify_all();
    return std::move(chunk.samples);
  }

  absl::Status Rewind() override {
    base::MutexLock lock(mutex_);
    rewinding_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return !rewinding_;
    });
    return rewind_status_;
  }

 private:
  struct Chunk {
    v1::Samples samples = {};
    size_t num_bytes = 0;
  };

  void Main() {
    base::MutexLock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return stopping_ || rewinding_ || (!at_end_ && num_bytes_ < max_bytes_);
      });
      if (stopping_) return;
      if (rewinding_) {
        RewindNow();
        continue;
      }
      lock.unlock();
      absl::StatusOr<std::optional<v1::Samples>> next = reader_->Next();
      const absl::Status status = next.status();
      const bool has_chunk = status.ok() && next->has_value();
      Chunk chunk;
      if (has_chunk) {
        chunk.samples = **std::move(next);
        chunk.num_bytes = chunk.samples.ByteSizeLong();
      }
      lock.lock();
      if (rewinding_) continue;
      if (has_chunk) {
        num_bytes_ += chunk.num_bytes;
        chunks_.push_back(std::move(chunk));
      } else {
        at_end_ = true;
        end_status_ = status;
      }
      changed_.notify_all();
    }
  }

  // The caller waits meanwhile, so that the lock is in nobody's way.
  void RewindNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    rewind_status_ = reader_->Rewind();
    chunks_.clear();
    num_bytes_ = 0;
    at_end_ = !rewind_status_.ok();
    end_status_ = rewind_status_;
    rewinding_ = false;
    changed_.notify_all();
  }

  const size_t max_bytes_;
  const std::unique_ptr<SampleReader> reader_;  // The thread's.
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Chunk> chunks_ ABSL_GUARDED_BY(mutex_);
  size_t num_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // The sum over chunks_.
  bool at_end_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status end_status_ ABSL_GUARDED_BY(mutex_);  // Why, if by an error.
  bool rewinding_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status rewind_status_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<SampleReader> ReadAhead(std::unique_ptr<SampleReader> reader,
                                        size_t max_bytes) {
  return std::make_unique<ReadAheadReader>(std::move(reader), max_bytes);
}

}  // namespace ladder::client
