#include "server/config/server_flags.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/config/parse.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::VersionPolicy;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::MatchesRegex;
using ::testing::Pair;

// Sets a value that is not the flag's default, and returns it.
std::string SetOtherValue(const Flag& flag) {
  const std::string value = flag.value.Get();
  for (const char* candidate :
       {"true", "false", "7", "2KiB", "cuda:1", "localhost", "explicit", "json",
        "debug", "all", "2,3", "a=all", "a:b=3", "a=3", "http://host:1",
        "some/file", "10.0.0.0/8"}) {
    if (flag.value.Set(candidate) && flag.value.Get() != value) {
      return flag.value.Get();
    }
  }
  ADD_FAILURE() << flag.name << ": no other value is taken";
  return value;
}

TEST(ServerFlagsTest, HaveDistinctNamesAndAMeaning) {
  std::set<std::string> names;
  std::set<std::string> variables;
  ServerConfig config;
  for (const Flag& flag : ServerFlags(config)) {
    EXPECT_THAT(flag.name, MatchesRegex("--[a-z]+(-[a-z]+)*"));
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_TRUE(flag.alias.empty() || names.insert(flag.alias).second)
        << flag.alias;
    EXPECT_TRUE(variables.insert(flag.EnvironmentName()).second) << flag.name;
    EXPECT_THAT(flag.meaning, MatchesRegex("[A-Za-z].*\\.")) << flag.name;
    EXPECT_FALSE(flag.value.placeholder.empty()) << flag.name;
    EXPECT_FALSE(flag.value.expected.empty()) << flag.name;
  }
}

TEST(ServerFlagsTest, HaveVariablesThatFollowTheirNames) {
  EXPECT_EQ(Flag{.name = "--grpc-port"}.EnvironmentName(), "LADDER_GRPC_PORT");
  ServerConfig config;
  for (const Flag& flag : ServerFlags(config)) {
    EXPECT_THAT(flag.EnvironmentName(),
                MatchesRegex("LADDER_[A-Z]+(_[A-Z]+)*"));
  }
}

TEST(ServerFlagsTest, TakeBackTheirDefaults) {
  ServerConfig config;
  for (const Flag& flag : ServerFlags(config)) {
    const std::string value = flag.value.Get();

    EXPECT_TRUE(flag.value.Set(value)) << flag.name << "=" << value;
    EXPECT_EQ(FormatConfig(config), FormatConfig(ServerConfig{}));
  }
}

TEST(ServerFlagsTest, EachSetOnlyTheirOwnField) {
  ServerConfig defaults;
  const size_t num_flags = ServerFlags(defaults).size();
  for (size_t i = 0; i < num_flags; ++i) {
    ServerConfig config;
    const Flag flag = ServerFlags(config)[i];
    std::vector<std::string> expected = FormatConfig(config);

    const std::string value = SetOtherValue(flag);

    expected[i] = absl::StrCat(flag.name, "=", value);
    EXPECT_EQ(FormatConfig(config), expected) << flag.name;
  }
}

TEST(ServerFlagsTest, LeaveTheConfigurationAloneIfTheyRefuseAValue) {
  ServerConfig config;
  for (const Flag& flag : ServerFlags(config)) {
    const std::string value = flag.value.Get();
    if (flag.value.Set("= ,;:\n")) {  // Paths may be anything.
      flag.value.Set(value);
      continue;
    }

    EXPECT_EQ(FormatConfig(config), FormatConfig(ServerConfig{})) << flag.name;
  }
}

TEST(ServerFlagsTest, HaveTheDocumentedDefaults) {
  EXPECT_THAT(FormatConfig(ServerConfig{}),
              IsSupersetOf({"--grpc-address=0.0.0.0",
                            "--grpc-port=8001",
                            "--http-port=8000",
                            "--metrics-port=8002",
                            "--model-control-mode=poll",
                            "--repository-poll-secs=5",
                            "--version-policy=latest:1",
                            "--device=auto",
                            "--threads=0",
                            "--instances=1",
                            "--batch-sizes=1,8,32",
                            "--deterministic=false",
                            "--max-queue-delay-microseconds=200",
                            "--max-message-bytes=64MiB",
                            "--max-group-samples=1000000",
                            "--max-group-bytes=1GiB",
                            "--max-groups-per-stream=10000",
                            "--max-concurrent-streams=256",
                            "--max-image-pixels=50000000",
                            "--max-inflight-bytes=0",
                            "--max-stream-seconds=3600",
                            "--max-idle-seconds=300",
                            "--max-name-bytes=256",
                            "--exit-timeout-secs=30",
                            "--tls-key=",
                            "--enable-reflection=true",
                            "--allow-model-control=false",
                            "--allow-compression=false",
                            "--log-format=text",
                            "--log-level=info",
                            "--access-log=true",
                            "--metrics-recent-groups=50",
                            "--metrics-group-expiry-secs=600"}));
}

TEST(ServerFlagsTest, SetPortsAndAddresses) {
  const ServerConfig config = ParsedConfig(
      {"--grpc-address=127.0.0.1", "--grpc-port=0", "--http-address=::1",
       "--allow-http=false", "--allow-metrics=0", "--metrics-port=9"});

  EXPECT_EQ(config.listen.grpc_address, "127.0.0.1");
  EXPECT_EQ(config.listen.grpc_port, 0);
  EXPECT_EQ(config.listen.http_address, "::1");
  EXPECT_FALSE(config.listen.allow_http);
  EXPECT_FALSE(config.listen.allow_metrics);
  EXPECT_EQ(config.listen.metrics_port, 9);
}

