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
  ~Server();  // Stops.

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

  // OK once every required model has a version to serve and until Stop is
  // called; otherwise why not.
  absl::Status CheckReady() const;

  // Says that it is not ready, turns new calls away, waits until those in
  // flight have finished, or for the configured time, and ends those that have
  // not. Returns when all is over; the first call counts.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SERVER_H_
