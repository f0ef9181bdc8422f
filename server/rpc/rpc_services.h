#ifndef LADDER_SERVER_RPC_RPC_SERVICES_H_
#define LADDER_SERVER_RPC_RPC_SERVICES_H_

#include <functional>

#include "absl/status/status.h"
#include "model_store/store/model_store.h"
#include "server/config/server_config.h"
#include "server/groups/group.h"
#include "server/inference/inference_statistics.h"
#include "server/observe/serving_observer.h"
#include "server/observe/trace_context.h"
#include "server/rpc/admission.h"
#include "server/rpc/call_registry.h"
#include "server/security/call_guard.h"

namespace ladder::server {

// What all RPCs share. All of it outlives them.
struct RpcServices {
  model_store::ModelStore& store;
  GroupServices groups;
  GroupLimits group_limits;
  LimitsConfig limits;
  // A call reads no more while this much of its samples waits to be encoded.
  uint64_t max_untaken_bytes = uint64_t{16} << 20;
  Admission& admission;
  CallRegistry& calls;
  const CallGuard& guard;
  ServingObserver& observer;
  InferenceStatistics& statistics;
  RandomIds& ids;
  std::function<absl::Status()> check_ready;
  bool allow_model_control = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_RPC_SERVICES_H_
