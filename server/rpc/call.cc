#include "server/rpc/call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/system/steady_time.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

constexpr char kRequestId[] = "x-request-id";
constexpr size_t kMaxRequestId = 128;

absl::string_view FindMetadata(const grpc::ServerContextBase& context,
                               absl::string_view name) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(grpc::string_ref(name.data(), name.size()));
  if (found == metadata.end()) return "";
  return absl::string_view(found->second.data(), found->second.size());
}

bool IsRequestId(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestId &&
         std::all_of(text.begin(), text.end(), absl::ascii_isgraph);
}

}  // namespace

Call::Call(const RpcServices& services, absl::string_view rpc,
           grpc::ServerContextBase& context)
    : presence_(services.calls),
      services_(services),
      rpc_(rpc),
      context_(context),
      started_(base::SteadyNow()) {
  const absl::string_view id = FindMetadata(context, kRequestId);
  request_id_ = IsRequestId(id) ? std::string(id)
                                : absl::StrFormat("%016x", services.ids.Next());
  trace_ = ParseTraceparent(FindMetadata(context, "traceparent"));
  services.observer.OnRpcStarted(rpc);
}

absl::Status Call::Enter(Entrance entrance) {
  if (entrance == Entrance::kAnybody) return absl::OkStatus();
  LADDER_ASSIGN_OR_RETURN(const std::string caller,
                          services_.guard.Identify(context_));
  switch (entrance) {
    case Entrance::kPlace: {
      LADDER_ASSIGN_OR_RETURN(ticket_, services_.admission.Enter(caller));
      return absl::OkStatus();
    }
    case Entrance::kOpen:
      return services_.admission.CheckOpen();
    case Entrance::kAlways:
    case Entrance::kAnybody:
      break;
  }
  return absl::OkStatus();
}

grpc::Status Call::End(const absl::Status& status) {
  AddRetryHint(status, context_);
  context_.AddTrailingMetadata(kRequestId, request_id_);
  services_.observer.OnRpcEnded(rpc_, status.code(),
                                base::SteadyNow() - started_);
  // Nothing works for a call that has ended well.
  if (status.ok() && ticket_ != nullptr) ticket_->Answered();
  return ToGrpc(status);
}

GroupReport Call::ReportOf(absl::string_view group) const {
  return {.request_id = request_id_,
          .trace = trace_,
          .rpc = std::string(rpc_),
          .group = std::string(group)};
}

}  // namespace ladder::server
