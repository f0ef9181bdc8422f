#ifndef LADDER_BASE_TERMINAL_LIVE_LINE_H_
#define LADDER_BASE_TERMINAL_LIVE_LINE_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/text/text.h"

namespace ladder::base {

// A line that tells people again and again how far something is: in place on a
// terminal, elsewhere one below the other. One caller at a time.
class LiveLine {
 public:
  using Clock = std::function<absl::Time()>;

  // `out`, which must outlive the line, is a terminal of so many columns; 0 if
  // it is none, and lines are then due `between_lines`.
  LiveLine(std::ostream& out, size_t columns, Clock clock,
           absl::Duration between_lines)
      : out_(out),
        is_terminal_(columns > 0),
        clock_(std::move(clock)),
        between_(is_terminal_ ? absl::Milliseconds(100) : between_lines) {}
  ~LiveLine() { End(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // The time since the first call of this after the construction or Restart.
  absl::Duration Elapsed() {
    start_ = std::min(start_, clock_());
    return clock_() - start_;
  }

  // True if the last drawing is long enough ago: a tenth of a second on a
  // terminal, so that one may ask for every sample.
  bool IsDue() const { return clock_() - last_drawn_ >= between_; }

  // On a terminal, `line` must be narrower than that: a full one would leave
  // the cursor in the next line, where no '\r' leads back from.
  void Draw(const std::string& line) {
    last_drawn_ = clock_();
    if (!is_terminal_) {
      out_ << line << std::endl;
      return;
    }
    // Spaces over what the line before has left.
    const size_t width = TextWidth(line);
    out_ << '\r' << line << std::string(std::max(width_, width) - width, ' ')
         << std::flush;
    width_ = width;
  }

  // Wipes out the line that the cursor is behind; false if there is none.
  bool Clear() {
    if (width_ > 0) out_ << '\r' << std::string(width_, ' ') << '\r';
    return std::exchange(width_, 0) > 0;
  }

  // Goes to the next line, if the cursor is behind one.
  void End() {
    if (std::exchange(width_, 0) > 0) out_ << std::endl;
  }

  // Ends the line, and begins to measure time anew: the next one is due.
  void Restart() {
    End();
    start_ = absl::InfiniteFuture();
    last_drawn_ = absl::InfinitePast();
  }

 private:
  std::ostream& out_;
  const bool is_terminal_;
  const Clock clock_;
  const absl::Duration between_;
  absl::Time start_ = absl::InfiniteFuture();
  absl::Time last_drawn_ = absl::InfinitePast();
  size_t width_ = 0;  // Of the line that the cursor is behind; 0 if none.
};

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_LIVE_LINE_H_
