// ladder-server: serves bundles over gRPC until it is told to stop.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/config/command_line.h"
#include "server/config/server_config.h"
#include "server/observe/library_log.h"
#include "server/observe/line_writer.h"
#include "server/observe/log.h"
#include "server/server.h"

namespace ladder::server {
namespace {

constexpr int kUsageError = 2;
constexpr absl::Duration kLogPatience = absl::Seconds(2);

int Fail(const absl::Status& status, int exit_code) {
  LineWriter(STDERR_FILENO)
      .Write(absl::StrCat("ladder-server: ", status.message()));
  return exit_code;
}

// The last line of a server that `cannot` do something, after all that it
// logged. Takes seconds at most, whatever its reader does.
int FailAfterLog(absl::string_view cannot, const absl::Status& status,
                 LogFormat format, const Logger& logger) {
  if (format == LogFormat::kJson) {
    logger.Log(LogLevel::kError, cannot, {{"reason", status.message()}});
  }
  logger.Flush(kLogPatience);
  return format == LogFormat::kJson ? EXIT_FAILURE : Fail(status, EXIT_FAILURE);
}

// Raises the number of open files as far as it goes: every connection is one,
// and gRPC accepts none any more, ever, once there was no room for one.
void RaiseFileLimit() {
  constexpr rlim_t kPlenty = 1 << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kPlenty));
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The signals that the server obeys, kept from ending the process. To be called
// before there are threads, which inherit it.
sigset_t HoldSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Says once what is served, when that is known, reads files again at SIGHUP,
// and returns when a stop was asked for.
void ServeUntilStopped(const sigset_t& signals, LineWriter& out,
                       const Logger& logger, Server& server) {
  constexpr timespec kLook = {.tv_sec = 0, .tv_nsec = 20'000'000};
  for (bool told = false;;) {
    const int signal = told ? sigwaitinfo(&signals, nullptr)
                            : sigtimedwait(&signals, nullptr, &kLook);
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal == SIGHUP) {
      logger.Log(LogLevel::kInfo,
                 "SIGHUP: tokens and certificates are read again");
      server.Reload();
    }
    if (told) continue;
    if (const auto summary = server.Summary()) {
      out.Write(*summary);
      told = true;
    }
  }
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<CommandLine> line =
      ParseCommandLine(arguments, ProcessEnvironment());
  if (!line.ok()) return Fail(line.status(), kUsageError);
  if (line->answer.has_value()) {
    std::cout << *line->answer;
    return EXIT_SUCCESS;
  }
  RaiseFileLimit();
  const sigset_t signals = HoldSignals();
  // Who reads the log may go away.
  std::signal(SIGPIPE, SIG_IGN);
  const ObserveConfig& observe = line->config.observe;
  const Logger logger(
      {.format = observe.log_format, .level = observe.log_level});
  const LibraryLog library_log(logger);
  LineWriter out(STDOUT_FILENO);  // Whose reader may be stuck as well.
  for (const std::string& warning : line->warnings) {
    logger.Log(LogLevel::kWarn, warning);
  }
  const absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(line->config, logger);
  if (!server.ok()) {
    return FailAfterLog("cannot start", server.status(), observe.log_format,
                        logger);
  }
  ServeUntilStopped(signals, out, logger, **server);
  logger.Log(LogLevel::kInfo, "stopping");
  if (const absl::Status stopped = (*server)->Stop(); !stopped.ok()) {
    // Threads still use what would be destroyed.
    std::_Exit(
        FailAfterLog("cannot stop", stopped, observe.log_format, logger));
  }
  logger.Log(LogLevel::kInfo, "stopped");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ladder::server

int main(int argc, char** argv) {
  return ladder::server::Main({argv + 1, argv + argc});
}
