// ladder-server: serves bundles over gRPC until it is told to stop.

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/command_line.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"
#include "server/server.h"

namespace ladder::server {
namespace {

constexpr int kUsageError = 2;

int Fail(const absl::Status& status, int exit_code) {
  std::cerr << "ladder-server: " << status.message() << '\n';
  return exit_code;
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

// The signals that ask to stop, kept from ending the process. To be called
// before there are threads, which inherit it.
sigset_t HoldStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Says once what is served, when that is known, and returns when a stop was
// asked for.
void ServeUntil(const sigset_t& stop_signals, const Server& server) {
  constexpr timespec kLook = {.tv_sec = 0, .tv_nsec = 20'000'000};
  while (sigtimedwait(&stop_signals, nullptr, &kLook) < 0) {
    if (const auto summary = server.Summary()) {
      std::cout << *summary << std::endl;
      int signal = 0;
      sigwait(&stop_signals, &signal);
      return;
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
  const sigset_t stop_signals = HoldStopSignals();
  // Who reads the log may go away.
  std::signal(SIGPIPE, SIG_IGN);
  const ObserveConfig& observe = line->config.observe;
  const Logger logger(
      {.format = observe.log_format, .level = observe.log_level});
  for (const std::string& warning : line->warnings) {
    logger.Log(LogLevel::kWarn, warning);
  }
  const absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(line->config, logger);
  if (!server.ok()) return Fail(server.status(), EXIT_FAILURE);
  ServeUntil(stop_signals, **server);
  logger.Log(LogLevel::kInfo, "stopping");
  (*server)->Stop();
  logger.Log(LogLevel::kInfo, "stopped");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ladder::server

int main(int argc, char** argv) {
  return ladder::server::Main({argv + 1, argv + argc});
}
