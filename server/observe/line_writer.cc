#include "server/observe/line_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "base/system/threads.h"

namespace ladder::server {
namespace {

// These take some ten megabytes if all lines are as long as they can be.
constexpr size_t kQueuedLines = 4096;

// Waits for as long as it takes. Returns how many bytes were written: fewer
// than there are if the system takes no more.
size_t WriteBytes(int descriptor, absl::string_view bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n =
        write(descriptor, bytes.data() + written, bytes.size() - written);
    if (n > 0) {
      written += static_cast<size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      // Somebody who shares the file does not want to wait for it.
      pollfd room = {.fd = descriptor, .events = POLLOUT, .revents = 0};
      poll(&room, 1, /*timeout=*/-1);
    } else if (n == 0 || errno != EINTR) {
      break;
    }
  }
  return written;
}

// Makes a reader that is gone an error of the calling thread's writes instead
// of the process's end.
void HoldPipeSignal() {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

}  // namespace

struct LineWriter::State {
  bool IsDone() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return lines.empty() && !writing;
  }

  // Returns when all is written or `patience` is over; false if the latter.
  bool WaitUntilDone(base::MutexLock& lock, absl::Duration patience)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return changed.wait_for(
        lock, base::WaitTime(patience),
        [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return IsDone(); });
  }

  base::Mutex mutex;
  std::condition_variable_any changed;
  std::deque<std::string> lines ABSL_GUARDED_BY(mutex);
  bool writing ABSL_GUARDED_BY(mutex) = false;  // A line that is not in lines.
  bool closed ABSL_GUARDED_BY(mutex) = false;
  bool given_up ABSL_GUARDED_BY(mutex) = false;  // All is counted already.
  uint64_t num_dropped ABSL_GUARDED_BY(mutex) = 0;
};

LineWriter::LineWriter(int descriptor, absl::Duration patience)
    : patience_(patience),
      state_(std::make_shared<State>()),
      // Its own descriptor, because it may outlive whose this one is. Where
      // there is none, nothing can be written, and all is counted.
      thread_([state = state_,
               own = fcntl(descriptor, F_DUPFD_CLOEXEC, /*from=*/0)] {
        HoldPipeSignal();
        Main(own, *state);
        if (own >= 0) close(own);
      }) {}

LineWriter::~LineWriter() { Close(); }

void LineWriter::Write(std::string line) {
  line += '\n';
  {
    const base::MutexLock lock(state_->mutex);
    if (state_->closed) {
      ++state_->num_dropped;
      return;
    }
    if (state_->lines.size() == kQueuedLines) {
      state_->lines.pop_front();
      ++state_->num_dropped;
    }
    state_->lines.push_back(std::move(line));
  }
  state_->changed.notify_all();
}

void LineWriter::Flush(absl::Duration patience) const {
  base::MutexLock lock(state_->mutex);
  state_->WaitUntilDone(lock, patience);
}

void LineWriter::Close() {
  if (!thread_.joinable()) return;
  bool done = false;
  {
    base::MutexLock lock(state_->mutex);
    state_->closed = true;
    state_->changed.notify_all();
    done = state_->WaitUntilDone(lock, patience_);
    if (!done) {
      state_->given_up = true;
      state_->num_dropped += state_->lines.size() + (state_->writing ? 1 : 0);
      state_->lines.clear();
    }
  }
  if (done) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

uint64_t LineWriter::num_dropped() const {
  const base::MutexLock lock(state_->mutex);
  return state_->num_dropped;
}

void LineWriter::Main(int descriptor, State& state) {
  bool within_line = false;  // Of a line that was not written whole.
  base::MutexLock lock(state.mutex);
  for (;;) {
    state.changed.wait(lock, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(state.mutex) {
      return state.closed || !state.lines.empty();
    });
    if (state.lines.empty()) return;
    std::string text = std::move(state.lines.front());
    state.lines.pop_front();
    state.writing = true;
    lock.unlock();
    if (within_line) text.insert(0, 1, '\n');
    const size_t written = WriteBytes(descriptor, text);
    if (written > 0) within_line = text[written - 1] != '\n';
    lock.lock();
    if (state.given_up) return;
    state.writing = false;
    if (written < text.size()) ++state.num_dropped;
    state.changed.notify_all();
  }
}

}  // namespace ladder::server
