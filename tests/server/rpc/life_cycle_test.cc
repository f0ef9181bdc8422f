// Readiness, health and the end of a server.

#include <filesystem>
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

// A server of `store`, which follows it closely.
ServerConfig ConfigFor(const TemporaryDirectory& store) {
  ServerConfig config;
  config.listen = {.grpc_address = "127.0.0.1",
                   .grpc_port = 0,
                   .allow_http = false,
                   .allow_metrics = false};
  config.models.repository = store.path().string();
  config.models.poll_interval = absl::Milliseconds(20);
  config.engine.device = "cpu";
  return config;
}

TEST(LifeCycleTest, AServerOfAnEmptyStoreIsNotReady) {
  TemporaryDirectory store;
  const Logger logger({.level = LogLevel::kError});
  const auto waiting = Server::Start(ConfigFor(store), logger);
  ASSERT_TRUE(waiting.ok()) << waiting.status();

  EXPECT_THAT(std::string((*waiting)->CheckReady().message()),
              HasSubstr(absl::StrCat("no model of ", store.path().string(),
                                     " is served")));
  ASSERT_TRUE(model_store::WriteBundle(store.path(), TinyBundle()).ok());
  EXPECT_TRUE(Eventually([&] { return (*waiting)->CheckReady().ok(); }));
}

TEST(LifeCycleTest, AModelThatWasRemovedIsNotAskedForAnyMore) {
  TestServer server({}, TinyBundle(), TinyBundle({.model = "other"}));
  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "SERVING"); }));
  // Somebody still holds a version of it.
  v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
  message.mutable_options()->mutable_model()->set_name("other");
  PredictStream stream(server);
  ASSERT_TRUE(stream.Send(message));
  ASSERT_TRUE(stream.Send(EndOf("g")));
  EXPECT_EQ(stream.ReadGroup("g").order, "rpe");

  std::filesystem::remove_all(server.store() / "other");

  v1::GetModelRequest request;
  request.mutable_model()->set_name("other");
  v1::GetModelResponse response;
  EXPECT_TRUE(Eventually([&] {
    return !Ask(server.routing(), &v1::DomainRouting::StubInterface::GetModel,
                request, response)
                .ok();
  }));
  EXPECT_TRUE(server.server().CheckReady().ok())
      << server.server().CheckReady();
  EXPECT_TRUE(HealthIs(server, "SERVING"));
}

TEST(LifeCycleTest, AModelThatIsRequiredByNameIsAskedForEvenWhenRemoved) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.required = {"tiny", "other"};
      },
      TinyBundle(), TinyBundle({.model = "other"}));

  std::filesystem::remove_all(server.store() / "other");

  EXPECT_TRUE(Eventually([&] { return !server.server().CheckReady().ok(); }));
  EXPECT_THAT(std::string(server.server().CheckReady().message()),
              HasSubstr("model \"other\""));
  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "NOT_SERVING"); }));
  EXPECT_EQ(server.Health("live"), "SERVING");
}

TEST(LifeCycleTest, AModelThatWasUnloadedByACallIsNotAskedForAnyMore) {
  TestServer server(
      [](ServerConfig& config) {
        config.security.allow_model_control = true;
        config.models.control_mode = model_store::StoreMode::kExplicit;
        config.models.load = {"tiny", "other"};
      },
      TinyBundle(), TinyBundle({.model = "other"}));
  inference::RepositoryModelUnloadRequest request;
  request.set_model_name("other");
  inference::RepositoryModelUnloadResponse response;
  using Inference = inference::GRPCInferenceService::StubInterface;

  ASSERT_TRUE(Ask(server.inference(), &Inference::RepositoryModelUnload,
                  request, response)
                  .ok());

  EXPECT_TRUE(server.server().CheckReady().ok())
      << server.server().CheckReady();
}

TEST(LifeCycleTest, AServerIsNotReadyWithoutARequiredModel) {
  TemporaryDirectory store;
  ServerConfig config = ConfigFor(store);
  config.models.required = {"tiny"};
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

  std::thread stopping([&] { EXPECT_TRUE(server.server().Stop().ok()); });

  EXPECT_TRUE(Eventually([&] { return HealthIs(server, "NOT_SERVING"); }));
  EXPECT_EQ(server.Health("live"), "SERVING");
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

  EXPECT_TRUE(server.server().Stop().ok());

  EXPECT_EQ(predict.Finish().status.error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(server.Log(), HasSubstr("calls did not finish in time"));
}

TEST(LifeCycleTest, AStopDoesNotWaitForWorkWithoutALimit) {
  TestServer server(
      [](ServerConfig& config) {
        config.life_cycle = {.exit_timeout = absl::ZeroDuration(),
                             .stop_grace = absl::ZeroDuration()};
        config.batching.max_queued_samples = 1;
      },
      EndlessBundle());
  PredictStream predict(server);
  ASSERT_TRUE(
      predict.Send(MessageOf("g", std::vector<float>(kTinySample * 20, 1))));
  ASSERT_TRUE(WaitUntilBusy(server));

  const absl::Status stopped = server.server().Stop();

  EXPECT_EQ(stopped.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(stopped.message()),
              HasSubstr("expected all work to end within 0, waited for "));
  server.Log();  // Ends it, however long that takes.
}

TEST(LifeCycleTest, StoppingTwiceIsStoppingOnce) {
  TestServer server;

  EXPECT_TRUE(server.server().Stop().ok());
  EXPECT_TRUE(server.server().Stop().ok());

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
