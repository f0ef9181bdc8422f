#include "client/command/progress_line.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/terminal/bars.h"
#include "base/text/quantities.h"
#include "base/text/text.h"

namespace ladder::client {
namespace {

constexpr size_t kProgressBarWidth = 20;
constexpr absl::Duration kBetweenLines = absl::Seconds(30);

double Ratio(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The share is counted in samples if their number is known, because groups
// differ in size.
double ShareDone(const UploadProgress& progress) {
  if (progress.samples_total > 0) {
    return Ratio(progress.samples_done, progress.samples_total);
  }
  if (progress.groups_total > 0) {
    return Ratio(progress.groups_done, progress.groups_total);
  }
  return 0;
}

uint64_t Tenth(const UploadProgress& progress) {
  return static_cast<uint64_t>(10 * ShareDone(progress));
}

std::string FramedBar(double share, bool utf8) {
  std::string bar = base::Bar(share, kProgressBarWidth, utf8);
  bar.append(kProgressBarWidth - base::TextWidth(bar), utf8 ? ' ' : '.');
  return absl::StrCat(utf8 ? "▕" : "[", bar, utf8 ? "▏" : "]");
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, base::Terminal terminal,
                           Clock clock)
    : out_(out),
      terminal_(terminal),
      line_(out, terminal.columns, std::move(clock), kBetweenLines) {}

void ProgressLine::Update(const UploadProgress& progress) {
  line_.Elapsed();  // Counts from the first update on.
  if (!first_.has_value()) first_ = progress;
  progress_ = progress;
  shown_ = false;
  const bool is_log = terminal_.columns == 0;
  if (line_.IsDue() || (is_log && Tenth(progress_) > last_tenth_)) Draw();
}

void ProgressLine::Message(absl::string_view text) {
  const bool was_live = line_.Clear();
  out_ << base::PrintableText(text, terminal_.utf8) << '\n';
  if (was_live) Draw();
  out_ << std::flush;
}

void ProgressLine::Finish() {
  if (!shown_) Draw();
  line_.Restart();
  first_.reset();
  last_tenth_ = 0;
}

void ProgressLine::Draw() {
  last_tenth_ = Tenth(progress_);
  shown_ = true;
  const std::string text = Text(line_.Elapsed());
  line_.Draw(terminal_.columns == 0
                 ? text
                 : base::CutText(text, terminal_.columns - 1, terminal_.utf8));
}

std::string ProgressLine::Text(absl::Duration elapsed) const {
  const double share = ShareDone(progress_);
  std::string line;
  if (terminal_.columns > 0) {
    line = absl::StrCat(FramedBar(share, terminal_.utf8), " ");
  }
  absl::StrAppend(&line, base::CountText(progress_.groups_done), "/",
                  base::CountText(progress_.groups_total), " groups, ",
                  base::CountText(progress_.samples_done), " samples");
  const double seconds = absl::ToDoubleSeconds(elapsed);
  if (seconds > 0 && progress_.samples_done > first_->samples_done) {
    absl::StrAppend(
        &line, ", ",
        base::NumberText(
            static_cast<double>(progress_.samples_done - first_->samples_done) /
            seconds),
        "/s");
  }
  const double gained = share - ShareDone(*first_);
  if (seconds > 0 && gained > 0 && share < 1) {
    const absl::Duration left = elapsed * ((1 - share) / gained);
    absl::StrAppend(&line, ", ",
                    base::DurationText(absl::Ceil(left, absl::Seconds(1))),
                    " left");
  }
  const std::pair<uint64_t, absl::string_view> remarks[] = {
      {progress_.out_of_coverage, "out of coverage"},
      {progress_.failed, "failed"},
      {progress_.rejected, "samples rejected"},
      {progress_.retries, "retries"}};
  for (const auto& [count, what] : remarks) {
    if (count > 0)
      absl::StrAppend(&line, ", ", base::CountText(count), " ", what);
  }
  return line;
}

}  // namespace ladder::client
