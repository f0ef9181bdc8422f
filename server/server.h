#ifndef LADDER_SERVER_SERVER_H_
#define LADDER_SERVER_SERVER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"

namespace ladder::server {

// A whole server in this process: store, engine, RPCs, probes and metrics.
//
// Thread-safe.
class Server {
 public:
  // Listens and begins to load models. Expects a valid configuration; `logger`
  // must outlive the server. An error says in one line what cannot be had: the
  // store, a port, the device, a certificate.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerConfig& config, const Logger& logger);
  // Stops, however long that takes.
  ~Server();

  // Where it listens; 0 for what it does not serve.
  struct Ports {
    int grpc = 0;
    int http = 0;
    int metrics = 0;
  };
  const Ports& ports() const;

  // One line on where it listens, on which device, with which models; none
  // while models are still being loaded.
  std::optional<std::string> Summary() const;

  // OK while what is asked of it can be served, until Stop is called; otherwise
  // why not.
  absl::Status CheckReady() const;

  // Reads the files of tokens and certificates now instead of when their time
  // has come. What cannot be used is logged, and what was in use stays.
  void Reload();

  // Says that it is not ready, turns new calls away, calls off loads, waits
  // until calls in flight have finished, or for the configured time, and ends
  // those that have not. OK when all is over. DeadlineExceeded, with what has
  // not ended, if that takes longer than the configured grace on top: then the
  // process should end without destroying the server, which is still in use.
  // The first call counts.
  absl::Status Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SERVER_H_
