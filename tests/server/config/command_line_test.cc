#include "server/config/command_line.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/server_flags.h"
#include "tests/server/config/parse.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CommandLineTest, TakesValuesAfterAnEqualsSignOrASpace) {
  EXPECT_EQ(ParsedConfig({"--grpc-port=1"}).listen.grpc_port, 1);
  EXPECT_EQ(ParsedConfig({"--grpc-port", "1"}).listen.grpc_port, 1);
  EXPECT_EQ(ParsedConfig({"--tls-certificate=a=b", "--tls-key=k"})
                .security.tls_certificate,
            "a=b");
}

TEST(CommandLineTest, TakesBooleansWithAndWithoutAValue) {
  EXPECT_TRUE(ParsedConfig({"--deterministic"}).engine.deterministic);
  EXPECT_TRUE(ParsedConfig({"--deterministic=true"}).engine.deterministic);
  EXPECT_TRUE(ParsedConfig({"--deterministic=1"}).engine.deterministic);
  EXPECT_FALSE(ParsedConfig({"--access-log=false"}).observe.access_log);
  EXPECT_FALSE(ParsedConfig({"--access-log=0"}).observe.access_log);
}

TEST(CommandLineTest, SaysWhereABooleansValueGoes) {
  EXPECT_EQ(Refusal({"--access-log", "false"}),
            "--access-log: expected its value after a '=', got \" false\"");
}

// An unset shell variable must not make a flag take the next one's place.
TEST(CommandLineTest, TakesAnEmptyValueForEmpty) {
  const ServerConfig config =
      ParsedConfig({"--auth-token-file=", "--grpc-port=1"});

  EXPECT_EQ(config.security.auth_token_file, "");
  EXPECT_EQ(config.listen.grpc_port, 1);
}

TEST(CommandLineTest, RefusesAFlagWithoutItsValue) {
  EXPECT_EQ(Refusal({"--grpc-port"}),
            "--grpc-port: expected a port from 0 to 65535, got nothing");
  EXPECT_EQ(Refusal({"--tls-key", "--grpc-port=1"}),
            "--tls-key: expected a file, got nothing");
  EXPECT_EQ(Refusal({"--flagfile"}),
            "--flagfile: expected a file, got nothing");
}

TEST(CommandLineTest, LetsLaterFlagsWin) {
  EXPECT_EQ(ParsedConfig({"--grpc-port=1", "--grpc-port=2"}).listen.grpc_port,
            2);
}

TEST(CommandLineTest, TakesAliasesForTheSameFlag) {
  EXPECT_EQ(ParsedConfig({"--model-store=other"}).models.repository, "other");
  EXPECT_EQ(ParsedConfig({"--exit-timeout=1", "--exit-timeout-secs=2"})
                .life_cycle.exit_timeout,
            absl::Seconds(2));
  EXPECT_EQ(Refusal({"--exit-timeout=x"}),
            "--exit-timeout: expected seconds, 0 to 86400, got \"x\"");
}

TEST(CommandLineTest, SuggestsTheFlagThatWasMeant) {
  EXPECT_EQ(Refusal({"--grpc-prot=1"}),
            "expected a known flag, perhaps --grpc-port, got \"--grpc-prot\"");
  EXPECT_EQ(Refusal({"--max_group_bytes=1"}),
            "expected a known flag, perhaps --max-group-bytes, got "
            "\"--max_group_bytes\"");
  EXPECT_EQ(Refusal({"-device=cpu"}),
            "expected a known flag, perhaps --device, got \"-device\"");
  EXPECT_EQ(
      Refusal({"--model-stor=x"}),
      "expected a known flag, perhaps --model-store, got \"--model-stor\"");
}

TEST(CommandLineTest, SuggestsNothingWhereNothingIsAlike) {
  EXPECT_EQ(Refusal({"--frobnicate"}),
            "expected a known flag, got \"--frobnicate\" (--help lists all)");
  EXPECT_EQ(Refusal({"--"}),
            "expected a known flag, got \"--\" (--help lists all)");
}

TEST(CommandLineTest, RefusesWhatIsNoFlag) {
  EXPECT_EQ(Refusal({"store"}), "expected a flag, got \"store\"");
  EXPECT_EQ(Refusal({"--grpc-port=1", "2"}), "expected a flag, got \"2\"");
  EXPECT_EQ(Refusal({""}), "expected a flag, got \"\"");
}

TEST(CommandLineTest, TakesVariables) {
  const ServerConfig config =
      ParsedConfig({}, {{"LADDER_GRPC_PORT", "7"},
                        {"LADDER_DETERMINISTIC", "true"},
                        {"LADDER_CUDA_OPTION", "a=1,b=2"},
                        {"LADDER_EXIT_TIMEOUT_SECS", "1.5"}});

  EXPECT_EQ(config.listen.grpc_port, 7);
  EXPECT_TRUE(config.engine.deterministic);
  EXPECT_EQ(config.engine.cuda_options.size(), 2);
  EXPECT_EQ(config.life_cycle.exit_timeout, absl::Milliseconds(1500));
}

