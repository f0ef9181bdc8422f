#include <unistd.h>

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "base/terminal/exit_code.h"
#include "base/text/text.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"
#include "client/command/watch/http_client.h"
#include "client/command/watch/watch.h"

namespace ladder::client {
namespace {

constexpr char kWatchFooter[] =
    "Examples:\n"
    "  ladder watch\n"
    "  ladder watch 10.0.0.7:8002 --interval 5\n"
    "  ladder watch --once > state.txt";

struct WatchArguments {
  WatchOptions options = {.address = "localhost"};
  double interval_seconds = 2;
  double timeout_seconds = 5;
};

absl::StatusOr<int> WatchServer(const WatchArguments& arguments,
                                const Context& context) {
  WatchOptions options = arguments.options;
  options.interval = absl::Seconds(arguments.interval_seconds);
  options.timeout = absl::Seconds(arguments.timeout_seconds);
  const absl::Status status =
      Watch(options, RealWatchSources(options, STDOUT_FILENO), context.out,
            context.stop);
  if (status.ok()) return base::kExitOk;
  if (!absl::IsUnavailable(status)) return status;
  // Fail would advise on the gRPC address.
  context.err << "ladder: "
              << base::PrintableText(status.message(),
                                     context.err_terminal.utf8)
              << "\nIs the server running, and this its metrics port?\n";
  return base::kExitUnavailable;
}

}  // namespace

void AddWatch(CLI::App& parent, Run& run) {
  auto arguments = std::make_shared<WatchArguments>();
  CLI::App& app =
      AddCommand(parent, run, "watch",
                 "show a server's models, latencies and latest groups, live",
                 kWatchFooter, arguments, WatchServer);
  app.add_option("ADDRESS", arguments->options.address,
                 "metrics port: HOST, HOST:PORT or http://...; port 8002 "
                 "unless named")
      ->check(CheckedBy(MetricsUrl))
      ->capture_default_str();
  app.add_option("--interval", arguments->interval_seconds,
                 "seconds between two looks")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--timeout", arguments->timeout_seconds,
                 "seconds that one look may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--once", arguments->options.once, "one look, then end");
}

}  // namespace ladder::client
