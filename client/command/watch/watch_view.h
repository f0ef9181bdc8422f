#ifndef LADDER_CLIENT_COMMAND_WATCH_WATCH_VIEW_H_
#define LADDER_CLIENT_COMMAND_WATCH_WATCH_VIEW_H_

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/terminal/bars.h"
#include "base/terminal/terminal.h"
#include "client/command/watch/exposition.h"

namespace ladder::client {

// One answer of a server's metrics port.
struct Scrape {
  absl::Time time;
  Exposition metrics;
};

// What an operator wants to know of a server, from its metrics. Rates and
// latencies are those of a period, counts are since the server's start.
struct WatchView {
  struct Latency {
    std::string name;  // Names a call, a model's groups, or a stage.
    double per_second = 0;
    double p50 = 0;  // Seconds; NaN if there was none in the period.
    double p90 = 0;
    double p99 = 0;
    double in_flight = 0;  // NaN for what is not a call.
    // How often each status code came in the period.
    std::vector<std::pair<std::string, double>> codes_per_second;
  };
  struct Model {
    std::string name;
    std::string versions;  // "3, 4"
    double groups_per_second = 0;
    double samples_per_second = 0;
    double mean_batch = 0;                // NaN if there was none.
    std::array<double, 4> verdicts = {};  // In the order of kVerdicts.
  };
  struct Group {
    std::string model;
    std::string name;
    double effective_experts = 0;
    std::vector<base::NamedShare> weights = {};
  };
  static constexpr std::array<absl::string_view, 4> kVerdicts = {
      "IN", "EDGE", "OUT", "UNKNOWN"};

  std::string server_version;
  absl::Duration uptime;
  absl::Duration period;
  bool since_start = false;  // The period is the uptime.
  double memory_bytes = 0;
  double queued_samples = 0;
  std::vector<Model> models;
  std::vector<Latency> latencies;  // What was idle in the period is left out.
  std::vector<Group> groups;       // The latest first.
};

// The period is that between the scrapes, or since the server's start if there
// is no older one or the server has started anew.
WatchView ComputeWatchView(const Scrape* older, const Scrape& newer);

// The view as lines that end in '\n'. On a terminal they leave its last row
// free, and there are as many groups as fit. `address` is how people call the
// server.
std::string RenderWatchView(const WatchView& view, absl::string_view address,
                            const base::Terminal& terminal);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_WATCH_WATCH_VIEW_H_