TEST(CommandLineTest, TakesEveryFlagFromItsVariable) {
  // Valid, and other than the defaults where only one value is not enough.
  ServerConfig wanted = ParsedConfig(
      {"--grpc-port=1", "--http-port=2", "--model-control-mode=explicit",
       "--load-model=a,b", "--model-labels=a:b=1", "--batch-sizes=2,4",
       "--cuda-option=a=b", "--tls-certificate=c", "--tls-key=k",
       "--tls-client-ca=ca", "--auth-token-file=t", "--log-level=error",
       "--model-version-policy=a=all;b=specific:1,2", "--required-models=a"});
  Environment environment;
  for (const Flag& flag : ServerFlags(wanted)) {
    environment[flag.EnvironmentName()] = flag.value.Get();
  }

  const auto parsed = ParseCommandLine({}, environment);

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(FormatConfig(parsed->config), FormatConfig(wanted));
  EXPECT_THAT(parsed->warnings, IsEmpty());
}

TEST(CommandLineTest, NamesTheVariableThatIsWrong) {
  EXPECT_EQ(Refusal({}, {{"LADDER_GRPC_PORT", "x"}}),
            "LADDER_GRPC_PORT: expected a port from 0 to 65535, got \"x\"");
}

TEST(CommandLineTest, TakesAnEmptyVariableForNotSet) {
  EXPECT_EQ(ParsedConfig({}, {{"LADDER_GRPC_PORT", ""}}).listen.grpc_port,
            ServerConfig{}.listen.grpc_port);
}

TEST(CommandLineTest, LetsFlagsWinOverVariables) {
  EXPECT_EQ(ParsedConfig({"--grpc-port=1"}, {{"LADDER_GRPC_PORT", "2"}})
                .listen.grpc_port,
            1);
}

TEST(CommandLineTest, DoesNotJoinRepeatedFlagsToTheirVariable) {
  const ServerConfig config =
      ParsedConfig({"--required-models=a", "--required-models=b"},
                   {{"LADDER_REQUIRED_MODELS", "c"}});

  EXPECT_THAT(config.models.required, ElementsAre("a", "b"));
}

TEST(CommandLineTest, WarnsOfVariablesThatLookLikeOurs) {
  const auto parsed =
      ParseCommandLine({}, {{"LADDER_MODEL_REPOSITORY", "store"},
                            {"LADDER_GRPC_PROT", "1"},
                            {"LADDER_SOMETHING_ELSE_ALTOGETHER", "1"},
                            {"HOME", "/"}});

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->warnings,
              ElementsAre("LADDER_GRPC_PROT: no such variable, ignored; is it "
                          "LADDER_GRPC_PORT?",
                          "LADDER_SOMETHING_ELSE_ALTOGETHER: no such variable, "
                          "ignored"));
}

TEST(CommandLineTest, ValidatesWhatItHasRead) {
  const auto parsed = ParseCommandLine({}, {});

  EXPECT_EQ(parsed.status(),
            absl::InvalidArgumentError("--model-repository: expected a "
                                       "directory with models, got none"));
}

TEST(CommandLineTest, AnswersHelpAndVersionWhateverElseIsWrong) {
  for (const char* asked : {"--help", "-h"}) {
    const auto help =
        ParseCommandLine(std::vector<std::string>{"--nonsense", asked},
                         {{"LADDER_GRPC_PORT", "x"}});

    ASSERT_TRUE(help.ok()) << help.status();
    EXPECT_THAT(help->answer.value_or(""),
                ::testing::StartsWith("Usage: ladder-server "));
  }
  const auto version =
      ParseCommandLine(std::vector<std::string>{"--version"}, {});

  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_THAT(version->answer.value_or(""),
              ::testing::MatchesRegex("ladder-server [0-9.]+\n"));
}

TEST(CommandLineTest, HasNoAnswerIfNoneWasAskedFor) {
  const auto parsed =
      ParseCommandLine(std::vector<std::string>{"--model-repository=s"}, {});

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->answer.has_value());
}

TEST(ProcessEnvironmentTest, HasTheVariablesOfTheProcess) {
  ASSERT_EQ(setenv("LADDER_TEST_VARIABLE", "a=b", /*replace=*/1), 0);

  EXPECT_EQ(ProcessEnvironment()["LADDER_TEST_VARIABLE"], "a=b");

  ASSERT_EQ(unsetenv("LADDER_TEST_VARIABLE"), 0);
}

}  // namespace
}  // namespace ladder::server
