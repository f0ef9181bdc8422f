#ifndef LADDER_SERVER_OBSERVE_RPC_METRICS_H_
#define LADDER_SERVER_OBSERVE_RPC_METRICS_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/by_label.h"

namespace ladder::server {

// Counts calls by RPC. Thread-safe.
class RpcMetrics {
 public:
  // Every RPC that is not one of `rpcs` is called "other". `registry` must
  // outlive this.
  RpcMetrics(std::span<const std::string> rpcs, prometheus::Registry& registry);

  void Started(absl::string_view rpc);
  void Ended(absl::string_view rpc, absl::StatusCode code,
             absl::Duration duration);

 private:
  struct Rpc {
    prometheus::Gauge& in_flight;
    prometheus::Histogram& duration;
    ByLabel<prometheus::Counter*> requests;  // By code.
  };

  std::unique_ptr<Rpc> MakeRpc(const std::string& name);
  Rpc& Find(absl::string_view rpc);

  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Gauge>& in_flight_;
  prometheus::Family<prometheus::Histogram>& duration_;
  // Filled by the constructor, and never changed: no lock is needed.
  absl::flat_hash_map<std::string, std::unique_ptr<Rpc>> rpcs_;
  std::unique_ptr<Rpc> other_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_RPC_METRICS_H_
