#ifndef LADDER_CLIENT_COMMAND_WATCH_WATCH_H_
#define LADDER_CLIENT_COMMAND_WATCH_WATCH_H_

#include <functional>
#include <ostream>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/terminal/terminal.h"

namespace ladder::client {

struct WatchOptions {
  std::string address;  // The metrics port, as MetricsUrl takes it.
  absl::Duration interval = absl::Seconds(2);
  absl::Duration timeout = absl::Seconds(5);  // For one scrape.
  bool once = false;

  // InvalidArgument, naming the option and its value.
  absl::Status Validate() const;
};

// What a watch asks; all are called on its thread only.
struct WatchSources {
  std::function<absl::StatusOr<std::string>(std::stop_token)> scrape;
  std::function<absl::Time()> now;
  std::function<base::Terminal()>
      terminal;  // Asked each time: it may be resized.
};

// The server that `options`, which are valid, name; the clock; the terminal
// behind `fd`.
WatchSources RealWatchSources(const WatchOptions& options, int fd);

// Writes a view of the server to `out` again and again, until `stop` is
// requested: in place on a terminal, whose screen is given back at the end;
// elsewhere one below the other. A server that does not answer is shown as
// such, and asked again. With `once`, the first view is all.
//
// InvalidArgument for options; with `once`, also what is wrong with the server.
absl::Status Watch(const WatchOptions& options, const WatchSources& sources,
                   std::ostream& out, std::stop_token stop);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_WATCH_WATCH_H_
