// Every limit says its flag, and what is beyond it harms nobody else.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/imaging/test_images.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

using model_store::kTinySample;
using ::testing::HasSubstr;

void ExpectExhausted(const grpc::Status& status, const std::string& flag) {
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr(flag));
}

// The hint when to try again, in milliseconds; -1 if there is none.
int RetryHint(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find("grpc-retry-pushback-ms");
  int milliseconds = -1;
  if (found != metadata.end() &&
      !absl::SimpleAtoi(
          absl::string_view(found->second.data(), found->second.size()),
          &milliseconds)) {
    return -1;
  }
  return milliseconds;
}

TEST(LimitsTest, AGroupHasSoManySamples) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_group_samples = 10; });

  const StreamResult result =
      Predict(server, MessagesOf("g", RandomSamples(11), 4));
  const StreamResult just_right =
      Predict(server, MessagesOf("g", RandomSamples(10), 4));

  ExpectExhausted(result.status,
                  "--max-group-samples: expected a group of at "
                  "most 10 samples, got 11");
  EXPECT_TRUE(just_right.status.ok());
}

TEST(LimitsTest, AGroupTakesSoManyBytes) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_group_bytes = 8000; });

  const StreamResult result =
      Predict(server, MessagesOf("g", RandomSamples(100), 100));

  ExpectExhausted(result.status,
                  "--max-group-bytes: expected a group to take "
                  "at most 8000 bytes, got ");
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AStreamHasSoManyGroupsOpen) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_groups_per_stream = 2; });
  const std::vector<float> x = RandomSamples(3);
  std::vector<v1::PredictDomainRequest> messages = {
      MessageOf("a", x), MessageOf("b", x), MessageOf("c", x)};

  const StreamResult ended = Predict(server, messages);
  messages.front().set_continue_on_group_error(true);
  const StreamResult continued = Predict(server, messages);

  ExpectExhausted(ended.status,
                  "group \"c\": --max-groups-per-stream: expected at most 2 "
                  "groups open at once, got one more");
  EXPECT_TRUE(continued.status.ok());
  EXPECT_EQ(continued.groups.at("a").order, "rpe");
  EXPECT_EQ(continued.groups.at("b").order, "rpe");
  EXPECT_EQ(continued.groups.at("c").order, "x");
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AStreamCannotHaveFailedGroupsWithoutEnd) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_groups_per_stream = 3; });
  PredictStream stream(server);
  v1::PredictDomainRequest message = MessageOf("", RandomSamples(3));
  message.set_continue_on_group_error(true);
  message.mutable_options()->mutable_model()->set_name("unknown");
  for (int i = 0; i < 10; ++i) {
    message.set_group(absl::StrCat("group-", i));
    if (!stream.Send(message)) break;
  }

  ExpectExhausted(stream.Finish().status, "--max-groups-per-stream");
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, SoManyStreamsAreServedAtOnceAndTheNextIsToldWhenToComeAgain) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_concurrent_streams = 1; });
  PredictStream first(server);
  ASSERT_TRUE(first.Send(MessageOf("g", RandomSamples(3))));
  ASSERT_TRUE(first.Send(EndOf("g")));
  EXPECT_EQ(first.ReadGroup("g").order, "rpe");  // It is certainly in.

  // The same connection, and another one.
  for (const auto& channel : {server.channel(), server.NewChannel()}) {
    const auto stub = v1::DomainRouting::NewStub(channel);
    PredictStream second(*stub, NewContext());
    ExpectExhausted(second.Finish().status,
                    "--max-concurrent-streams: expected at most 1 calls at "
                    "once, one more came");
    // Not so soon that callers hammer.
    EXPECT_GE(RetryHint(second.context()), 250);
  }
  // Who only asks is answered, streams or not.
  EXPECT_TRUE(Eventually([&] { return server.Health("") == "SERVING"; }));

  first.EndInput();
  EXPECT_TRUE(first.Finish().status.ok());
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, OneClientHasSoManyStreamsAndLeavesTheRestToOthers) {
  TemporaryDirectory directory;
  const std::filesystem::path tokens = directory.path() / "tokens";
  std::ofstream(tokens) << "greedy 0123456789abcdef\nother fedcba9876543210\n";
  TestServer server([&](ServerConfig& config) {
    config.security.auth_token_file = tokens.string();
    config.limits.max_streams_per_client = 2;
  });
  const auto open = [&](const std::string& token) {
    auto context = NewContext();
    context->AddMetadata("authorization", "Bearer " + token);
    return std::make_unique<PredictStream>(server, std::move(context));
  };
  const auto serve = [&](PredictStream& stream) {
    EXPECT_TRUE(stream.Send(MessageOf("g", RandomSamples(3))));
    EXPECT_TRUE(stream.Send(EndOf("g")));
    return stream.ReadGroup("g").order;
  };
  const auto first = open("0123456789abcdef");
  const auto second = open("0123456789abcdef");
  EXPECT_EQ(serve(*first), "rpe");  // They are certainly in.
  EXPECT_EQ(serve(*second), "rpe");

  const auto third = open("0123456789abcdef");
  ExpectExhausted(third->Finish().status,
                  "--max-streams-per-client: expected at most 2 calls of one "
                  "client at once (token greedy), one more came");
  EXPECT_GE(RetryHint(third->context()), 250);
  const auto other = open("fedcba9876543210");
  EXPECT_EQ(serve(*other), "rpe");

  for (const auto& stream : {first.get(), second.get(), other.get()}) {
    stream->EndInput();
    EXPECT_TRUE(stream->Finish().status.ok());
  }
}

