#ifndef LADDER_SERVER_RPC_REFLECTION_SERVICE_H_
#define LADDER_SERVER_RPC_REFLECTION_SERVICE_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/rpc/reflection_index.h"

namespace ladder::server {

// Says whether a call may go on. Called from many threads at once.
using ReflectionGuard =
    std::function<absl::Status(const grpc::CallbackServerContext&)>;

// gRPC server reflection, which answers from a ReflectionIndex. The library has
// such a service too, but it answers everybody.
//
// Use ReflectionV1 and ReflectionV1Alpha: the protocol has two names.
template <typename Protocol, typename Request, typename Response>
class ReflectionService final
    : public Protocol::template WithRawCallbackMethod_ServerReflectionInfo<
          typename Protocol::Service> {
 public:
  // `index` must outlive the service. The stream ends at once with what `guard`
  // says unless that is OK, and later if a message is larger than
  // `max_message_bytes`.
  ReflectionService(const ReflectionIndex& index, ReflectionGuard guard,
                    uint64_t max_message_bytes)
      : index_(index),
        guard_(std::move(guard)),
        max_message_bytes_(max_message_bytes) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
  ServerReflectionInfo(grpc::CallbackServerContext* context) override;

 private:
  const ReflectionIndex& index_;
  const ReflectionGuard guard_;
  const uint64_t max_message_bytes_;
};

using ReflectionV1 =
    ReflectionService<grpc::reflection::v1::ServerReflection,
                      grpc::reflection::v1::ServerReflectionRequest,
                      grpc::reflection::v1::ServerReflectionResponse>;
using ReflectionV1Alpha =
    ReflectionService<grpc::reflection::v1alpha::ServerReflection,
                      grpc::reflection::v1alpha::ServerReflectionRequest,
                      grpc::reflection::v1alpha::ServerReflectionResponse>;

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_REFLECTION_SERVICE_H_
