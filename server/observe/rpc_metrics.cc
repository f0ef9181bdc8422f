#include "server/observe/rpc_metrics.h"

#include "server/observe/buckets.h"

namespace ladder::server {
namespace {}  // namespace

RpcMetrics::RpcMetrics(std::span<const std::string> rpcs,
                       prometheus::Registry& registry)
    : requests_(prometheus::BuildCounter()
                    .Name("ladder_requests_total")
                    .Help("Ended calls by RPC and status code.")
                    .Register(registry)),
      in_flight_(prometheus::BuildGauge()
                     .Name("ladder_in_flight_requests")
                     .Help("Calls that have begun and not ended, by RPC.")
                     .Register(registry)),
      duration_(prometheus::BuildHistogram()
                    .Name("ladder_request_duration_seconds")
                    .Help("Time from a call's begin to its end, by RPC.")
                    .Register(registry)) {
  for (const std::string& rpc : rpcs) rpcs_.try_emplace(rpc, MakeRpc(rpc));
  other_ = MakeRpc("other");
}

std::unique_ptr<RpcMetrics::Rpc> RpcMetrics::MakeRpc(const std::string& name) {
  const auto make_counter = [this, name](const std::string& code) {
    return &requests_.Add({{"rpc", name}, {"code", code}});
  };
  return std::unique_ptr<Rpc>(
      new Rpc{.in_flight = in_flight_.Add({{"rpc", name}}),
              .duration = duration_.Add({{"rpc", name}}, SecondsBuckets()),
              .requests = {kMaxCodes, make_counter}});
}

RpcMetrics::Rpc& RpcMetrics::Find(absl::string_view rpc) {
  const auto it = rpcs_.find(rpc);
  return it == rpcs_.end() ? *other_ : *it->second;
}

void RpcMetrics::Started(absl::string_view rpc) {
  Find(rpc).in_flight.Increment();
}

void RpcMetrics::Ended(absl::string_view rpc, absl::StatusCode code,
                       absl::Duration duration) {
  Rpc& metrics = Find(rpc);
  metrics.in_flight.Decrement();
  metrics.duration.Observe(absl::ToDoubleSeconds(duration));
  metrics.requests.Get(absl::StatusCodeToString(code))->Increment();
}

}  // namespace ladder::server
