#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/terminal/exit_code.h"
#include "client/command/commands.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/fake_ladder.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Outcome {
  int exit_code = 0;
  std::string out = {};
  std::string err = {};
};

Outcome RunWith(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = RunLadder(arguments, {.out = out, .err = err});
  return {exit_code, out.str(), err.str()};
}

// The command against a server that has all it is asked for.
class SubcommandsTest : public ::testing::Test {
 protected:
  SubcommandsTest() {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.RegisterService(&fake_);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port_);
    server_ = builder.BuildAndStart();
  }
  ~SubcommandsTest() override { server_->Shutdown(); }

  Outcome Ladder(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(),
                     {"--server", Address(), "--attempts", "1"});
    return RunWith(arguments);
  }
  std::string Address() const { return absl::StrCat("127.0.0.1:", port_); }

  std::string Csv() const {
    return folder_
        .Write("birds.csv",
               "place,x\nbroken,1\nnorth,2\nnorth,3\nsouth,4\nsouth,5\n")
        .string();
  }

  FakeLadder fake_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  DataFolder folder_;
};

TEST_F(SubcommandsTest, ModelsListsVersionsAndWhatIsWrongWithThem) {
  const Outcome models = Ladder({"models"});

  EXPECT_EQ(models.exit_code, base::kExitOk);
  EXPECT_THAT(models.out, HasSubstr("SERVING (default)  canary"));
  EXPECT_THAT(models.out, HasSubstr("heads.onnx: no such file"));
}

TEST_F(SubcommandsTest, ModelsAsJsonHasAllFields) {
  const auto json = nlohmann::json::parse(Ladder({"models", "--json"}).out);

  EXPECT_EQ(json["models"][0]["versions"][0]["state"], "FAILED");
  EXPECT_EQ(json["models"][0]["labels"]["canary"], "3");
}

TEST_F(SubcommandsTest, ModelDescribesTheVersionThatIsNamed) {
  EXPECT_THAT(Ladder({"model", "birds:2"}).out, HasSubstr("birds 2\n"));
  const auto json =
      nlohmann::json::parse(Ladder({"model", "birds", "--json"}).out);
  EXPECT_EQ(json["sources"][1]["name"], "lake");
}

TEST_F(SubcommandsTest, AnUnknownModelFailsWithAdvice) {
  const Outcome fish = Ladder({"model", "fish"});

  EXPECT_EQ(fish.exit_code, base::kExitFailed);
  EXPECT_THAT(fish.err, AllOf(HasSubstr("\"fish\" is not in the store"),
                              HasSubstr("ladder models")));
}

TEST_F(SubcommandsTest, HealthTellsServingFromNotServingFromNobody) {
  const Outcome serving = Ladder({"health"});
  EXPECT_EQ(serving.exit_code, base::kExitOk);
  EXPECT_EQ(serving.out, absl::StrCat(Address(), ": serving birds 3\n"));

  server_->GetHealthCheckService()->SetServingStatus(false);
  const Outcome not_serving = Ladder({"health"});
  EXPECT_EQ(not_serving.exit_code, base::kExitFailed);
  EXPECT_THAT(not_serving.out, HasSubstr("not serving"));

  server_->Shutdown();
  const Outcome nobody = Ladder({"health"});
  EXPECT_EQ(nobody.exit_code, base::kExitUnavailable);
  EXPECT_THAT(nobody.err, HasSubstr(Address()));
}

TEST_F(SubcommandsTest, HealthOfAServerThatIsFrozenIsThatOfNobody) {
  // Connections are made, by the kernel, and nobody takes them.
  const int frozen = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(frozen, raw, size), 0);
  ASSERT_EQ(listen(frozen, 8), 0);
  ASSERT_EQ(getsockname(frozen, raw, &size), 0);

  const Outcome health =
      RunWith({"health", "--timeout", "0.2", "--server",
               absl::StrCat("127.0.0.1:", ntohs(address.sin_port))});

  EXPECT_EQ(health.exit_code, base::kExitUnavailable) << health.err;
  close(frozen);
}

TEST_F(SubcommandsTest, HealthFailsForServicesThatAreNotThere) {
  EXPECT_EQ(Ladder({"health", "--service", "nope"}).exit_code,
            base::kExitFailed);
}

TEST_F(SubcommandsTest, RouteUploadsAGroupOnceForAllQuestions) {
  const Outcome route =
      Ladder({"route", Csv(), "--group-by", "place", "--group", "south",
              "--method", "ladder,nearest", "--k", "1,2", "--tau", "0.25,0.5"});

  EXPECT_EQ(route.exit_code, base::kExitOk) << route.err;
  EXPECT_THAT(fake_.uploads(), ElementsAre("south"));
  // A heading, titles, four combinations of ladder, one of nearest.
  EXPECT_EQ(std::count(route.out.begin(), route.out.end(), '\n'), 7);
  EXPECT_THAT(route.out, HasSubstr("south: 2 samples, model birds 3"));
}

