#ifndef LADDER_SERVER_RPC_CALL_H_
#define LADDER_SERVER_RPC_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/store/model_store.h"
#include "routing/counter_rng.h"
#include "server/config/server_config.h"
#include "server/groups/group_options.h"
#include "server/observe/serving_observer.h"
#include "server/observe/trace_context.h"
#include "server/rpc/admission.h"
#include "server/rpc/call_registry.h"
#include "server/scheduling/memory_budget.h"
#include "server/scheduling/work_account.h"
#include "server/security/call_guard.h"

namespace ladder::server {

// Random numbers to tell requests and spans apart; not secrets. No number comes
// twice. Replicas need different seeds, such as std::random_device's.
// Thread-safe.
class RandomIds {
 public:
  explicit RandomIds(uint64_t seed) : rng_(seed) {}

  uint64_t Next() { return rng_.Bits(counter_.fetch_add(1)); }

 private:
  const routing::CounterRng rng_;
  std::atomic<uint64_t> counter_ = 0;
};

// What all RPCs share. All of it outlives them.
struct RpcServices {
  model_store::ModelStore& store;
  GroupServices groups;
  GroupLimits group_limits;
  LimitsConfig limits;
  MemoryBudget& messages;
  // A call reads no more while this much of its samples waits to be encoded.
  uint64_t max_untaken_bytes = uint64_t{16} << 20;
  Admission& admission;
  CallRegistry& calls;
  const CallGuard& guard;
  ServingObserver& observer;
  RandomIds& ids;
  std::function<absl::Status()> check_ready;
  bool allow_model_control = false;
  bool allow_label_control = false;
};

// Who is let in.
enum class Entrance {
  kPlace,    // Whoever may call and gets one of the places.
  kOpen,     // Whoever may call, until the server stops.
  kAlways,   // Whoever may call.
  kAnybody,  // Without a token, too.
};

// What every RPC does beside its work: it is named, checked, counted and timed.
//
// One user at a time.
class Call {
 public:
  // `rpc` is its name, such as "PredictDomain"; it and `services` must outlive
  // the call, `context` must live until End.
  Call(const RpcServices& services, absl::string_view rpc,
       grpc::ServerContextBase& context);

  // Says whether the call may be served, and asks for a place if it needs one;
  // kept until this is gone, so that nothing works for the call any more when
  // it is free again. To be asked first.
  absl::Status Enter(Entrance entrance);

  // Ends the call, once. Returns what to give to the caller.
  grpc::Status End(const absl::Status& status);

  // What a report on one of the call's groups says of the call.
  GroupReport ReportOf(absl::string_view group) const;

  // For whom its work is done.
  const WorkOwner& owner() const {
    return ticket_ == nullptr ? nobody_ : ticket_->owner();
  }
  absl::Time started() const { return started_; }  // By base::SteadyNow.

 private:
  const CallRegistry::Presence presence_;
  const RpcServices& services_;
  const absl::string_view rpc_;
  grpc::ServerContextBase& context_;
  const absl::Time started_;
  const WorkOwner nobody_;
  std::string request_id_;
  std::optional<TraceContext> trace_;
  std::unique_ptr<Admission::Ticket> ticket_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CALL_H_
