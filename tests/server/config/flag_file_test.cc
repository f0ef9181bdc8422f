#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/config/parse.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

class FlagFileTest : public ::testing::Test {
 protected:
  // The flag that names a new file with these lines.
  std::string FlagFile(const std::string& lines) {
    std::ofstream(path_) << lines;
    return absl::StrCat("--flagfile=", path_);
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_.path() / "server.flags";
};

TEST_F(FlagFileTest, TakesFlagsFromItsLines) {
  const ServerConfig config =
      ParsedConfig({FlagFile("# Ports\n"
                             "--grpc-port=1\n"
                             "\n"
                             "   --http-port  2  \r\n"
                             "\t# More\n"
                             "--deterministic\n"
                             "--auth-token-file = a file\n"
                             "--tls-certificate=with space.pem\n"
                             "--tls-key with space.key")});

  EXPECT_EQ(config.listen.grpc_port, 1);
  EXPECT_EQ(config.listen.http_port, 2);
  EXPECT_TRUE(config.engine.deterministic);
  EXPECT_EQ(config.security.auth_token_file, "= a file");
  EXPECT_EQ(config.security.tls_certificate, "with space.pem");
  EXPECT_EQ(config.security.tls_key, "with space.key");
}

TEST_F(FlagFileTest, CountsInThePlaceOfItsFlag) {
  const std::string file = FlagFile("--grpc-port=1\n");

  EXPECT_EQ(ParsedConfig({file, "--grpc-port=2"}).listen.grpc_port, 2);
  EXPECT_EQ(ParsedConfig({"--grpc-port=2", file}).listen.grpc_port, 1);
  EXPECT_EQ(ParsedConfig({"--flagfile", path_}).listen.grpc_port, 1);
}

TEST_F(FlagFileTest, WinsOverVariables) {
  EXPECT_EQ(
      ParsedConfig({FlagFile("--grpc-port=1\n")}, {{"LADDER_GRPC_PORT", "2"}})
          .listen.grpc_port,
      1);
}

TEST_F(FlagFileTest, JoinsRepeatedFlagsToThoseAround) {
  const ServerConfig config =
      ParsedConfig({"--required-models=a",
                    FlagFile("--required-models=b\n--required-models=c\n"),
                    "--required-models=d"});

  EXPECT_THAT(config.models.required, ElementsAre("a", "b", "c", "d"));
}

TEST_F(FlagFileTest, TakesAFormattedConfiguration) {
  const ServerConfig wanted = ParsedConfig(
      {"--model-control-mode=explicit", "--load-model=*", "--batch-sizes=7",
       "--model-labels=a:b=1,c:d=2", "--max-idle-seconds=0.125",
       "--max-group-bytes=1000001", "--device=cuda:3", "--log-format=json",
       "--version-policy=specific:1,2", "--model-version-policy=a=all"});

  const ServerConfig config =
      ParsedConfig({FlagFile(absl::StrJoin(FormatConfig(wanted), "\n"))});

  EXPECT_EQ(FormatConfig(config), FormatConfig(wanted));
}

TEST_F(FlagFileTest, NamesTheLineThatIsWrong) {
  EXPECT_EQ(Refusal({FlagFile("# Ports\n\n--grpc-port=x\n")}),
            path_ +
                ":3: --grpc-port: expected a port from 0 to 65535, got "
                "\"x\"");
  EXPECT_EQ(Refusal({FlagFile("--grpc-prot 1\n")}),
            path_ +
                ":1: expected a known flag, perhaps --grpc-port, got "
                "\"--grpc-prot\"");
  EXPECT_EQ(Refusal({FlagFile("grpc-port=1\n")}),
            path_ + ":1: expected a flag, got \"grpc-port=1\"");
  EXPECT_EQ(Refusal({FlagFile("--grpc-port\n--http-port=1\n")}),
            path_ +
                ":1: --grpc-port: expected a port from 0 to 65535, got "
                "nothing");
}

TEST_F(FlagFileTest, RefusesAFileInsideOfAFile) {
  EXPECT_EQ(Refusal({FlagFile("--flagfile=other.flags\n")}),
            path_ +
                ":1: --flagfile: expected no flag file inside of one, got "
                "\"other.flags\"");
}

TEST_F(FlagFileTest, RefusesWhatCannotBeRead) {
  const std::string missing = directory_.path() / "missing";
  for (const std::string& path :
       {missing, directory_.path().string(), std::string()}) {
    EXPECT_EQ(
        Refusal({"--flagfile=" + path}),
        "--flagfile: expected a file that can be read, got \"" + path + "\"");
  }
}

}  // namespace
}  // namespace ladder::server
