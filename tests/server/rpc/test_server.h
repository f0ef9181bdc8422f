#ifndef LADDER_TESTS_SERVER_RPC_TEST_SERVER_H_
#define LADDER_TESTS_SERVER_RPC_TEST_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "inference/grpc_service.grpc.pb.h"
#include "ladder/v1/domain_routing.grpc.pb.h"
#include "model_store/format/bundle.h"
#include "server/config/server_config.h"
#include "server/server.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/server/observe/log_capture.h"
#include "tests/temporary_directory.h"

namespace ladder::server {

// Looks until it is so, or for some minutes: then it is a failure.
bool Eventually(const std::function<bool()>& is_so);

// A model "endless" whose encoder never ends if it is given a positive value.
model_store::BundleContents EndlessBundle();

// A server of its own for one test: a store of tiny bundles, a port of this
// machine and a connection to it.
class TestServer {
 public:
  using Change = std::function<void(ServerConfig&)>;

  // Serves "tiny", or `bundles`, from the start. Ends the test if that fails.
  // `change` is made to a configuration for tests: on the CPU, with batches of
  // 1, 4 and 8, without HTTP.
  explicit TestServer(const Change& change = {})
      : TestServer(change, model_store::TinyBundle()) {}
  template <typename... Bundles>
  TestServer(const Change& change, model_store::BundleContents first,
             Bundles... bundles) {
    Publish(std::move(first));
    (Publish(std::move(bundles)), ...);
    Start(change);
  }

  // Puts a bundle into the store, where the server has to find it.
  void Publish(model_store::BundleContents bundle);
  const std::filesystem::path& store() const { return store_.path(); }

  Server& server() { return *server_; }
  v1::DomainRouting::StubInterface& routing() { return *routing_; }
  inference::GRPCInferenceService::StubInterface& inference() {
    return *inference_;
  }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  // A connection that is shared with nobody.
  std::shared_ptr<grpc::Channel> NewChannel();

  // What health says of a service: "SERVING", "NOT_SERVING" or an error.
  std::string Health(const std::string& service);

  // All that was logged. Ends the server.
  std::string Log();

 private:
  void Start(const Change& change);

  TemporaryDirectory store_;
  LogCapture log_{LogFormat::kJson};
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::DomainRouting::StubInterface> routing_;
  std::unique_ptr<inference::GRPCInferenceService::StubInterface> inference_;
};

// A context for one call, with a deadline so far away that only a call that
// hangs meets it.
std::unique_ptr<grpc::ClientContext> NewContext();

// Makes a unary call: stub.*method with a context, `request` and `response`.
template <typename Stub, typename Request, typename Response>
grpc::Status Ask(Stub& stub,
                 grpc::Status (Stub::*method)(grpc::ClientContext*,
                                              const Request&, Response*),
                 const Request& request, Response& response,
                 const std::string& authorization = "") {
  const auto context = NewContext();
  if (!authorization.empty()) {
    context->AddMetadata("authorization", authorization);
  }
  return (stub.*method)(context.get(), request, &response);
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_RPC_TEST_SERVER_H_
