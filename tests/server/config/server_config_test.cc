#include "server/config/server_config.h"

#include <string>

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::VersionPolicy;

class ServerConfigTest : public ::testing::Test {
 protected:
  ServerConfigTest() { config_.models.repository = "store"; }

  // "" if the configuration is valid.
  std::string Wrong() const {
    return std::string(config_.Validate().message());
  }

  ServerConfig config_;
};

TEST_F(ServerConfigTest, IsValidByDefaultButForTheRepository) {
  EXPECT_EQ(Wrong(), "");

  config_.models.repository = "";
  EXPECT_EQ(Wrong(),
            "--model-repository: expected a directory with models, got none");
}

TEST_F(ServerConfigTest, ChecksRangesHoweverItWasFilled) {
  config_.listen.grpc_port = -1;

  EXPECT_EQ(config_.Validate(),
            absl::InvalidArgumentError(
                "--grpc-port: expected a port from 0 to 65535, got \"-1\""));
}

TEST_F(ServerConfigTest, RefusesAnUnknownChoice) {
  config_.observe.log_level = static_cast<LogLevel>(99);

  EXPECT_EQ(Wrong(),
            "--log-level: expected one of error, warn, info, debug, "
            "got \"unknown\"");
}

TEST_F(ServerConfigTest, RefusesNoBatchSizes) {
  config_.engine.batch_sizes = {};

  EXPECT_EQ(Wrong(),
            "--batch-sizes: expected ascending numbers from 1 to 65536, such "
            "as 1,8,32, got \"\"");
}

TEST_F(ServerConfigTest, RefusesPoliciesThatChooseNothing) {
  config_.models.policies["birds"] = VersionPolicy::Latest(0);
  EXPECT_NE(Wrong(), "");

  config_.models.policies["birds"] = VersionPolicy::Specific({});
  EXPECT_NE(Wrong(), "");

  config_.models.policies["birds"] = VersionPolicy::Specific({2});
  EXPECT_EQ(Wrong(), "");
}

TEST_F(ServerConfigTest, RefusesNamesThatNoModelCanHave) {
  config_.models.required = {"birds", "../fish"};

  EXPECT_EQ(Wrong(),
            "--required-models: expected names of models (letters, digits, "
            "'_', '-' and '.', the first not a '.') with commas in between, "
            "got \"birds,../fish\"");
}

TEST_F(ServerConfigTest, RefusesOnePortForTwoServices) {
  config_.listen.http_port = config_.listen.grpc_port;
  EXPECT_EQ(Wrong(),
            "--http-port: expected another port than that of --grpc-port, got "
            "8001 for both");

  config_.listen.allow_http = false;
  EXPECT_EQ(Wrong(), "");

  config_.listen = {.http_port = 9, .metrics_port = 9};
  EXPECT_EQ(Wrong(),
            "--metrics-port: expected another port than that of --http-port, "
            "got 9 for both");
}

TEST_F(ServerConfigTest, AllowsAnyFreePortForAll) {
  config_.listen = {.grpc_port = 0, .http_port = 0, .metrics_port = 0};

  EXPECT_EQ(Wrong(), "");
}

TEST_F(ServerConfigTest, AllowsOnePortOnDifferentAddresses) {
  config_.listen.grpc_address = "10.0.0.1";
  config_.listen.http_address = "127.0.0.1";
  config_.listen.http_port = config_.listen.grpc_port;
  EXPECT_EQ(Wrong(), "");

  config_.listen.http_address = "::";
  EXPECT_NE(Wrong(), "");
}

TEST_F(ServerConfigTest, LoadsModelsAtTheStartInModeExplicitOnly) {
  config_.models.load = {"birds"};
  EXPECT_EQ(Wrong(),
            "--load-model: expected --model-control-mode=explicit with it, "
            "got poll");

  config_.models.control_mode = StoreMode::kExplicit;
  EXPECT_EQ(Wrong(), "");
}

TEST_F(ServerConfigTest, RefusesModeExplicitWithoutAWayToLoad) {
  config_.models.control_mode = StoreMode::kExplicit;
  EXPECT_EQ(Wrong(),
            "--model-control-mode: expected --load-model or "
            "--allow-model-control with explicit, got neither, so that nothing "
            "could ever be served");

  config_.security.allow_model_control = true;
  EXPECT_EQ(Wrong(), "");
}

TEST_F(ServerConfigTest, RefusesBatchesThatNoWarmedSizeHolds) {
  config_.batching.max_batch_size = 32;
  EXPECT_EQ(Wrong(), "");

  config_.batching.max_batch_size = 33;
  EXPECT_EQ(Wrong(),
            "--max-batch-size: expected at most the largest of --batch-sizes, "
            "32, got 33");
}

TEST_F(ServerConfigTest, NeedsCertificateAndKeyTogether) {
  config_.security.tls_key = "key.pem";
  EXPECT_EQ(Wrong(), "--tls-key: expected --tls-certificate with it, got none");

  config_.security.tls_certificate = "certificate.pem";
  EXPECT_EQ(Wrong(), "");

  config_.security.tls_key = "";
  EXPECT_EQ(Wrong(), "--tls-certificate: expected --tls-key with it, got none");
}

TEST_F(ServerConfigTest, NeedsACertificateToAskClientsForTheirs) {
  config_.security.tls_client_ca = "ca.pem";

  EXPECT_EQ(Wrong(),
            "--tls-client-ca: expected --tls-certificate with it, got none");
}

}  // namespace
}  // namespace ladder::server
