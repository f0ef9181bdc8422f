// Which models there are, and which version a call is served by.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/rpc/to_proto.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::TinyBundle;
using model_store::VersionPolicy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Routing = v1::DomainRouting::StubInterface;

// The model's status; empty if there is no such model.
v1::ModelStatus StatusOf(TestServer& server, const std::string& name) {
  v1::ListModelsResponse response;
  EXPECT_TRUE(Ask(server.routing(), &Routing::ListModels,
                  v1::ListModelsRequest(), response)
                  .ok());
  for (const auto& model : response.models()) {
    if (model.name() == name) return model;
  }
  return {};
}

std::vector<uint64_t> ServedVersions(TestServer& server,
                                     const std::string& name = "tiny") {
  const v1::ModelStatus status = StatusOf(server, name);
  return {status.served().begin(), status.served().end()};
}

// The version that a new stream is served by.
uint64_t VersionFor(TestServer& server, const v1::ModelRef& ref) {
  v1::GroupOptions options;
  *options.mutable_model() = ref;
  const StreamResult result =
      Predict(server, MessagesOf("g", RandomSamples(3), 3, options));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  return result.status.ok() ? result.groups.at("g").routing.version() : 0;
}

// The version that ModelInfer is served by if none is named.
std::string InferenceVersion(TestServer& server) {
  inference::ModelInferRequest request;
  request.set_model_name("tiny");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(6);
  for (int i = 0; i < 6; ++i) input.mutable_contents()->add_fp32_contents(1);
  inference::ModelInferResponse response;
  const grpc::Status status =
      Ask(server.inference(),
          &inference::GRPCInferenceService::StubInterface::ModelInfer, request,
          response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.model_version();
}

v1::ReloadModelRequest ReloadOf(const std::string& name) {
  v1::ReloadModelRequest request;
  request.set_name(name);
  return request;
}

TEST(ModelsTest, ListModelsSaysWhatIsServed) {
  TestServer server({}, TinyBundle(), TinyBundle({.model = "other"}));

  v1::ListModelsResponse response;
  const grpc::Status status = Ask(server.routing(), &Routing::ListModels,
                                  v1::ListModelsRequest(), response);

  ASSERT_TRUE(status.ok());
  ASSERT_EQ(response.models_size(), 2);
  EXPECT_EQ(response.models(0).name(), "other");
  const v1::ModelStatus& tiny = response.models(1);
  EXPECT_EQ(tiny.name(), "tiny");
  EXPECT_EQ(tiny.policy(), "latest 1");
  EXPECT_THAT(tiny.served(), ElementsAre(1));
  ASSERT_EQ(tiny.versions_size(), 1);
  EXPECT_EQ(tiny.versions(0).version(), 1);
  EXPECT_EQ(tiny.versions(0).state(), "SERVING");
  EXPECT_EQ(tiny.versions(0).sha256().size(), 64);
}

TEST(ModelsTest, GetModelDescribesAModel) {
  TestServer server;
  v1::GetModelResponse model;

  const grpc::Status status =
      Ask(server.routing(), &Routing::GetModel, v1::GetModelRequest(), model);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(model.name(), "tiny");
  EXPECT_EQ(model.version(), 1);
  EXPECT_THAT(model.classes(), ElementsAre("ant", "bee", "cat", "dog"));
  ASSERT_EQ(model.sources_size(), 3);
  EXPECT_EQ(model.sources(1).name(), "source-1");
  EXPECT_EQ(model.sources(1).training_samples(), 50);
  EXPECT_EQ(model.sources(1).fingerprint_samples(), 5);
  EXPECT_THAT(model.sample_shape(), ElementsAre(6));
  EXPECT_FALSE(model.takes_images());
  EXPECT_EQ(model.content_dimension(), 5);
  EXPECT_EQ(model.style_dimension(), 4);
  EXPECT_EQ(model.routing().method(), v1::METHOD_LADDER);
  EXPECT_EQ(model.routing().k(), 2);
  EXPECT_TRUE(model.routing().calibrated());
  EXPECT_EQ(model.max_batch(), 8);
}

TEST(ModelsTest, GetModelDoesNotFindWhatIsNotThere) {
  TestServer server;
  v1::GetModelRequest request;
  request.mutable_model()->set_name("absent");
  v1::GetModelResponse model;

  const grpc::Status status =
      Ask(server.routing(), &Routing::GetModel, request, model);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(ModelsTest, ModelsAreNotControlledByCallsUnlessAllowed) {
  TestServer server;
  v1::ReloadModelResponse response;
  inference::RepositoryModelLoadRequest load;
  load.set_model_name("tiny");
  inference::RepositoryModelLoadResponse loaded;
  inference::RepositoryModelUnloadRequest unload;
  unload.set_model_name("tiny");
  inference::RepositoryModelUnloadResponse unloaded;
  using Inference = inference::GRPCInferenceService::StubInterface;

  for (const grpc::Status& status :
       {Ask(server.routing(), &Routing::ReloadModel, ReloadOf("tiny"),
            response),
        Ask(server.inference(), &Inference::RepositoryModelLoad, load, loaded),
        Ask(server.inference(), &Inference::RepositoryModelUnload, unload,
            unloaded)}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(status.error_message(),
              "expected --allow-model-control, which this server runs without");
  }
  EXPECT_TRUE(IsHealthy(server));
}

TEST(ModelsTest, ReloadModelFindsANewVersionAtOnce) {
  TestServer server([](ServerConfig& config) {
    config.security.allow_model_control = true;
    config.models.poll_interval = absl::Hours(1);
  });
  server.Publish(TinyBundle({.version = 2}));
  EXPECT_THAT(ServedVersions(server), ElementsAre(1));

  v1::ReloadModelResponse response;
  const grpc::Status status =
      Ask(server.routing(), &Routing::ReloadModel, ReloadOf("tiny"), response);

  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.model().name(), "tiny");
  EXPECT_THAT(response.model().served(), ElementsAre(2));
  EXPECT_EQ(VersionFor(server, {}), 2);
}

TEST(ModelsTest, ReloadModelTakesNoPaths) {
  TestServer server(
      [](ServerConfig& config) { config.security.allow_model_control = true; });
  v1::ReloadModelResponse response;

  for (const char* name : {"../tiny", "/tiny", "", ".."}) {
    const grpc::Status status =
        Ask(server.routing(), &Routing::ReloadModel, ReloadOf(name), response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST(ModelsTest, InExplicitModeModelsComeAndGoByCalls) {
  TestServer server(
      [](ServerConfig& config) {
        config.security.allow_model_control = true;
        config.models.control_mode = StoreMode::kExplicit;
        config.models.load = {"tiny"};
      },
      TinyBundle(), TinyBundle({.model = "other"}));
  using Inference = inference::GRPCInferenceService::StubInterface;
  EXPECT_THAT(ServedVersions(server, "other"), ElementsAre());

  v1::ReloadModelResponse reloaded;
  const grpc::Status load =
      Ask(server.routing(), &Routing::ReloadModel, ReloadOf("other"), reloaded);
  EXPECT_TRUE(load.ok()) << load.error_message();
  EXPECT_THAT(ServedVersions(server, "other"), ElementsAre(1));

  inference::RepositoryModelUnloadRequest request;
  request.set_model_name("other");
  inference::RepositoryModelUnloadResponse unloaded;
  EXPECT_TRUE(Ask(server.inference(), &Inference::RepositoryModelUnload,
                  request, unloaded)
                  .ok());
  EXPECT_THAT(ServedVersions(server, "other"), ElementsAre());
  EXPECT_THAT(ServedVersions(server, "tiny"), ElementsAre(1));
}

TEST(ModelsTest, AStreamStaysWithTheVersionThatItBeganWith) {
  TestServer server;
  PredictStream stream(server);
  ASSERT_TRUE(stream.Send(MessageOf("first", RandomSamples(3))));
  ASSERT_TRUE(stream.Send(EndOf("first")));
  EXPECT_EQ(stream.ReadGroup("first").routing.version(), 1);

  server.Publish(TinyBundle({.version = 2, .seed = 2}));
  EXPECT_TRUE(Eventually(
      [&] { return ServedVersions(server) == std::vector<uint64_t>{2}; }));

  EXPECT_EQ(VersionFor(server, {}), 2);
  ASSERT_TRUE(stream.Send(MessageOf("second", RandomSamples(3))));
  ASSERT_TRUE(stream.Send(EndOf("second")));
  EXPECT_EQ(stream.ReadGroup("second").routing.version(), 1);
  stream.EndInput();
  EXPECT_TRUE(stream.Finish().status.ok());
  // With the stream, the hold on the old version is gone.
  EXPECT_TRUE(Eventually([&] {
    return StatusOf(server, "tiny").versions(0).state() == "UNLOADED";
  }));
}

TEST(ModelsTest, OldVersionsAreUnloadedWhateverCallsTheyServed) {
  // What keeps a model beyond its calls would be a leak.
  TestServer server;
  v1::RouteDomainRequest route;
  *route.mutable_samples() = TensorSamples(RandomSamples(3));
  v1::RouteDomainResponse routed;
  {
    const auto context = NewContext();
    const auto call = server.routing().RouteDomain(context.get(), &routed);
    ASSERT_TRUE(call->Write(route));
    call->WritesDone();
    ASSERT_TRUE(call->Finish().ok());
  }
  inference::ModelInferRequest infer;
  infer.set_model_name("tiny");
  auto& input = *infer.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(6);
  for (int i = 0; i < 6; ++i) {
    input.mutable_contents()->add_fp32_contents(-1);
  }
  inference::ModelInferResponse inferred;
  const grpc::Status status =
      Ask(server.inference(),
          &inference::GRPCInferenceService::StubInterface::ModelInfer, infer,
          inferred);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_TRUE(IsHealthy(server));

  server.Publish(TinyBundle({.version = 2}));

  EXPECT_TRUE(Eventually([&] {
    return ServedVersions(server) == std::vector<uint64_t>{2} &&
           StatusOf(server, "tiny").versions(0).state() == "UNLOADED";
  }));
}

TEST(ModelsTest, VersionsCanBeChosenByNumberAndByLabel) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.policy = VersionPolicy::All();
        config.models.labels = {{"tiny", {{"stable", 1}}}};
      },
      TinyBundle(), TinyBundle({.version = 2}));
  v1::ModelRef ref;
  ref.set_name("tiny");
  ref.set_version(2);
  EXPECT_EQ(VersionFor(server, ref), 2);
  ref.set_label("stable");
  EXPECT_EQ(VersionFor(server, ref), 1);
}

TEST(ModelsTest, WhatIsWrongWithAVersionCanQuoteAFilesName) {
  model_store::ModelInfo info;
  info.versions.push_back(
      {.version = 1,
       .state = model_store::VersionState::kFailed,
       .status = absl::InvalidArgumentError("caf\xE9.onnx: no")});
  v1::ModelStatus status;

  ModelStatusToProto(info, status);

  EXPECT_EQ(status.versions(0).message(), "caf\\xE9.onnx: no");
}

v1::SetModelLabelRequest LabelOf(const std::string& label, uint64_t version) {
  v1::SetModelLabelRequest request;
  request.set_name("tiny");
  request.set_label(label);
  request.set_version(version);
  return request;
}

TEST(ModelsTest, WhoNamesNothingIsServedByTheStableVersion) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.policy = VersionPolicy::All();
        config.models.labels = {{"tiny", {{"stable", 1}}}};
      },
      TinyBundle(), TinyBundle({.version = 2}));

  EXPECT_EQ(VersionFor(server, {}), 1);
  v1::ModelRef ref;
  ref.set_name("tiny");
  EXPECT_EQ(VersionFor(server, ref), 1);
  EXPECT_EQ(InferenceVersion(server), "1");
  EXPECT_EQ(StatusOf(server, "tiny").default_version(), 1);
}

