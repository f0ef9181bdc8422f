// What values flags take, and the exact lines that refuse others.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/server/config/parse.h"

namespace ladder::server {
namespace {

TEST(FlagValuesTest, RefusesWhatIsNoPort) {
  EXPECT_EQ(Refusal({"--grpc-port=http"}),
            "--grpc-port: expected a port from 0 to 65535, got \"http\"");
  EXPECT_EQ(Refusal({"--http-port", "65536"}),
            "--http-port: expected a port from 0 to 65535, got \"65536\"");
  for (const char* port : {"-1", "+1", " 1", "1 ", "1.5", "", "0x10"}) {
    EXPECT_EQ(Refusal({std::string("--metrics-port=") + port}),
              std::string("--metrics-port: expected a port from 0 to 65535, "
                          "got \"") +
                  port + "\"");
  }
}

TEST(FlagValuesTest, RefusesCountsOutOfRange) {
  EXPECT_EQ(Refusal({"--instances=0"}),
            "--instances: expected a whole number, 1 to 4096, got \"0\"");
  EXPECT_EQ(Refusal({"--max-group-samples=18446744073709551616"}),
            "--max-group-samples: expected a whole number, 1 or more, got "
            "\"18446744073709551616\"");
}

TEST(FlagValuesTest, RefusesWhatIsNoSize) {
  EXPECT_EQ(Refusal({"--max-message-bytes=64 MiB"}),
            "--max-message-bytes: expected bytes, 1024 to 2147483647, such as "
            "1048576, 512KiB, 64MiB or 1GB, got \"64 MiB\"");
  for (const char* size :
       {"", "MiB", "1.5GiB", "1TB", "-1", "1023", "2GiB", "64mib",
        "18446744073709551615GiB", "17179869185GiB"}) {
    EXPECT_NE(Refusal({std::string("--max-message-bytes=") + size}), "");
  }
}

TEST(FlagValuesTest, TakesSizesWithSuffixes) {
  const std::pair<const char*, uint64_t> kSizes[] = {
      {"2048", 2048},
      {"2KiB", 2048},
      {"2KB", 2000},
      {"3MiB", 3 * 1024 * 1024},
      {"3MB", 3'000'000},
      {"1GB", 1'000'000'000},
      {"1GiB", 1024u * 1024 * 1024}};
  for (const auto& [text, bytes] : kSizes) {
    EXPECT_EQ(
        ParsedConfig({"--max-message-bytes", text}).limits.max_message_bytes,
        bytes)
        << text;
  }
}

TEST(FlagValuesTest, RefusesTimesOutOfRange) {
  EXPECT_EQ(Refusal({"--max-idle-seconds=0"}),
            "--max-idle-seconds: expected seconds, 0.001 to 31536000, got "
            "\"0\"");
  EXPECT_EQ(Refusal({"--exit-timeout-secs=-1"}),
            "--exit-timeout-secs: expected seconds, 0 to 86400, got \"-1\"");
  for (const char* time : {"", "nan", "inf", "5s", "86401", "1e300"}) {
    EXPECT_NE(Refusal({std::string("--repository-poll-secs=") + time}), "");
  }
  EXPECT_EQ(Refusal({"--max-queue-delay-microseconds=0.5"}),
            "--max-queue-delay-microseconds: expected microseconds, 0 to "
            "10000000, got \"0.5\"");
}

TEST(FlagValuesTest, RefusesWordsThatAreNoChoice) {
  EXPECT_EQ(Refusal({"--model-control-mode=auto"}),
            "--model-control-mode: expected one of poll, explicit, none, got "
            "\"auto\"");
  EXPECT_EQ(Refusal({"--log-format=xml"}),
            "--log-format: expected one of text, json, got \"xml\"");
  EXPECT_EQ(Refusal({"--access-log=yes"}),
            "--access-log: expected true or false, got \"yes\"");
}

TEST(FlagValuesTest, RefusesUnknownDevices) {
  EXPECT_EQ(Refusal({"--device=gpu"}),
            "--device: expected auto, cpu, cuda or cuda:N, got \"gpu\"");
  for (const char* device : {"", "cuda:", "cuda:-1", "cuda:x", "cpu:0"}) {
    EXPECT_NE(Refusal({std::string("--device=") + device}), "");
  }
}

TEST(FlagValuesTest, CollectorsAreUrlsWithAPort) {
  EXPECT_EQ(Refusal({"--otlp-endpoint=localhost:4317"}),
            "--otlp-endpoint: expected http://HOST:PORT or https://HOST:PORT, "
            "got \"localhost:4317\"");
  for (const char* url :
       {"http://", "http://host", "http://:4317", "http://host:", "ftp://h:1",
        "http://host:0", "http://host:65536", "http://host:1/path",
        "http://user@host:1", "http://a b:1"}) {
    EXPECT_NE(Refusal({std::string("--otlp-endpoint=") + url}), "") << url;
  }
  for (const char* url :
       {"", "https://collector.example:4317", "http://[::1]:1"}) {
    EXPECT_EQ(ParsedConfig({std::string("--otlp-endpoint=") + url})
                  .observe.otlp_endpoint,
              url);
  }
}

TEST(FlagValuesTest, RefusesAddressesThatAreNone) {
  EXPECT_EQ(Refusal({"--grpc-address="}),
            "--grpc-address: expected a host name or address, got \"\"");
}

TEST(FlagValuesTest, RefusesBatchSizesThatDoNotAscend) {
  EXPECT_EQ(Refusal({"--batch-sizes=8,8"}),
            "--batch-sizes: expected ascending numbers from 1 to 65536, such "
            "as 1,8,32, got \"8,8\"");
  for (const char* sizes : {"", "0", "1,", ",1", "8,1", "1;8", "65537"}) {
    EXPECT_NE(Refusal({std::string("--batch-sizes=") + sizes}), "");
  }
}

TEST(FlagValuesTest, RefusesNamesThatNoModelCanHave) {
  EXPECT_EQ(Refusal({"--required-models=birds,../etc"}),
            "--required-models: expected names of models (letters, digits, "
            "'_', '-' and '.', the first not a '.') with commas in between, "
            "got \"birds,../etc\"");
  EXPECT_EQ(Refusal({"--load-model=a/b"}),
            "--load-model: expected names of models (letters, digits, '_', "
            "'-' and '.', the first not a '.') or * with commas in between, "
            "got \"a/b\"");
  EXPECT_NE(Refusal({"--required-models=*"}), "");
}

TEST(FlagValuesTest, RefusesWhatIsNoPolicy) {
  EXPECT_EQ(Refusal({"--version-policy=latest:0"}),
            "--version-policy: expected latest:N, all or specific:N,N,... "
            "with positive numbers, got \"latest:0\"");
  for (const char* policy : {"", "latest", "latest:", "all:1", "specific:",
                             "specific:0", "specific:1,,2", "newest:1"}) {
    EXPECT_NE(Refusal({std::string("--version-policy=") + policy}), "");
  }
  EXPECT_EQ(Refusal({"--model-version-policy=a=all;a=latest:1"}),
            "--model-version-policy: expected MODEL=latest:N, MODEL=all or "
            "MODEL=specific:N,N,..., several with semicolons in between, each "
            "model once, got \"a=all;a=latest:1\"");
  for (const char* policies : {"a", "=all", "a=", "a=all,b=all", ".a=all"}) {
    EXPECT_NE(Refusal({std::string("--model-version-policy=") + policies}), "");
  }
}

TEST(FlagValuesTest, RefusesWhatIsNoLabel) {
  EXPECT_EQ(Refusal({"--model-labels=a:1=3"}),
            "--model-labels: expected MODEL:LABEL=VERSION, several with commas "
            "in between, each label once; a label begins with a letter, got "
            "\"a:1=3\"");
  for (const char* labels :
       {"a", "a:stable", "a:stable=", "a:stable=0", "stable=3", ":stable=3",
        "a:stable=x", "a:stable=3,a:stable=4"}) {
    EXPECT_NE(Refusal({std::string("--model-labels=") + labels}), "");
  }
}

TEST(FlagValuesTest, RefusesOptionsWithoutKeyOrValue) {
  EXPECT_EQ(Refusal({"--cuda-option=limit"}),
            "--cuda-option: expected KEY=VALUE, several with commas in "
            "between, each once, got \"limit\"");
  for (const char* options : {"=1", "limit=", "a=1,a=2"}) {
    EXPECT_NE(Refusal({std::string("--cuda-option=") + options}), "");
  }
}

TEST(FlagValuesTest, LetsLaterPartsOfRepeatedFlagsWin) {
  const ServerConfig config = ParsedConfig(
      {"--cuda-option=a=1,b=1", "--cuda-option=a=2",
       "--model-labels=m:stable=1,m:old=1", "--model-labels=m:stable=2",
       "--model-version-policy=m=all", "--model-version-policy=m=latest:3"});

  EXPECT_EQ(config.engine.cuda_options.at("a"), "2");
  EXPECT_EQ(config.engine.cuda_options.at("b"), "1");
  EXPECT_EQ(config.models.labels.at("m").at("stable"), 2);
  EXPECT_EQ(config.models.labels.at("m").at("old"), 1);
  EXPECT_EQ(config.models.policies.at("m").count, 3);
}

TEST(FlagValuesTest, ShowsAnyValueInOneShortLine) {
  EXPECT_EQ(Refusal({"--device=a\nb\x01"}),
            "--device: expected auto, cpu, cuda or cuda:N, got \"a\\nb\\x01\"");
  EXPECT_EQ(Refusal({"--device=" + std::string(5000, 'x')}),
            "--device: expected auto, cpu, cuda or cuda:N, got \"" +
                std::string(200, 'x') + "...\"");
}

}  // namespace
}  // namespace ladder::server
