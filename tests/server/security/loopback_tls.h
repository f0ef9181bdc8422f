#ifndef LADDER_TESTS_SERVER_SECURITY_LOOPBACK_TLS_H_
#define LADDER_TESTS_SERVER_SECURITY_LOOPBACK_TLS_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "tests/server/security/test_certificates.h"

namespace ladder::server {

// A server at a port of 127.0.0.1 that sends back what it gets. (Its service is
// borrowed; any would do.)
class EchoServer {
 public:
  explicit EchoServer(std::shared_ptr<grpc::ServerCredentials> credentials);
  ~EchoServer();

  int port() const { return port_; }

 private:
  class Service final : public grpc::reflection::v1::ServerReflection::Service {
    using Request = grpc::reflection::v1::ServerReflectionRequest;
    using Response = grpc::reflection::v1::ServerReflectionResponse;
    grpc::Status ServerReflectionInfo(
        grpc::ServerContext* context,
        grpc::ServerReaderWriter<Response, Request>* stream) override;
  };

  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// A connection of its own, with one open stream.
class EchoClient {
 public:
  // Without `identity` the client has no certificate to show.
  EchoClient(int port, const std::string& trusted_ca,
             const std::optional<TestCertificate>& identity = std::nullopt);
  ~EchoClient();

  // Whether a message came back. Once it did not, none will.
  bool Exchange();

  // After an exchange: the serial number of the server's certificate.
  long PeerSerial() const;

  // Ends the stream; how it ended.
  grpc::Status Finish();

 private:
  using Request = grpc::reflection::v1::ServerReflectionRequest;
  using Response = grpc::reflection::v1::ServerReflectionResponse;

  grpc::ClientContext context_;
  std::unique_ptr<grpc::reflection::v1::ServerReflection::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> stream_;
  bool finished_ = false;
  int next_ = 0;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SECURITY_LOOPBACK_TLS_H_
