// Who may call what.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Routing = v1::DomainRouting::StubInterface;
using Inference = inference::GRPCInferenceService::StubInterface;

constexpr char kToken[] = "correct-horse-battery-staple-0123456789";

class TokensTest : public ::testing::Test {
 protected:
  TokensTest()
      : token_file_(WriteTokens(directory_)),
        server_([this](ServerConfig& config) {
          config.security.auth_token_file = token_file_;
          config.security.allow_model_control = true;
        }) {}

  static std::string WriteTokens(const TemporaryDirectory& directory) {
    const std::filesystem::path path = directory.path() / "tokens";
    std::ofstream(path) << kToken << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_read |
                                           std::filesystem::perms::owner_write);
    return path.string();
  }

  static std::unique_ptr<grpc::ClientContext> ContextWith(
      const std::string& authorization) {
    auto context = NewContext();
    if (!authorization.empty()) {
      context->AddMetadata("authorization", authorization);
    }
    return context;
  }

  template <typename Stub, typename Request, typename Response>
  grpc::Status Try(Stub& stub,
                   grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                const Request&, Response*),
                   const std::string& authorization) {
    Response response;
    const auto context = ContextWith(authorization);
    return (stub.*method)(context.get(), Request(), &response);
  }

  // How every RPC of the server answers, by name.
  std::map<std::string, grpc::Status> CallAll(const std::string& token) {
    Routing& routing = server_.routing();
    Inference& oip = server_.inference();
    std::map<std::string, grpc::Status> results = {
        {"ListModels", Try(routing, &Routing::ListModels, token)},
        {"GetModel", Try(routing, &Routing::GetModel, token)},
        {"ReloadModel", Try(routing, &Routing::ReloadModel, token)},
        {"ServerLive", Try(oip, &Inference::ServerLive, token)},
        {"ServerReady", Try(oip, &Inference::ServerReady, token)},
        {"ServerMetadata", Try(oip, &Inference::ServerMetadata, token)},
        {"ModelReady", Try(oip, &Inference::ModelReady, token)},
        {"ModelMetadata", Try(oip, &Inference::ModelMetadata, token)},
        {"ModelConfig", Try(oip, &Inference::ModelConfig, token)},
        {"ModelStatistics", Try(oip, &Inference::ModelStatistics, token)},
        {"ModelInfer", Try(oip, &Inference::ModelInfer, token)},
        {"RepositoryIndex", Try(oip, &Inference::RepositoryIndex, token)},
        {"RepositoryModelLoad",
         Try(oip, &Inference::RepositoryModelLoad, token)},
        {"RepositoryModelUnload",
         Try(oip, &Inference::RepositoryModelUnload, token)}};
    {
      PredictStream stream(server_, ContextWith(token));
      stream.EndInput();
      results["PredictDomain"] = stream.Finish().status;
    }
    {
      const auto context = ContextWith(token);
      v1::RouteDomainResponse response;
      const auto call = routing.RouteDomain(context.get(), &response);
      call->WritesDone();
      results["RouteDomain"] = call->Finish();
    }
    {
      const auto context = ContextWith(token);
      const auto call = oip.ModelStreamInfer(context.get());
      call->WritesDone();
      results["ModelStreamInfer"] = call->Finish();
    }
    {
      const auto stub =
          grpc::reflection::v1::ServerReflection::NewStub(server_.channel());
      const auto context = ContextWith(token);
      const auto call = stub->ServerReflectionInfo(context.get());
      call->WritesDone();
      results["ServerReflectionInfo"] = call->Finish();
    }
    return results;
  }

  TemporaryDirectory directory_;
  const std::string token_file_;
  TestServer server_;
};

TEST_F(TokensTest, EveryRpcRefusesCallersWithoutTheToken) {
  for (const std::string authorization :
       {"", "Bearer wrong", "correct-horse-battery-staple-0123456789"}) {
    const auto results = CallAll(authorization);
    EXPECT_EQ(results.size(), 18);
    for (const auto& [rpc, status] : results) {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED)
          << rpc << " with \"" << authorization << "\"";
      EXPECT_THAT(status.error_message(), Not(HasSubstr("correct-horse")));
    }
  }
}

TEST_F(TokensTest, EveryRpcTakesCallersWithTheToken) {
  for (const auto& [rpc, status] : CallAll(absl::StrCat("Bearer ", kToken))) {
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << rpc;
  }
}

TEST_F(TokensTest, HealthIsOpenToAll) {
  EXPECT_TRUE(Eventually([&] { return server_.Health("") == "SERVING"; }));
}

TEST_F(TokensTest, TokensAreNotLogged) {
  CallAll(absl::StrCat("Bearer ", kToken));
  PredictStream stream(server_, ContextWith(absl::StrCat("Bearer ", kToken)));
  ASSERT_TRUE(stream.Send(MessageOf("g", RandomSamples(3))));
  stream.EndInput();
  ASSERT_TRUE(stream.Finish().status.ok());

  const std::string log = server_.Log();

  EXPECT_THAT(log, HasSubstr("\"group\":\"g\""));
  EXPECT_THAT(log, Not(HasSubstr("correct-horse")));
}

}  // namespace
}  // namespace ladder::server
