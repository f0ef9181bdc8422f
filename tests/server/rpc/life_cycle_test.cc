// Readiness, health and the end of a server.

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::kTinySample;
using model_store::TinyBundle;
using ::testing::HasSubstr;

const std::vector<std::string>& HealthNames() {
  static const auto& names = *new std::vector<std::string>{
      "", "ladder.v1.DomainRouting", "inference.GRPCInferenceService"};
  return names;
}

bool HealthIs(TestServer& server, const std::string& expected) {
  for (const std::string& name : HealthNames()) {
    if (server.Health(name) != expected) return false;
  }
  return true;
}

TEST(LifeCycleTest, HealthTurnsServingForEveryService) {
  TestServer server;

  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "SERVING"); }));
  EXPECT_THAT(server.Health("unknown"), HasSubstr("nknown"));
}

TEST(LifeCycleTest, AServerIsNotReadyWithoutARequiredModel) {
  TemporaryDirectory store;
  ServerConfig config;
  config.listen = {.grpc_address = "127.0.0.1",
                   .grpc_port = 0,
                   .allow_http = false,
                   .allow_metrics = false};
  config.models.repository = store.path().string();
  config.models.required = {"tiny"};
  config.models.poll_interval = absl::Milliseconds(20);
  config.engine.device = "cpu";
  const Logger logger({.level = LogLevel::kError});
  const auto waiting = Server::Start(config, logger);
  ASSERT_TRUE(waiting.ok()) << waiting.status();

  EXPECT_FALSE((*waiting)->CheckReady().ok());
  ASSERT_TRUE(model_store::WriteBundle(store.path(), TinyBundle()).ok());
  EXPECT_TRUE(Eventually([&] { return (*waiting)->CheckReady().ok(); }));
}

TEST(LifeCycleTest, AServerSaysWhatItServes) {
  TestServer server;

  const std::string summary = server.server().Summary().value();

  EXPECT_THAT(summary, HasSubstr(absl::StrCat("serves gRPC at 127.0.0.1:",
                                              server.server().ports().grpc)));
  EXPECT_THAT(summary, HasSubstr("device cpu; models: tiny 1"));
}

TEST(LifeCycleTest, APortInUseIsAnErrorWithItsFlag) {
  TestServer server;
  ServerConfig config;
  config.listen = {.grpc_address = "127.0.0.1",
                   .grpc_port = server.server().ports().grpc,
                   .allow_http = false,
                   .allow_metrics = false};
  config.models.repository = server.store().string();
  config.engine.device = "cpu";
  const Logger logger({.level = LogLevel::kError});

  const auto second = Server::Start(config, logger);

  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("--grpc-port: cannot listen at 127.0.0.1:"));
}

TEST(LifeCycleTest, AStoppingServerFinishesItsCallsAndTakesNoMore) {
  TestServer server([](ServerConfig& config) {
    config.life_cycle.exit_timeout = absl::Minutes(10);
  });
  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "SERVING"); }));
  PredictStream in_flight(server);
  ASSERT_TRUE(in_flight.Send(MessageOf("early", RandomSamples(3))));
  ASSERT_TRUE(in_flight.Send(EndOf("early")));
  EXPECT_EQ(in_flight.ReadGroup("early").order, "rpe");

  std::thread stopping([&] { server.server().Stop(); });

  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "NOT_SERVING"); }));
  EXPECT_FALSE(server.server().CheckReady().ok());
  const StreamResult late = Predict(server, {});
  EXPECT_EQ(late.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(late.status.error_message(), "the server is shutting down");
  v1::ListModelsResponse models;
  const grpc::Status late_question =
      Ask(server.routing(), &v1::DomainRouting::StubInterface::ListModels,
          v1::ListModelsRequest(), models);
  EXPECT_EQ(late_question.error_code(), grpc::StatusCode::UNAVAILABLE);
  using Inference = inference::GRPCInferenceService::StubInterface;
  inference::ServerReadyResponse ready;
  EXPECT_TRUE(Ask(server.inference(), &Inference::ServerReady,
                  inference::ServerReadyRequest(), ready)
                  .ok());
  EXPECT_FALSE(ready.ready());
  ASSERT_TRUE(in_flight.Send(MessageOf("late", RandomSamples(3))));
  in_flight.EndInput();
  const StreamResult finished = in_flight.Finish();
  EXPECT_TRUE(finished.status.ok()) << finished.status.error_message();
  EXPECT_EQ(finished.groups.at("late").order, "rpe");
  stopping.join();
}

TEST(LifeCycleTest, CallsThatDoNotFinishInTimeAreCutOff) {
  TestServer server(
      [](ServerConfig& config) {
        config.life_cycle.exit_timeout = absl::Milliseconds(50);
        config.batching.max_queued_samples = 1;
      },
      EndlessBundle());
  const std::vector<float> positive(kTinySample * 20, 1);
  PredictStream predict(server);
  ASSERT_TRUE(predict.Send(MessageOf("g", positive)));
  ASSERT_TRUE(WaitUntilBusy(server));

  server.server().Stop();

  EXPECT_EQ(predict.Finish().status.error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(server.Log(), HasSubstr("calls did not finish in time"));
}

TEST(LifeCycleTest, StoppingTwiceIsStoppingOnce) {
  TestServer server;

  server.server().Stop();
  server.server().Stop();

  EXPECT_FALSE(Predict(server, {}).status.ok());
}

TEST(LifeCycleTest, ManyServersCanComeAndGoWithCallsInFlight) {
  for (int i = 0; i < 5; ++i) {
    TestServer server(
        [](ServerConfig& config) {
          config.life_cycle.exit_timeout = absl::ZeroDuration();
          config.batching.max_queued_samples = 1;
        },
        EndlessBundle());
    const std::vector<float> positive(kTinySample * 20, 1);
    PredictStream stream(server);
    ASSERT_TRUE(stream.Send(MessageOf("g", positive)));
    ASSERT_TRUE(WaitUntilBusy(server));
    server.Log();  // Ends it.
    EXPECT_FALSE(stream.Finish().status.ok());
  }
}

}  // namespace
}  // namespace ladder::server
