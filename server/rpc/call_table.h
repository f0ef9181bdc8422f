#ifndef LADDER_SERVER_RPC_CALL_TABLE_H_
#define LADDER_SERVER_RPC_CALL_TABLE_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "server/rpc/stream_call.h"

namespace ladder::server {

// Starts a call of one method.
using StartCall = std::function<CallReactor*(grpc::CallbackServerContext&)>;

// The methods that are served, by their names on the wire, such as
// "/ladder.v1.DomainRouting/PredictDomain".
using CallTable = std::map<std::string, StartCall>;

// Serves the methods of a table. gRPC's own services would read a whole message
// before they hand over a call with one message, whoever has sent it.
class TableService final : public grpc::CallbackGenericService {
 public:
  explicit TableService(CallTable table) : table_(std::move(table)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

 private:
  const CallTable table_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CALL_TABLE_H_
