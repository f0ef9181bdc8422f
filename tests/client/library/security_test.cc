// TLS, mutual TLS and tokens, with a real server.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ladder/client/predict_group.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"
#include "tests/server/security/test_certificates.h"
#include "tests/server/security/tls_directory.h"
#include "tests/temporary_directory.h"

namespace ladder::client {
namespace {

constexpr char kToken[] = "correct-horse-battery-staple-0123456789";

class SecurityTest : public ::testing::Test {
 protected:
  SecurityTest() {
    files_.WritePair(authority_.Issue());
    files_.WriteClientCa(authority_.certificate());
    const server::TestCertificate own = authority_.Issue({.serial = 2});
    Write("client.crt", own.certificate);
    Write("client.key", own.key);
    Write("token", kToken);
    std::filesystem::permissions(PathOf("token"),
                                 std::filesystem::perms::owner_read);
  }

  std::string PathOf(const std::string& name) const {
    return directory_.path() / name;
  }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(PathOf(name), std::ios::binary) << content;
  }

  TlsOptions Trusting() const {
    return {.ca_file = files_.MutualFiles().client_ca};
  }
  TlsOptions WithOwnCertificate() const {
    TlsOptions tls = Trusting();
    tls.certificate_file = PathOf("client.crt");
    tls.key_file = PathOf("client.key");
    return tls;
  }

  // Predicts for a group, once.
  static absl::Status Try(server::TestServer& server, ClientOptions options) {
    options.address = absl::StrCat("127.0.0.1:", server.server().ports().grpc);
    options.retry.max_attempts = 1;
    const Client client = Client::Open(options).value();
    ChunkReader reader(ChunksOf(server::RandomSamples(5), 5));
    CollectingSink sink;
    return PredictGroup(client, {.group = "g"}, reader, sink);
  }

  const server::TestAuthority authority_{"ours"};
  const server::TlsDirectory files_;
  const TemporaryDirectory directory_;
};

TEST_F(SecurityTest, TlsNeedsAServerThatIsTrusted) {
  server::TestServer server([this](server::ServerConfig& config) {
    config.security.tls_certificate = files_.Files().certificate_chain;
    config.security.tls_key = files_.Files().private_key;
  });
  const server::TestAuthority stranger("another");
  Write("stranger.crt", stranger.certificate());

  const absl::Status trusted = Try(server, {.tls = Trusting()});
  EXPECT_TRUE(trusted.ok()) << trusted;
  EXPECT_TRUE(absl::IsUnavailable(
      Try(server, {.tls = TlsOptions{.ca_file = PathOf("stranger.crt")}})));
  EXPECT_TRUE(absl::IsUnavailable(Try(server, {})));
}

TEST_F(SecurityTest, TheNameInTheCertificateCounts) {
  server::TestServer server([this](server::ServerConfig& config) {
    config.security.tls_certificate = files_.Files().certificate_chain;
    config.security.tls_key = files_.Files().private_key;
  });
  TlsOptions tls = Trusting();
  tls.server_name = "elsewhere.example";

  EXPECT_TRUE(absl::IsUnavailable(Try(server, {.tls = tls})));
}

TEST_F(SecurityTest, MutualTlsNeedsACertificateOfOnesOwn) {
  server::TestServer server([this](server::ServerConfig& config) {
    config.security.tls_certificate = files_.Files().certificate_chain;
    config.security.tls_key = files_.Files().private_key;
    config.security.tls_client_ca = files_.MutualFiles().client_ca;
  });

  const absl::Status known = Try(server, {.tls = WithOwnCertificate()});
  EXPECT_TRUE(known.ok()) << known;
  EXPECT_TRUE(absl::IsUnavailable(Try(server, {.tls = Trusting()})));
}

TEST_F(SecurityTest, ATokenIsSent) {
  server::TestServer server([this](server::ServerConfig& config) {
    config.security.auth_token_file = PathOf("token");
  });

  const absl::Status known = Try(server, {.token = kToken});
  EXPECT_TRUE(known.ok()) << known;
  EXPECT_TRUE(absl::IsUnauthenticated(Try(server, {.token = "guessed"})));
  EXPECT_TRUE(absl::IsUnauthenticated(Try(server, {})));
}

}  // namespace
}  // namespace ladder::client
