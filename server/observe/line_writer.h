#ifndef LADDER_SERVER_OBSERVE_LINE_WRITER_H_
#define LADDER_SERVER_OBSERVE_LINE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"

namespace ladder::server {

// Writes lines to a file, a pipe or a terminal. A thread of its own does so,
// behind a bounded queue: callers never wait for a slow or stuck reader.
//
// Lines are dropped, and counted, if the queue is full (the oldest ones), if
// the system does not take them (a full disk, a reader that is gone) and if
// they still wait when the time to close is over. What is left of a line that
// was written in part ends before the next one begins.
//
// Thread-safe.
class LineWriter {
 public:
  // Writes to a duplicate of `descriptor`. `patience` is what Close takes at
  // most.
  explicit LineWriter(int descriptor,
                      absl::Duration patience = absl::Seconds(2));
  ~LineWriter();  // Closes.

  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // `line` comes without its end.
  void Write(std::string line);

  // Waits until all lines are written or dropped, but not longer than
  // `patience`.
  void Flush(absl::Duration patience) const;

  // Takes no more lines, and writes those that wait. The first call counts; it
  // must not be made from two threads at once.
  void Close();

  uint64_t num_dropped() const;

 private:
  struct State;

  static void Main(int descriptor, State& state);

  const absl::Duration patience_;
  // Shared with the thread, which is left behind if it is stuck in a write.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_LINE_WRITER_H_