TEST(ModelsTest, ACanaryIsPromotedWhileItIsServed) {
  TestServer server(
      [](ServerConfig& config) {
        config.security.allow_label_control = true;
        config.models.labels = {{"tiny", {{"stable", 1}, {"canary", 2}}}};
      },
      TinyBundle(), TinyBundle({.version = 2}));
  EXPECT_EQ(VersionFor(server, {}), 1);

  v1::SetModelLabelResponse response;
  const grpc::Status status = Ask(server.routing(), &Routing::SetModelLabel,
                                  LabelOf("stable", 2), response);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.model().labels().at("stable"), 2);
  EXPECT_EQ(response.model().default_version(), 2);
  EXPECT_EQ(VersionFor(server, {}), 2);
  EXPECT_EQ(InferenceVersion(server), "2");
  // Whoever starts later begins with it.
  EXPECT_TRUE(std::filesystem::exists(server.store() / "tiny/labels.json"));
}

TEST(ModelsTest, ALabelThatCannotMoveStays) {
  TestServer server(
      [](ServerConfig& config) { config.security.allow_label_control = true; });
  v1::SetModelLabelResponse response;
  const auto code_of = [&](const v1::SetModelLabelRequest& request) {
    return Ask(server.routing(), &Routing::SetModelLabel, request, response)
        .error_code();
  };
  EXPECT_EQ(code_of(LabelOf("stable", 1)), grpc::StatusCode::OK);

  EXPECT_EQ(code_of(LabelOf("stable", 7)), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(code_of(LabelOf("7", 1)), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code_of(LabelOf("next", 0)), grpc::StatusCode::NOT_FOUND);
  v1::SetModelLabelRequest elsewhere = LabelOf("stable", 1);
  elsewhere.set_name("../tiny");
  EXPECT_EQ(code_of(elsewhere), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(StatusOf(server, "tiny").labels().at("stable"), 1);
  EXPECT_EQ(code_of(LabelOf("stable", 0)), grpc::StatusCode::OK);
  EXPECT_TRUE(StatusOf(server, "tiny").labels().empty());
}

TEST(ModelsTest, LabelsAreNotMovedByCallsUnlessAllowed) {
  TestServer server(
      [](ServerConfig& config) { config.security.allow_model_control = true; });
  v1::SetModelLabelResponse response;

  const grpc::Status status = Ask(server.routing(), &Routing::SetModelLabel,
                                  LabelOf("stable", 1), response);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(status.error_message(),
            "expected --allow-label-control, which this server runs without");
}

TEST(ModelsTest, AFileOfLabelsIsFollowed) {
  TestServer server(
      [](ServerConfig& config) { config.models.policy = VersionPolicy::All(); },
      TinyBundle(), TinyBundle({.version = 2}));
  EXPECT_EQ(VersionFor(server, {}), 2);

  std::ofstream(server.store() / "tiny/labels.json") << R"({"stable": 1})";
  EXPECT_TRUE(Eventually(
      [&] { return StatusOf(server, "tiny").default_version() == 1; }));
  EXPECT_EQ(VersionFor(server, {}), 1);
  std::ofstream(server.store() / "tiny/labels.json") << "stable: 2";

  EXPECT_TRUE(Eventually(
      [&] { return !StatusOf(server, "tiny").labels_message().empty(); }));
  EXPECT_THAT(StatusOf(server, "tiny").labels_message(),
              HasSubstr("labels stay as they were: labels.json: "));
  EXPECT_EQ(VersionFor(server, {}), 1);
}

TEST(ModelsTest, ABrokenVersionDoesNotDisturbTheOldOne) {
  TestServer server;
  // Spoilt before the server can see it.
  TemporaryDirectory elsewhere;
  const auto written =
      model_store::WriteBundle(elsewhere.path(), TinyBundle({.version = 2}));
  ASSERT_TRUE(written.ok());
  std::filesystem::resize_file(*written / "encoder.onnx", 10);
  std::filesystem::copy(*written, server.store() / "tiny" / "2");

  EXPECT_TRUE(Eventually([&] {
    const v1::ModelStatus status = StatusOf(server, "tiny");
    return status.versions_size() == 2 &&
           status.versions(1).state() == "FAILED";
  }));

  EXPECT_THAT(StatusOf(server, "tiny").versions(1).message(),
              HasSubstr("encoder.onnx"));
  EXPECT_EQ(VersionFor(server, {}), 1);
  EXPECT_TRUE(server.server().CheckReady().ok());
}

}  // namespace
}  // namespace ladder::server
