#include "client/library/connection.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::client {
namespace {

// The server takes one every 10 s.
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
// A server that comes back is found within the longest. Meanwhile calls fail at
// once, and are made again as RetryPolicy says.
constexpr int kFirstReconnectMs = 200;
constexpr int kLongestReconnectMs = 2'000;
// One that comes back elsewhere, too; gRPC's own is 30 s.
constexpr int kShortestResolveMs = 5'000;

absl::StatusOr<std::string> ReadPem(const std::string& path,
                                    absl::string_view what) {
  if (path.empty()) return std::string();
  std::optional<std::string> text = base::ReadText(path);
  if (!text.has_value()) {
    return absl::NotFoundError(
        absl::StrCat(what, ": expected a PEM file, cannot read ", path));
  }
  if (!absl::StrContains(*text, "-----BEGIN ")) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected PEM in ", path, ", found none"));
  }
  return *std::move(text);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeCredentials(
    const ClientOptions& options) {
  if (!options.tls.has_value()) return grpc::InsecureChannelCredentials();
  const TlsOptions& tls = *options.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    return absl::InvalidArgumentError(
        "TLS: expected both a certificate and its key, got one of them");
  }
  LADDER_ASSIGN_OR_RETURN(std::string ca, ReadPem(tls.ca_file, "CA"));
  LADDER_ASSIGN_OR_RETURN(std::string certificate,
                          ReadPem(tls.certificate_file, "certificate"));
  LADDER_ASSIGN_OR_RETURN(std::string key, ReadPem(tls.key_file, "key"));
  return grpc::SslCredentials({.pem_root_certs = std::move(ca),
                               .pem_private_key = std::move(key),
                               .pem_cert_chain = std::move(certificate)});
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(
    const ClientOptions& options) {
  if (options.address.empty()) {
    return absl::InvalidArgumentError(
        "address: expected one such as localhost:8001, got none");
  }
  // gRPC ends the process if a header has others.
  if (!std::all_of(options.token.begin(), options.token.end(),
                   absl::ascii_isgraph)) {
    return absl::InvalidArgumentError(
        "token: expected visible ASCII characters only, got others");
  }
  LADDER_ASSIGN_OR_RETURN(const auto credentials, MakeCredentials(options));
  grpc::ChannelArguments arguments;
  arguments.SetLoadBalancingPolicyName("round_robin");
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  // While a large group is worked on, nothing else is sent.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS,
                   kShortestResolveMs);
  // RetryPolicy is ours.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  if (options.tls.has_value() && !options.tls->server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.tls->server_name);
  }
  return grpc::CreateCustomChannel(options.address, credentials, arguments);
}

void Prepare(const ClientOptions& options, const CallOptions& call,
             grpc::ClientContext& context) {
  if (!options.token.empty()) {
    context.AddMetadata("authorization",
                        absl::StrCat("Bearer ", options.token));
  }
  if (call.timeout != absl::InfiniteDuration()) {
    context.set_deadline(absl::ToChronoTime(absl::Now() + call.timeout));
  }
}

}  // namespace ladder::client
