#ifndef LADDER_SERVER_RPC_HEALTH_H_
#define LADDER_SERVER_RPC_HEALTH_H_

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"
#include "grpc/health/v1/health.pb.h"
#include "server/rpc/call.h"
#include "server/rpc/call_table.h"

namespace ladder::server {

// gRPC's health checking protocol. The library has such a service too, but it
// lets anybody open as many streams as they like.
//
// Thread-safe.
class Health {
 public:
  using Status = grpc::health::v1::HealthCheckResponse::ServingStatus;

  // Of this service it is always said that it serves: the process answers.
  static constexpr char kLive[] = "live";

  // `services` are the full names that can be asked for; kLive and the empty
  // one, for the server as a whole, are always there. Not serving at first.
  explicit Health(std::vector<std::string> services);

  // Adds Check and Watch, which need no token. `services` and this must outlive
  // the table.
  void AddTo(const RpcServices& services, CallTable& table);

  // What is said of every service; those who watch are told changes only.
  void SetServing(bool serving);

  // Not serving from now on, whatever SetServing is told.
  void Stop();

  // SERVICE_UNKNOWN if there is no such service.
  Status StatusOf(const std::string& service) const;

 private:
  class WatchCall;

  void Change(bool serving, bool stop);
  // ResourceExhausted if too many watch, altogether or from one address.
  absl::Status Enter(const std::shared_ptr<WatchCall>& call,
                     const std::string& client);
  void Leave(const std::string& client);

  const std::set<std::string> services_;
  mutable base::Mutex mutex_;
  bool serving_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<WatchCall>> watchers_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, size_t> num_watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_HEALTH_H_