TEST_F(SubcommandsTest, RouteNamesTheGroupThatFailsAndGoesOn) {
  const Outcome route = Ladder({"route", Csv(), "--group-by", "place"});

  EXPECT_EQ(route.exit_code, base::kExitFailed);
  EXPECT_THAT(route.err, HasSubstr("group broken: too few samples"));
  EXPECT_THAT(route.out, AllOf(HasSubstr("north: "), HasSubstr("south: ")));
}

TEST_F(SubcommandsTest, RouteTellsOfAnUnknownModelBeforeUploading) {
  const Outcome route =
      Ladder({"route", Csv(), "--group-by", "place", "--model", "fish"});

  EXPECT_EQ(route.exit_code, base::kExitFailed);
  EXPECT_THAT(route.err, HasSubstr("\"fish\" is not in the store"));
  EXPECT_THAT(fake_.uploads(), IsEmpty());
}

TEST_F(SubcommandsTest, WrongOptionsAreToldOnceBeforeUploading) {
  const Outcome route =
      Ladder({"route", Csv(), "--group-by", "place", "--k", "1,9"});

  EXPECT_EQ(route.exit_code, base::kExitFailed);
  EXPECT_EQ(route.err, "ladder: routing: k: expected at most 2, got 9\n");
  EXPECT_THAT(fake_.uploads(), IsEmpty());
}

TEST_F(SubcommandsTest, ATokenFileMayHaveCommentsAndNames) {
  const std::string file =
      folder_.Write("tokens", "# ours\n\n alice  secret-of-alice\r\nbob x\n")
          .string();

  EXPECT_EQ(Ladder({"models", "--token-file", file}).exit_code, base::kExitOk);

  EXPECT_EQ(fake_.authorization(), "Bearer secret-of-alice");
  const std::string empty = folder_.Write("none", "# nothing\n\n").string();
  const Outcome none = Ladder({"models", "--token-file", empty});
  EXPECT_EQ(none.exit_code, base::kExitFailed);
  EXPECT_THAT(none.err, HasSubstr("--token-file: expected"));
}

TEST_F(SubcommandsTest, RouteAsJsonHasALineForEachGroup) {
  const Outcome route =
      Ladder({"route", Csv(), "--group-by", "place", "--group", "north",
              "--group", "south", "--json"});

  const std::vector<std::string> lines = absl::StrSplit(route.out, '\n');
  ASSERT_THAT(lines, ElementsAre(Not(IsEmpty()), Not(IsEmpty()), ""));
  const auto north = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(north["group"], "north");
  EXPECT_EQ(north["routings"][0]["coverage"]["verdict"], "EDGE");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["group"], "south");
}

TEST_F(SubcommandsTest, RouteNamesAGroupThatIsNotThere) {
  const Outcome route =
      Ladder({"route", Csv(), "--group-by", "place", "--group", "west"});

  EXPECT_EQ(route.exit_code, base::kExitFailed);
  EXPECT_THAT(route.err, HasSubstr("got west"));
  EXPECT_THAT(fake_.uploads(), IsEmpty());
}

TEST_F(SubcommandsTest, BenchFailsWhenRequestsDo) {
  // The fake does not predict.
  const Outcome bench = Ladder({"bench", "--model", "birds", "--requests", "2",
                                "--warm-up", "0", "--json"});

  EXPECT_EQ(bench.exit_code, base::kExitFailed);
  EXPECT_EQ(nlohmann::json::parse(bench.out)["failed"], 2) << bench.err;
}

TEST(SubcommandUsageTest, WhatIsWrongIsNamedOnce) {
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"model", "birds:x"}, "NAME: expected NAME, NAME:VERSION"},
           {{"route", ".", "--k", "0"}, "--k: expected a number"},
           {{"route", ".", "--tau", "-1"}, "--tau: expected a positive"},
           {{"route", ".", "--method", "fixed"}, "--method: fixed not in"},
           {{"predict", ".", "--method", "fixed"}, "--method: fixed not in"},
           {{"route", ".", "--where", "split"}, "--where: expected COLUMN"},
           {{"watch", "ftp://a"}, "ADDRESS: expected HOST"},
           {{"bench", "--rate", "5", "--concurrency", "2"}, "--rate"},
           {{"completion", "tcsh"}, "tcsh not in {bash,zsh,fish}"}}) {
    const Outcome outcome = RunWith(arguments);

    EXPECT_EQ(outcome.exit_code, base::kExitUsage) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST(SubcommandUsageTest, HelpEndsInExamples) {
  for (const std::string command : {"predict", "route", "models", "model",
                                    "health", "watch", "bench", "completion"}) {
    const Outcome help = RunWith({command, "--help"});

    EXPECT_EQ(help.exit_code, base::kExitOk);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  ")) << command;
  }
}

}  // namespace
}  // namespace ladder::client
