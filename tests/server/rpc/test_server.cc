#include "tests/server/rpc/test_server.h"

#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/rpc_method.h>

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/model_store/engine/test_models.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kVeryLong = absl::Minutes(4);

}  // namespace

bool Eventually(const std::function<bool()>& is_so) {
  const absl::Time deadline = absl::Now() + kVeryLong;
  while (!is_so()) {
    if (absl::Now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

model_store::BundleContents EndlessBundle() {
  model_store::BundleContents contents =
      model_store::TinyBundle({.model = "endless"});
  contents.encoder = model_store::EndlessEncoder();
  return contents;
}

void TestServer::Start(const Change& change) {
  ServerConfig config;
  config.listen = {.grpc_address = "127.0.0.1",
                   .grpc_port = 0,
                   .http_address = "127.0.0.1",
                   .allow_http = false,
                   .http_port = 0,
                   .allow_metrics = false,
                   .metrics_port = 0};
  config.models.repository = store_.path().string();
  config.models.poll_interval = absl::Milliseconds(20);
  config.engine.device = "cpu";
  config.engine.threads = 2;
  config.engine.batch_sizes = {1, 4, 8};
  config.limits.max_inflight_bytes = uint64_t{1} << 30;
  if (change != nullptr) change(config);
  server_ = Server::Start(config, log_.logger()).value();
  EXPECT_TRUE(Eventually([this] { return server_->CheckReady().ok(); }));
  EXPECT_TRUE(Eventually([this] { return server_->Summary().has_value(); }));
  channel_ = NewChannel();
  routing_ = v1::DomainRouting::NewStub(channel_);
  inference_ = inference::GRPCInferenceService::NewStub(channel_);
}

void TestServer::Publish(model_store::BundleContents bundle) {
  EXPECT_TRUE(model_store::WriteBundle(store_.path(), std::move(bundle)).ok());
}

std::shared_ptr<grpc::Channel> TestServer::NewChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return grpc::CreateCustomChannel(
      absl::StrCat("127.0.0.1:", server_->ports().grpc),
      grpc::InsecureChannelCredentials(), arguments);
}

std::string TestServer::Health(const std::string& service) {
  // Messages that look the same on the wire: a name, and a number.
  google::protobuf::StringValue request;
  request.set_value(service);
  google::protobuf::Int32Value response;
  const grpc::internal::RpcMethod method("/grpc.health.v1.Health/Check",
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  const auto context = NewContext();
  const grpc::Status status =
      grpc::internal::BlockingUnaryCall<google::protobuf::StringValue,
                                        google::protobuf::Int32Value>(
          channel_.get(), method, context.get(), request, &response);
  if (!status.ok()) return status.error_message();
  if (response.value() == 1) return "SERVING";
  return response.value() == 2 ? "NOT_SERVING" : "UNKNOWN";
}

std::string TestServer::Log() {
  server_.reset();
  return log_.Text();
}

std::unique_ptr<grpc::ClientContext> NewContext() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(absl::ToChronoTime(absl::Now() + kVeryLong));
  return context;
}

}  // namespace ladder::server