TEST(LimitsTest, PicturesAheadOfTheEncoderAreSlowedAndNotRefused) {
  TestServer server(
      [](ServerConfig& config) {
        config.limits.max_inflight_bytes = 1'600'000;
      },
      model_store::TinyBundle(
          {.input = model_store::TinyBundleOptions::Input::kImage}));
  const imaging::Image image = imaging::Photograph(10, 10);
  const imaging::Bytes bytes = imaging::WritePng({}, image.View());
  const std::string file(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size());
  std::vector<v1::PredictDomainRequest> messages(10);
  for (v1::PredictDomainRequest& message : messages) {
    message.set_group("g");
    *message.mutable_samples() =
        ImageSamples(std::vector<std::string>(200, file));
  }

  // Decoded they would take 1,536,000 bytes at once.
  const StreamResult result = Predict(server, messages);

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.groups.at("g").labels.size(), 2000);
}

TEST(LimitsTest, SoManySamplesWaitAndTheNextGroupIsToldWhenToComeAgain) {
  TestServer server(
      [](ServerConfig& config) { config.batching.max_queued_samples = 1; },
      EndlessBundle(), model_store::TinyBundle());
  const std::vector<float> positive(kTinySample * 20, 1);
  v1::PredictDomainRequest message = MessageOf("g", positive);
  message.mutable_options()->mutable_model()->set_name("endless");
  PredictStream busy(server);
  ASSERT_TRUE(busy.Send(message));  // More than one batch.

  grpc::Status status;
  int retry_hint = 0;
  EXPECT_TRUE(Eventually([&] {
    PredictStream next(server);
    next.EndInput();
    status = next.Finish().status;
    retry_hint = RetryHint(next.context());
    return !status.ok();
  }));

  ExpectExhausted(status,
                  "--max-queued-samples: expected fewer than 1 samples "
                  "to wait, found ");
  EXPECT_GE(retry_hint, 50);
  busy.context().TryCancel();
  EXPECT_TRUE(Eventually([&] { return IsHealthy(server); }));
}

