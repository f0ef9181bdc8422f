#ifndef LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_
#define LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/terminal/terminal.h"

namespace ladder::client {

// How far an upload of groups is.
struct UploadProgress {
  uint64_t groups_done = 0;
  uint64_t groups_total = 0;
  uint64_t samples_done = 0;
  uint64_t samples_total = 0;  // 0: unknown; groups tell the time left then.
  uint64_t out_of_coverage = 0;
  uint64_t failed = 0;
  uint64_t retries = 0;
};

// Shows an upload to people: on a terminal as a line that stays in place,
// elsewhere as a line whenever another tenth is done and every half minute.
// What was done at the first update, as after a resume, does not count as fast.
// One caller at a time.
class ProgressLine {
 public:
  using Clock = std::function<absl::Time()>;

  // `out` must outlive the line.
  ProgressLine(std::ostream& out, base::Terminal terminal, Clock clock);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Draws at most ten times a second, so it may be called for every sample.
  void Update(const UploadProgress& progress);

  // A line of its own, above the live one.
  void Message(absl::string_view text);

  // Draws the last update, if it was not, and ends the line. Further updates
  // begin a new one.
  void Finish();

 private:
  bool IsDue(absl::Time now) const;
  void Draw(absl::Time now);
  void Clear();
  std::string Line(absl::Duration elapsed) const;

  std::ostream& out_;
  const base::Terminal terminal_;
  const Clock clock_;
  bool started_ = false;
  absl::Time start_;
  UploadProgress first_;
  UploadProgress progress_;
  bool shown_ = true;  // Whether progress_ was drawn.
  absl::Time last_drawn_ = absl::InfinitePast();
  uint64_t last_tenth_ = 0;
  size_t width_ = 0;  // How wide the line at the cursor is; 0 if there is none.
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_
