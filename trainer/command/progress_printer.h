#ifndef LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_
#define LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "trainer/fit/fit_observer.h"

namespace ladder::trainer {

// Shows a run to people: on a terminal a bar that stays in place, elsewhere a
// line from time to time; each with samples per second, the time that is left
// and the losses. One caller at a time.
class ProgressPrinter : public FitObserver {
 public:
  using Clock = absl::Time (*)();

  // `out`, which must outlive the printer, is a terminal of so many columns; 0
  // if it is none.
  ProgressPrinter(std::ostream& out, size_t columns, Clock clock);
  ~ProgressPrinter() override;

  void Message(absl::string_view text) override;
  void Progress(const FitProgress& progress) override;

 private:
  std::string Line(const FitProgress& progress, absl::Duration elapsed) const;
  void EndBar();

  std::ostream& out_;
  const size_t columns_;
  const Clock clock_;
  std::string stage_;
  absl::Time stage_start_;
  uint64_t done_at_start_ = 0;  // When the stage was first heard of.
  uint64_t samples_at_start_ = 0;
  uint64_t last_done_ = 0;
  absl::Time last_line_ = absl::InfinitePast();
  size_t bar_width_ = 0;  // 0 unless the cursor is behind a bar.
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_PROGRESS_PRINTER_H_
