#ifndef LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_
#define LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/terminal/live_line.h"
#include "trainer/fit/fit_observer.h"

namespace ladder::trainer {

// Shows a run to people: on a terminal a bar that stays in place, elsewhere a
// line from time to time; each with samples per second, the time that is left
// and the losses. One caller at a time.
class ProgressPrinter : public FitObserver {
 public:
  // `out`, which must outlive the printer, is a terminal of so many columns; 0
  // if it is none.
  ProgressPrinter(std::ostream& out, size_t columns,
                  base::LiveLine::Clock clock);

  void Message(absl::string_view text) override;
  void Progress(const FitProgress& progress) override;

 private:
  std::string Line(const FitProgress& progress, absl::Duration elapsed) const;

  std::ostream& out_;
  const size_t columns_;
  base::LiveLine line_;
  std::string stage_;
  uint64_t done_at_start_ = 0;  // When the stage was first heard of.
  uint64_t samples_at_start_ = 0;
  uint64_t last_done_ = 0;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_
