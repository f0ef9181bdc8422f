#include "client/command/watch/watch.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/threads.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "client/command/watch/exposition.h"
#include "client/command/watch/http_client.h"
#include "client/command/watch/watch_view.h"

namespace ladder::client {
namespace {

// While it lives, a terminal shows a screen of its own without a cursor, so
// that what stood there before comes back.
class OwnScreen {
 public:
  OwnScreen(std::ostream& out, bool is_terminal)
      : out_(out), is_terminal_(is_terminal) {
    if (is_terminal_) out_ << "\x1b[?1049h\x1b[?25l" << std::flush;
  }
  ~OwnScreen() {
    if (is_terminal_) out_ << "\x1b[?25h\x1b[?1049l" << std::flush;
  }
  OwnScreen(const OwnScreen&) = delete;
  OwnScreen& operator=(const OwnScreen&) = delete;

  // Draws over what is there, since clearing first would flicker.
  void Show(const std::string& text) {
    if (is_terminal_) {
      out_ << "\x1b[H" << absl::StrReplaceAll(text, {{"\n", "\x1b[K\n"}})
           << "\x1b[J" << std::flush;
    } else {
      out_ << (is_first_ ? "" : "\n") << text << std::flush;
    }
    is_first_ = false;
  }

 private:
  std::ostream& out_;
  const bool is_terminal_;
  bool is_first_ = true;
};

// The scrapes of one server, and what they show.
class Watcher {
 public:
  Watcher(const WatchOptions& options, const WatchSources& sources)
      : options_(options), sources_(sources) {}

  absl::Status Look(std::stop_token stop) {
    LADDER_ASSIGN_OR_RETURN(std::string text, sources_.scrape(std::move(stop)));
    absl::StatusOr<Exposition> metrics = Exposition::Parse(text);
    if (!metrics.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          options_.address,
          ": not Prometheus' text format: ", metrics.status().message()));
    }
    if (metrics->Samples("ladder_build_info").empty()) {
      return absl::NotFoundError(
          absl::StrCat(options_.address,
                       ": expected the metrics of a ladder-server, got "
                       "others; is this its metrics port?"));
    }
    Scrape scrape = {sources_.now(), *std::move(metrics)};
    view_ = ComputeWatchView(last_.has_value() ? &*last_ : nullptr, scrape);
    last_ = std::move(scrape);
    return absl::OkStatus();
  }

  // What to show after a look that went well.
  std::string View(const base::Terminal& terminal) const {
    return RenderWatchView(view_, options_.address, terminal);
  }

  // What to show after one that did not: the reason and, on a terminal, the
  // view before.
  std::string Loss(const absl::Status& status, base::Terminal terminal) const {
    const std::string last_heard =
        last_.has_value()
            ? absl::StrCat("last heard ",
                           base::DurationText(absl::Floor(
                               sources_.now() - last_->time, absl::Seconds(1))),
                           " ago, ")
            : "";
    std::string line = base::PrintableText(
        absl::StrCat("No answer, ", last_heard, "asking every ",
                     base::DurationText(options_.interval), ": ",
                     status.message()),
        terminal.utf8);
    if (terminal.columns > 0) {
      line = base::CutText(line, terminal.columns, terminal.utf8);
    }
    line = absl::StrCat(base::Styled(line, base::Style::kBad, terminal), "\n");
    if (terminal.rows < 3 || !last_.has_value()) return line;
    terminal.rows -= 1;
    return absl::StrCat(line, View(terminal));
  }

 private:
  const WatchOptions& options_;
  const WatchSources& sources_;
  std::optional<Scrape> last_;
  WatchView view_;
};

}  // namespace

absl::Status WatchOptions::Validate() const {
  if (interval < absl::Milliseconds(100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("interval: expected at least 0.1 s, got ",
                     absl::FormatDuration(interval)));
  }
  if (timeout <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("timeout: expected more than 0 s, got ",
                     absl::FormatDuration(timeout)));
  }
  return MetricsUrl(address).status();
}

WatchSources RealWatchSources(const WatchOptions& options, int fd) {
  auto client = std::make_shared<HttpClient>(options.timeout);
  return {.scrape = [client, address = options.address](
                        std::stop_token stop) -> absl::StatusOr<std::string> {
            LADDER_ASSIGN_OR_RETURN(const auto url, MetricsUrl(address));
            return client->Get(url, std::move(stop));
          },
          .now = [] { return absl::Now(); },
          .terminal = [fd] { return base::DescribeTerminal(fd); }};
}

absl::Status Watch(const WatchOptions& options, const WatchSources& sources,
                   std::ostream& out, std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  Watcher watcher(options, sources);
  if (options.once) {
    LADDER_RETURN_IF_ERROR(watcher.Look(stop));
    base::Terminal terminal = sources.terminal();
    terminal.rows = 0;  // What is printed once may be scrolled.
    out << watcher.View(terminal) << std::flush;
    return absl::OkStatus();
  }
  OwnScreen screen(out, sources.terminal().columns > 0);
  while (!stop.stop_requested()) {
    const absl::Status looked = watcher.Look(stop);
    if (stop.stop_requested()) break;
    const base::Terminal terminal = sources.terminal();
    screen.Show(looked.ok() ? watcher.View(terminal)
                            : watcher.Loss(looked, terminal));
    base::SleepFor(options.interval, stop);
  }
  return absl::OkStatus();
}

}  // namespace ladder::client