TEST(LimitsTest, AllGroupsTogetherTakeSoManyBytes) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_inflight_bytes = 200'000; });

  const StreamResult result =
      Predict(server, MessagesOf("g", RandomSamples(5000), 5000));

  ExpectExhausted(result.status,
                  "--max-inflight-bytes: expected groups in flight to take at "
                  "most 100000 bytes, half of it, got ");
  // Memory is given back, every time.
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Eventually([&] {
      return Predict(server, MessagesOf("g", RandomSamples(100), 50))
          .status.ok();
    }));
  }
}

TEST(LimitsTest, NamesHaveSoManyBytes) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_name_bytes = 8; });
  const std::vector<float> x = RandomSamples(1);
  v1::PredictDomainRequest long_id = MessageOf("g", x);
  long_id.mutable_samples()->add_ids("123456789");

  const StreamResult group = Predict(server, {MessageOf("123456789", x)});
  const StreamResult id = Predict(server, {long_id});

  for (const StreamResult* result : {&group, &id}) {
    EXPECT_EQ(result->status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(result->status.error_message(),
                HasSubstr("--max-name-bytes: expected "));
    EXPECT_THAT(result->status.error_message(),
                HasSubstr("of at most 8 bytes, got one of 9"));
  }
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AnImageHasSoManyPixels) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_image_pixels = 100; },
      model_store::TinyBundle(
          {.input = model_store::TinyBundleOptions::Input::kImage}));
  const auto file = [](int width) {
    const imaging::Image image = imaging::Photograph(width, 10);
    const imaging::Bytes bytes = imaging::WritePng({}, image.View());
    return std::string(reinterpret_cast<const char*>(bytes.data()),
                       bytes.size());
  };
  v1::PredictDomainRequest message;
  message.set_group("g");
  *message.mutable_samples() = ImageSamples({file(10), file(11)});

  const StreamResult result = Predict(server, {message});

  EXPECT_TRUE(result.status.ok());
  const GroupResult& group = result.groups.at("g");
  EXPECT_EQ(group.labels.size(), 1);
  ASSERT_EQ(group.rejected.size(), 1);
  EXPECT_EQ(group.rejected[0].index(), 1);
  EXPECT_EQ(group.rejected[0].reason(), "too_large");
  EXPECT_THAT(group.rejected[0].message(),
              HasSubstr("more than --max-image-pixels = 100"));
}

TEST(LimitsTest, AMessageHasSoManyBytes) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_message_bytes = 4000; });
  const std::string expected =
      "--max-message-bytes: expected a message of at most 4000 bytes, got ";
  const v1::Samples samples = TensorSamples(RandomSamples(200));

  const StreamResult predicted =
      Predict(server, MessagesOf("g", RandomSamples(200), 200));
  v1::RouteDomainRequest request;
  *request.mutable_samples() = samples;
  v1::RouteDomainResponse response;
  const auto context = NewContext();
  const auto route = server.routing().RouteDomain(context.get(), &response);
  route->Write(request);
  route->WritesDone();
  const grpc::Status routed = route->Finish();
  inference::ModelInferRequest infer;
  infer.set_model_name("tiny");
  infer.add_raw_input_contents(std::string(4000, 'x'));
  inference::ModelInferResponse inferred;
  const grpc::Status infer_status =
      Ask(server.inference(),
          &inference::GRPCInferenceService::StubInterface::ModelInfer, infer,
          inferred);

  ExpectExhausted(predicted.status, expected);
  ExpectExhausted(routed, expected);
  ExpectExhausted(infer_status, expected);
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AMessageFarTooLargeIsNotEvenRead) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_message_bytes = 4000; });

  const StreamResult result =
      Predict(server, MessagesOf("g", RandomSamples(10'000), 10'000));

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AMessageHasSoManyParts) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_message_bytes = 500'000; });
  v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
  for (int i = 0; i < 200'000; ++i) message.mutable_samples()->add_ids("");

  const StreamResult result = Predict(server, {message});

  ExpectExhausted(result.status,
                  "--max-message-bytes: expected a message of at most 2000000 "
                  "bytes in memory, got one of ");
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AModelInferCallLastsSoLong) {
  TestServer server(
      [](ServerConfig& config) {
        config.limits.max_stream_time = absl::Seconds(1);
      },
      EndlessBundle());
  inference::ModelInferRequest request;
  request.set_model_name("endless");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(kTinySample);
  for (size_t i = 0; i < kTinySample; ++i) {
    input.mutable_contents()->add_fp32_contents(1);
  }
  inference::ModelInferResponse response;

  const grpc::Status status =
      Ask(server.inference(),
          &inference::GRPCInferenceService::StubInterface::ModelInfer, request,
          response);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(status.error_message(),
            "--max-stream-seconds: expected a call to last at most 1s");
}

