#include "server/grpc_endpoint.h"

#include <google/protobuf/descriptor.h>
#include <grpc/compression.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "inference/grpc_service.grpc.pb.h"
#include "ladder/v1/domain_routing.grpc.pb.h"
#include "server/rpc/domain_routing_service.h"

namespace ladder::server {
namespace {

// Above what proxies let through, so that it is them who say no.
constexpr int kMaxMetadataBytes = 96 << 10;
constexpr uint64_t kMoreMessageBytes = 64 << 10;
constexpr int kHandshakeTimeoutMs = 10'000;
constexpr uint64_t kMoreStreamsPerConnection = 100;
constexpr absl::Duration kMoreGrace = absl::Seconds(30);
constexpr int kShortestPingIntervalMs = 10'000;

std::vector<std::string> ServiceNames() {
  return {v1::DomainRouting::service_full_name(),
          inference::GRPCInferenceService::service_full_name()};
}

std::vector<std::string> ReflectedNames() {
  std::vector<std::string> names = ServiceNames();
  names.push_back(grpc::health::v1::HealthCheckRequest::descriptor()
                      ->file()
                      ->service(0)
                      ->full_name());
  names.push_back(grpc::reflection::v1::ServerReflection::service_full_name());
  names.push_back(
      grpc::reflection::v1alpha::ServerReflection::service_full_name());
  return names;
}

int ToInt(uint64_t value) {
  return static_cast<int>(
      std::min<uint64_t>(value, std::numeric_limits<int>::max()));
}

int ToMilliseconds(absl::Duration duration) {
  return ToInt(static_cast<uint64_t>(
      std::max<int64_t>(absl::ToInt64Milliseconds(duration), 0)));
}

void SetLimits(const ServerConfig& config, grpc::ServerBuilder& builder) {
  const LimitsConfig& limits = config.limits;
  // A little above our own limit, so that what just exceeds it is told the
  // flag.
  builder.SetMaxReceiveMessageSize(
      ToInt(limits.max_message_bytes + kMoreMessageBytes));
  // For messages that have not arrived as a whole, which nobody else counts.
  // Beyond it gRPC reads less, and in the end breaks streams off.
  builder.SetResourceQuota(
      grpc::ResourceQuota("ladder").Resize(GrpcBufferBytes(limits)));
  if (!config.security.allow_compression) {
    // A small message can become a huge one.
    builder.AddChannelArgument(
        GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
        1 << GRPC_COMPRESS_NONE);
  }
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeTimeoutMs);
  // What is beyond HTTP/2's limit waits in the client, and with it even health
  // checks. Our own limit says no at once.
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONCURRENT_STREAMS,
      ToInt(limits.max_concurrent_streams + kMoreStreamsPerConnection));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                             ToMilliseconds(limits.max_idle_time));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                             ToMilliseconds(limits.max_stream_time));
  // Longer than a stream may last, so that it is told why it has to end.
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
      ToMilliseconds(limits.max_stream_time + kMoreGrace));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kShortestPingIntervalMs);
  // Two servers at one port would share its calls unnoticed.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

CallTable MethodsOf(const ServerConfig& config,
                    const InferenceServices& services, ControlQueues& control,
                    Health& health, const ReflectionIndex& reflection) {
  CallTable table;
  health.AddTo(services.rpc, table);
  AddDomainRouting(services.rpc, control, table);
  AddInference(services, control.models, config, table);
  if (config.security.enable_reflection) {
    AddReflection(services.rpc, reflection, table);
  }
  return table;
}

}  // namespace

std::vector<std::string> GrpcEndpoint::RpcNames() {
  return {"PredictDomain",
          "RouteDomain",
          "ListModels",
          "GetModel",
          "ReloadModel",
          "SetModelLabel",
          "ServerLive",
          "ServerReady",
          "ServerMetadata",
          "ModelReady",
          "ModelMetadata",
          "ModelConfig",
          "ModelStatistics",
          "ModelInfer",
          "ModelStreamInfer",
          "RepositoryIndex",
          "RepositoryModelLoad",
          "RepositoryModelUnload",
          "ServerReflectionInfo",
          "Check",
          "Watch"};
}

GrpcEndpoint::GrpcEndpoint(const ServerConfig& config,
                           const InferenceServices& services)
    : health_(ServiceNames()),
      reflection_index_(*google::protobuf::DescriptorPool::generated_pool(),
                        ReflectedNames()),
      methods_(
          MethodsOf(config, services, control_, health_, reflection_index_)) {}

absl::StatusOr<std::unique_ptr<GrpcEndpoint>> GrpcEndpoint::Start(
    const ServerConfig& config, const InferenceServices& services,
    std::shared_ptr<grpc::ServerCredentials> credentials) {
  std::unique_ptr<GrpcEndpoint> endpoint(new GrpcEndpoint(config, services));
  grpc::ServerBuilder builder;
  SetLimits(config, builder);
  builder.RegisterCallbackGenericService(&endpoint->methods_);
  const std::string address =
      absl::StrCat(config.listen.grpc_address, ":", config.listen.grpc_port);
  builder.AddListeningPort(address, std::move(credentials), &endpoint->port_);
  endpoint->server_ = builder.BuildAndStart();
  if (endpoint->server_ == nullptr || endpoint->port_ == 0) {
    return absl::UnavailableError(
        absl::StrCat("--grpc-port: cannot listen at ", address));
  }
  return endpoint;
}

void GrpcEndpoint::Shutdown(absl::Time deadline) {
  control_.models.Stop();
  control_.labels.Stop();
  server_->Shutdown(absl::ToChronoTime(deadline));
  server_->Wait();
}

}  // namespace ladder::server
