#ifndef LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_
#define LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/terminal/live_line.h"
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
  uint64_t rejected = 0;  // Samples.
  uint64_t retries = 0;
};

// Shows an upload to people: on a terminal as a line that stays in place,
// elsewhere as a line whenever another tenth is done and every half minute.
// What was done at the first update, as after a resume, does not count as fast.
// One caller at a time.
class ProgressLine {
 public:
  using Clock = base::LiveLine::Clock;

  // `out` must outlive the line.
  ProgressLine(std::ostream& out, base::Terminal terminal, Clock clock);
  ~ProgressLine() { Finish(); }

  // Draws at most ten times a second, so it may be called for every sample.
  void Update(const UploadProgress& progress);

  // A line of its own, above the live one.
  void Message(absl::string_view text);

  // Draws the last update, if it was not, and ends the line. Further updates
  // begin a new one.
  void Finish();

 private:
  void Draw();
  std::string Text(absl::Duration elapsed) const;

  std::ostream& out_;
  const base::Terminal terminal_;
  base::LiveLine line_;
  std::optional<UploadProgress> first_;
  UploadProgress progress_;
  bool shown_ = true;  // Whether progress_ was drawn.
  uint64_t last_tenth_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_PROGRESS_LINE_H_
