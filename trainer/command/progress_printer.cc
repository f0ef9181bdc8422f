#include "trainer/command/progress_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::trainer {
namespace {

constexpr size_t kBarWidth = 24;
constexpr absl::Duration kBetweenBars = absl::Milliseconds(100);
constexpr absl::Duration kBetweenLines = absl::Seconds(10);

std::string ProgressBar(double share) {
  const auto full = static_cast<size_t>(share * kBarWidth);
  return absl::StrCat("[", std::string(full, '#'),
                      std::string(kBarWidth - full, '.'), "]");
}

// "1:02:03" or "2:03".
std::string TimeText(absl::Duration duration) {
  const int64_t seconds =
      absl::ToInt64Seconds(duration + absl::Milliseconds(500));
  const int64_t hours = seconds / 3600;
  const int64_t minutes = seconds / 60 % 60;
  return hours > 0
             ? absl::StrFormat("%d:%02d:%02d", hours, minutes, seconds % 60)
             : absl::StrFormat("%d:%02d", minutes, seconds % 60);
}

}  // namespace

ProgressPrinter::ProgressPrinter(std::ostream& out, size_t columns, Clock clock)
    : out_(out), columns_(columns), clock_(clock) {}

ProgressPrinter::~ProgressPrinter() { EndBar(); }

void ProgressPrinter::EndBar() {
  if (bar_width_ > 0) out_ << std::endl;
  bar_width_ = 0;
}

void ProgressPrinter::Message(absl::string_view text) {
  EndBar();
  out_ << std::string(text) << std::endl;
}

void ProgressPrinter::Progress(const FitProgress& progress) {
  const absl::Time now = clock_();
  // A stage that begins again, for another bundle, is a new one.
  if (stage_ != progress.stage || progress.done < last_done_) {
    EndBar();
    stage_ = std::string(progress.stage);
    stage_start_ = now;
    done_at_start_ = progress.done;
    samples_at_start_ = progress.samples;
    last_line_ = absl::InfinitePast();
  }
  last_done_ = progress.done;
  const bool is_last = progress.done == progress.total;
  const absl::Duration between = columns_ > 0 ? kBetweenBars : kBetweenLines;
  if (!is_last && now - last_line_ < between) return;
  last_line_ = now;
  std::string line = Line(progress, now - stage_start_);
  if (columns_ == 0) {
    out_ << line << std::endl;
    return;
  }
  // A longer one would go on in the next line, where no '\r' leads back from.
  line = line.substr(0, columns_ - 1);
  const size_t width = line.size();
  // Spaces over what the line before has left.
  line.append(bar_width_ > width ? bar_width_ - width : 0, ' ');
  out_ << '\r' << line << std::flush;
  bar_width_ = width;
  if (is_last) EndBar();
}

std::string ProgressPrinter::Line(const FitProgress& progress,
                                  absl::Duration elapsed) const {
  const double share = progress.total == 0
                           ? 1
                           : static_cast<double>(progress.done) /
                                 static_cast<double>(progress.total);
  std::string line = absl::StrFormat("%s %s %d/%d", stage_, ProgressBar(share),
                                     progress.done, progress.total);
  const double seconds = absl::ToDoubleSeconds(elapsed);
  const uint64_t done = progress.done - done_at_start_;
  if (seconds > 0 && done > 0) {
    absl::StrAppendFormat(
        &line, ", %.0f samples/s, %s left",
        static_cast<double>(progress.samples - samples_at_start_) / seconds,
        TimeText(elapsed *
                 (static_cast<double>(progress.total - progress.done) /
                  static_cast<double>(done))));
  }
  const char* separator = " | ";
  for (const auto& [name, value] : progress.losses) {
    absl::StrAppendFormat(&line, "%s%s %.3g", separator, name, value);
    separator = " ";
  }
  return line;
}

}  // namespace ladder::trainer