TEST(ServerFlagsTest, SetModels) {
  const ServerConfig config = ParsedConfig(
      {"--model-store=models", "--model-control-mode=explicit",
       "--load-model=a,b", "--load-model=*", "--required-models=a",
       "--repository-poll-secs=0.25", "--version-policy=specific:5,3",
       "--model-version-policy=a=latest:2;b=all",
       "--model-labels=a:stable=3,a:canary=4", "--model-labels=b:stable=1"});

  EXPECT_EQ(config.models.repository, "models");
  EXPECT_EQ(config.models.control_mode, StoreMode::kExplicit);
  EXPECT_THAT(config.models.load, ElementsAre("a", "b", "*"));
  EXPECT_THAT(config.models.required, ElementsAre("a"));
  EXPECT_EQ(config.models.poll_interval, absl::Milliseconds(250));
  EXPECT_EQ(config.models.policy.kind, VersionPolicy::Kind::kSpecific);
  EXPECT_THAT(config.models.policy.versions, ElementsAre(3, 5));
  EXPECT_EQ(config.models.policies.at("a").count, 2);
  EXPECT_EQ(config.models.policies.at("b").kind, VersionPolicy::Kind::kAll);
  EXPECT_THAT(
      config.models.labels,
      ElementsAre(Pair("a", ElementsAre(Pair("canary", 4), Pair("stable", 3))),
                  Pair("b", ElementsAre(Pair("stable", 1)))));
}

TEST(ServerFlagsTest, SetEngineAndBatching) {
  const ServerConfig config = ParsedConfig(
      {"--device=cuda:1", "--threads=3", "--instances=2", "--batch-sizes=4,64",
       "--deterministic", "--host-memory-limit=2GiB",
       "--cuda-option=gpu_mem_limit=1000", "--cuda-option=do_copy=1,x=y=z",
       "--max-batch-size=16", "--max-queue-delay-microseconds=0",
       "--max-queued-samples=100"});

  EXPECT_EQ(config.engine.device, "cuda:1");
  EXPECT_EQ(config.engine.threads, 3);
  EXPECT_EQ(config.engine.instances, 2);
  EXPECT_THAT(config.engine.batch_sizes, ElementsAre(4, 64));
  EXPECT_TRUE(config.engine.deterministic);
  EXPECT_EQ(config.engine.host_memory_limit, uint64_t{2} << 30);
  EXPECT_THAT(config.engine.cuda_options,
              ElementsAre(Pair("do_copy", "1"), Pair("gpu_mem_limit", "1000"),
                          Pair("x", "y=z")));
  EXPECT_EQ(config.batching.max_batch_size, 16);
  EXPECT_EQ(config.batching.max_queue_delay, absl::ZeroDuration());
  EXPECT_EQ(config.batching.max_queued_samples, 100);
}

TEST(ServerFlagsTest, SetLimits) {
  const ServerConfig config = ParsedConfig(
      {"--max-message-bytes=4MB", "--max-group-samples=2",
       "--max-group-bytes=3KiB", "--max-groups-per-stream=4",
       "--max-concurrent-streams=5", "--max-image-pixels=6",
       "--max-inflight-bytes=7GB", "--max-stream-seconds=8",
       "--max-idle-seconds=0.5", "--max-name-bytes=10", "--exit-timeout=0"});

  EXPECT_EQ(config.limits.max_message_bytes, 4'000'000);
  EXPECT_EQ(config.limits.max_group_samples, 2);
  EXPECT_EQ(config.limits.max_group_bytes, 3072);
  EXPECT_EQ(config.limits.max_groups_per_stream, 4);
  EXPECT_EQ(config.limits.max_concurrent_streams, 5);
  EXPECT_EQ(config.limits.max_image_pixels, 6);
  EXPECT_EQ(config.limits.max_inflight_bytes, 7'000'000'000);
  EXPECT_EQ(config.limits.max_stream_time, absl::Seconds(8));
  EXPECT_EQ(config.limits.max_idle_time, absl::Milliseconds(500));
  EXPECT_EQ(config.limits.max_name_bytes, 10);
  EXPECT_EQ(config.life_cycle.exit_timeout, absl::ZeroDuration());
}

TEST(ServerFlagsTest, SetSecurityAndObservability) {
  const ServerConfig config = ParsedConfig(
      {"--tls-certificate=c.pem", "--tls-key=k.pem", "--tls-client-ca=ca.pem",
       "--tls-reload-secs=2", "--auth-token-file=tokens",
       "--enable-reflection=false", "--allow-model-control=1",
       "--allow-compression=true", "--log-format=json", "--log-level=warn",
       "--access-log=0", "--metrics-recent-groups=0",
       "--metrics-group-expiry-secs=1.5",
       "--otlp-endpoint=http://localhost:4317"});

  EXPECT_EQ(config.security.tls_certificate, "c.pem");
  EXPECT_EQ(config.security.tls_key, "k.pem");
  EXPECT_EQ(config.security.tls_client_ca, "ca.pem");
  EXPECT_EQ(config.security.tls_reload_interval, absl::Seconds(2));
  EXPECT_EQ(config.security.auth_token_file, "tokens");
  EXPECT_FALSE(config.security.enable_reflection);
  EXPECT_TRUE(config.security.allow_model_control);
  EXPECT_TRUE(config.security.allow_compression);
  EXPECT_EQ(config.observe.log_format, LogFormat::kJson);
  EXPECT_EQ(config.observe.log_level, LogLevel::kWarn);
  EXPECT_FALSE(config.observe.access_log);
  EXPECT_EQ(config.observe.metrics_recent_groups, 0);
  EXPECT_EQ(config.observe.metrics_group_expiry, absl::Milliseconds(1500));
  EXPECT_EQ(config.observe.otlp_endpoint, "http://localhost:4317");
}

}  // namespace
}  // namespace ladder::server
