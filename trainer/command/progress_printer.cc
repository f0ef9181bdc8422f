#include "trainer/command/progress_printer.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/terminal/bars.h"
#include "base/text/quantities.h"

namespace ladder::trainer {
namespace {

constexpr size_t kBarWidth = 24;
constexpr absl::Duration kBetweenLines = absl::Seconds(10);

}  // namespace

ProgressPrinter::ProgressPrinter(std::ostream& out, size_t columns,
                                 base::LiveLine::Clock clock)
    : out_(out),
      columns_(columns),
      line_(out, columns, std::move(clock), kBetweenLines) {}

void ProgressPrinter::Message(absl::string_view text) {
  line_.End();
  out_ << std::string(text) << std::endl;
}

void ProgressPrinter::Progress(const FitProgress& progress) {
  // A stage that begins again, for another bundle, is a new one.
  if (stage_ != progress.stage || progress.done < last_done_) {
    line_.Restart();
    stage_ = std::string(progress.stage);
    done_at_start_ = progress.done;
    samples_at_start_ = progress.samples;
  }
  last_done_ = progress.done;
  const absl::Duration elapsed = line_.Elapsed();
  const bool is_last = progress.done == progress.total;
  if (!is_last && !line_.IsDue()) return;
  const size_t max_width = columns_ > 0 ? columns_ - 1 : std::string::npos;
  line_.Draw(Line(progress, elapsed).substr(0, max_width));
  if (is_last) line_.End();
}

std::string ProgressPrinter::Line(const FitProgress& progress,
                                  absl::Duration elapsed) const {
  const double share = progress.total == 0
                           ? 1
                           : static_cast<double>(progress.done) /
                                 static_cast<double>(progress.total);
  std::string bar = base::Bar(share, kBarWidth, /*utf8=*/false);
  bar.resize(kBarWidth, '.');
  std::string line = absl::StrFormat("%s [%s] %d/%d", stage_, bar,
                                     progress.done, progress.total);
  const double seconds = absl::ToDoubleSeconds(elapsed);
  const uint64_t done = progress.done - done_at_start_;
  if (seconds > 0 && done > 0) {
    absl::StrAppendFormat(
        &line, ", %.0f samples/s, %s left",
        static_cast<double>(progress.samples - samples_at_start_) / seconds,
        base::DurationText(
            elapsed * (static_cast<double>(progress.total - progress.done) /
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