TEST(LimitsTest, ResultsOfARequestTakeSoManyBytes) {
  TestServer server(
      [](ServerConfig& config) { config.limits.max_inflight_bytes = 40'000; });
  inference::ModelInferRequest request;
  request.set_model_name("tiny");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(2000);
  input.add_shape(kTinySample);
  input.mutable_contents()->mutable_fp32_contents()->Resize(2000 * kTinySample,
                                                            1);
  request.add_outputs()->set_name("label");
  inference::ModelInferResponse response;

  const grpc::Status status =
      Ask(server.inference(),
          &inference::GRPCInferenceService::StubInterface::ModelInfer, request,
          response);

  // A label, and a weight and a distance for each of three sources, twice: here
  // and in the response.
  ExpectExhausted(status,
                  absl::StrCat("--max-inflight-bytes: expected groups in "
                               "flight to take at most 20000 bytes, half of "
                               "it, got ",
                               2 * 2000 * (8 + 3 * (4 + 4))));
  EXPECT_TRUE(IsHealthy(server));
}

TEST(LimitsTest, AStreamLastsSoLong) {
  TestServer server([](ServerConfig& config) {
    config.limits.max_stream_time = absl::Seconds(1);
  });
  PredictStream stream(server);

  const StreamResult result = stream.Finish();

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(result.status.error_message(),
            "--max-stream-seconds: expected a call to last at most 1s");
}

TEST(LimitsTest, ACallerIsSilentForSoLong) {
  TestServer server([](ServerConfig& config) {
    config.limits.max_idle_time = absl::Milliseconds(100);
  });
  const std::string expected =
      "--max-idle-seconds: expected a message or a read within 100ms";
  PredictStream predict(server);
  v1::RouteDomainResponse response;
  const auto route_context = NewContext();
  const auto route =
      server.routing().RouteDomain(route_context.get(), &response);
  const auto infer_context = NewContext();
  const auto infer = server.inference().ModelStreamInfer(infer_context.get());

  EXPECT_EQ(predict.Finish().status.error_message(), expected);
  EXPECT_EQ(route->Finish().error_message(), expected);
  EXPECT_EQ(infer->Finish().error_message(), expected);
}

TEST(LimitsTest, ACallerWhoTakesNoAnswersLosesItsPlace) {
  TestServer server([](ServerConfig& config) {
    config.limits.max_idle_time = absl::Seconds(1);
    config.limits.max_concurrent_streams = 1;
    config.engine.batch_sizes = {1, 1024};
  });
  v1::GroupOptions options;
  options.mutable_outputs()->set_probabilities(true);
  options.mutable_outputs()->set_logits(true);
  const auto messages =
      MessagesOf("g", RandomSamples(1'000'000), 100'000, options);
  PredictStream stuck(server);
  for (const auto& message : messages) ASSERT_TRUE(stuck.Send(message));
  ASSERT_TRUE(stuck.Read().has_value());  // It is in, and being answered.

  EXPECT_TRUE(Eventually([&] { return IsHealthy(server); }));

  EXPECT_FALSE(stuck.Finish().status.ok());
}

}  // namespace
}  // namespace ladder::server
