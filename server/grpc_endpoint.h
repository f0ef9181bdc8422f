#ifndef LADDER_SERVER_GRPC_ENDPOINT_H_
#define LADDER_SERVER_GRPC_ENDPOINT_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"
#include "server/inference/inference_service.h"
#include "server/rpc/call_table.h"
#include "server/rpc/health.h"
#include "server/rpc/reflection.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// The gRPC server with its services: LADDER's own, the Open
// Inference Protocol, health and reflection.
class GrpcEndpoint {
 public:
  // The names that calls are counted by.
  static std::vector<std::string> RpcNames();

  // Listens from now on. What `services` refers to must outlive it.
  // Unavailable, with address and port, if it cannot listen there.
  static absl::StatusOr<std::unique_ptr<GrpcEndpoint>> Start(
      const ServerConfig& config, const InferenceServices& services,
      std::shared_ptr<grpc::ServerCredentials> credentials);

  int port() const { return port_; }

  // What is said of the server and of each service.
  Health& health() { return health_; }

  // Cuts off the calls that have not ended by then.
  void Shutdown(absl::Time deadline);

 private:
  GrpcEndpoint(const ServerConfig& config, const InferenceServices& services);

  ControlQueues control_;
  Health health_;
  const ReflectionIndex reflection_index_;
  TableService methods_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GRPC_ENDPOINT_H_
