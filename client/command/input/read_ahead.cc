#include "client/command/input/read_ahead.h"

#include <condition_variable>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/system/mutex.h"

namespace ladder::client {
namespace {

class ReadAheadReader : public SampleReader {
 public:
  ReadAheadReader(std::unique_ptr<SampleReader> reader, size_t max_bytes)
      : max_bytes_(max_bytes), reader_(std::move(reader)) {
    Start();
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
    v1::Samples chunk = std::move(chunks_.front());
    chunks_.pop_front();
    num_bytes_ -= chunk.ByteSizeLong();
    lock.unlock();
    changed_.notify_all();
    return chunk;
  }

  absl::Status Rewind() override {
    thread_ = std::jthread();  // Waits for the chunk that is being read.
    const absl::Status status = reader_->Rewind();
    {
      const base::MutexLock lock(mutex_);
      chunks_.clear();
      num_bytes_ = 0;
      at_end_ = !status.ok();
      end_status_ = status;
    }
    if (status.ok()) Start();
    return status;
  }

 private:
  void Start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { Main(stop); });
  }

  // Reads until the end, an error, or the stop.
  void Main(const std::stop_token& stop) {
    bool has_chunk = true;
    while (has_chunk) {
      base::MutexLock lock(mutex_);
      changed_.wait(lock, stop, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return num_bytes_ < max_bytes_;
      });
      if (stop.stop_requested()) return;
      lock.unlock();
      absl::StatusOr<std::optional<v1::Samples>> next = reader_->Next();
      has_chunk = next.ok() && next->has_value();
      lock.lock();
      if (has_chunk) {
        num_bytes_ += (*next)->ByteSizeLong();
        chunks_.push_back(**std::move(next));
      } else {
        at_end_ = true;
        end_status_ = next.status();
      }
      changed_.notify_all();
    }
  }

  const size_t max_bytes_;
  const std::unique_ptr<SampleReader> reader_;  // The thread's while it runs.
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<v1::Samples> chunks_ ABSL_GUARDED_BY(mutex_);
  size_t num_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // The sum over chunks_.
  bool at_end_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status end_status_ ABSL_GUARDED_BY(mutex_);  // Why, if by an error.
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<SampleReader> ReadAhead(std::unique_ptr<SampleReader> reader,
                                        size_t max_bytes) {
  return std::make_unique<ReadAheadReader>(std::move(reader), max_bytes);
}

}  // namespace ladder::client
