#ifndef LADDER_SERVER_RPC_REFLECTION_H_
#define LADDER_SERVER_RPC_REFLECTION_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"

namespace ladder::server {

// What can be told about a server's services: the files that declare them, the
// files that those import, and everything declared in either. Other files of
// the same program do not exist here.
//
// A pool of its own, because one with files to fall back on, as the program's
// own has, remembers every unknown name that it was asked for, and callers can
// ask for as many as they like. Immutable and thread-safe.
class ReflectionIndex {
 public:
  // `services` are full names, listed as they come. Nothing but the name can be
  // told of those that `pool` does not know.
  ReflectionIndex(const google::protobuf::DescriptorPool& pool,
                  std::vector<std::string> services);

  const std::vector<std::string>& Services() const { return services_; }

  // Serialised FileDescriptorProtos: first that of the file asked for, then all
  // that it imports, directly or not, each once.
  using Files = std::vector<std::string>;

  // NotFound if there is no such file, symbol, or extension.
  absl::StatusOr<Files> FileNamed(const std::string& name) const;
  absl::StatusOr<Files> FileWithSymbol(const std::string& symbol) const;
  absl::StatusOr<Files> FileWithExtension(const std::string& message,
                                          int number) const;

  // Ascending; maybe none. NotFound if there is no such message.
  absl::StatusOr<std::vector<int>> ExtensionNumbers(
      const std::string& message) const;

 private:
  // Adds the file behind all that it imports.
  void AddFile(const google::protobuf::FileDescriptor& file);

  const std::vector<std::string> services_;
  google::protobuf::DescriptorPool pool_;
};

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

#endif  // LADDER_SERVER_RPC_REFLECTION_H_
