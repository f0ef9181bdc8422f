// The Open Inference Protocol, as far as it is about serving: how messages are
// taken apart and made is tested with server/inference.

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::kTinyClasses;
using model_store::kTinySample;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pointwise;
using Inference = inference::GRPCInferenceService::StubInterface;

inference::ModelInferRequest InferRequestOf(const std::vector<float>& x) {
  inference::ModelInferRequest request;
  request.set_model_name("tiny");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(static_cast<int64_t>(x.size() / kTinySample));
  input.add_shape(kTinySample);
  input.mutable_contents()->mutable_fp32_contents()->Add(x.begin(), x.end());
  request.add_outputs()->set_name("probabilities");
  return request;
}

std::vector<float> RawOutput(const inference::ModelInferResponse& response,
                             int output) {
  const std::string& raw = response.raw_output_contents(output);
  std::vector<float> values(raw.size() / sizeof(float));
  std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

struct InferResult {
  grpc::Status status = {};
  inference::ModelInferResponse response = {};
};

InferResult Infer(TestServer& server,
                  const inference::ModelInferRequest& request) {
  InferResult result;
  result.status =
      Ask(server.inference(), &Inference::ModelInfer, request, result.response);
  return result;
}

TEST(InferenceTest, GroupsOfARequestArePredictedAsByPredictDomain) {
  TestServer server;
  const std::vector<float> a = RandomSamples(6, 1);
  const std::vector<float> b = RandomSamples(6, 2);
  std::vector<float> mixed;  // One of a, one of b, and so on.
  inference::ModelInferRequest request;
  std::vector<std::string> names;
  for (size_t i = 0; i < 6; ++i) {
    for (const auto* x : {&a, &b}) {
      const auto begin = x->begin() + static_cast<ptrdiff_t>(i * kTinySample);
      mixed.insert(mixed.end(), begin, begin + kTinySample);
      names.push_back(x == &a ? "a" : "b");
    }
  }
  request = InferRequestOf(mixed);
  auto& groups = *request.add_inputs();
  groups.set_name("group");
  groups.set_datatype("BYTES");
  groups.add_shape(12);
  for (const std::string& name : names) {
    groups.mutable_contents()->add_bytes_contents(name);
  }
  v1::GroupOptions options;
  options.mutable_outputs()->set_probabilities(true);

  const InferResult result = Infer(server, request);
  const auto of_a = Predict(server, MessagesOf("a", a, 6, options)).groups["a"];
  const auto of_b = Predict(server, MessagesOf("b", b, 6, options)).groups["b"];

  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.response.model_version(), "1");
  std::vector<float> expected;
  for (size_t i = 0; i < 6; ++i) {
    for (const GroupResult* group : {&of_a, &of_b}) {
      const auto begin = group->probabilities.begin() +
                         static_cast<ptrdiff_t>(i * kTinyClasses);
      expected.insert(expected.end(), begin, begin + kTinyClasses);
    }
  }
  EXPECT_THAT(RawOutput(result.response, 0),
              Pointwise(FloatNear(1e-5F), expected));
}

TEST(InferenceTest, ErrorsSayWhatIsWrong) {
  TestServer server;
  inference::ModelInferRequest unknown = InferRequestOf(RandomSamples(2));
  unknown.set_model_name("absent");
  inference::ModelInferRequest few = InferRequestOf(RandomSamples(2));
  (*few.mutable_parameters())["min_samples"].set_int64_param(5);
  inference::ModelInferRequest shape = InferRequestOf(RandomSamples(2));
  shape.mutable_inputs(0)->set_shape(1, 7);

  EXPECT_EQ(Infer(server, unknown).status.error_code(),
            grpc::StatusCode::NOT_FOUND);
  const grpc::Status too_few = Infer(server, few).status;
  EXPECT_EQ(too_few.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(too_few.error_message(),
              HasSubstr("expected at least 5 samples, got 2"));
  EXPECT_EQ(Infer(server, shape).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Infer(server, InferRequestOf(RandomSamples(2))).status.ok());
}

TEST(InferenceTest, AStreamIsAnsweredInItsOrderErrorsIncluded) {
  TestServer server;
  const auto context = NewContext();
  const auto stream = server.inference().ModelStreamInfer(context.get());
  constexpr int kRequests = 40;
  for (int i = 0; i < kRequests; ++i) {
    inference::ModelInferRequest request =
        InferRequestOf(RandomSamples(i % 3 == 0 ? 50 : 1));
    request.set_id(absl::StrCat(i));
    if (i % 5 == 4) request.set_model_name("absent");
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();

  inference::ModelStreamInferResponse response;
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.infer_response().id(), absl::StrCat(i));
    EXPECT_EQ(response.error_message().empty(), i % 5 != 4);
  }
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(InferenceTest, ALogitThatIsNoNumberIsAnErrorNotAClass) {
  TestServer server;
  inference::ModelInferRequest request = InferRequestOf(
      std::vector<float>(2 * kTinySample, std::numeric_limits<float>::max()));
  request.mutable_outputs(0)->set_name("label");
  (*request.mutable_parameters())["method"].set_string_param("uniform");

  const grpc::Status status = Infer(server, request).status;

  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(
      status.error_message(),
      AllOf(HasSubstr("model tiny, version 1: expected finite logits, got "),
            HasSubstr(" of sample 0")));
}

// The answer to one request on a stream of its own.
inference::ModelStreamInferResponse StreamInfer(
    TestServer& server, const inference::ModelInferRequest& request) {
  const auto context = NewContext();
  const auto stream = server.inference().ModelStreamInfer(context.get());
  EXPECT_TRUE(stream->Write(request));
  stream->WritesDone();
  inference::ModelStreamInferResponse response;
  EXPECT_TRUE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(InferenceTest, AnErrorOnAStreamCanQuoteANameThatIsNoUtf8) {
  TestServer server;
  inference::ModelInferRequest request = InferRequestOf(RandomSamples(2));
  request.set_id("one");
  (*request.mutable_parameters())["min_samples"].set_int64_param(5);
  auto& groups = *request.add_inputs();
  groups.set_name("group");
  groups.set_datatype("BYTES");
  groups.add_shape(2);
  for (int i = 0; i < 2; ++i) {
    groups.mutable_contents()->add_bytes_contents("caf\xE9");
  }

  const auto response = StreamInfer(server, request);

  EXPECT_EQ(response.error_message(),
            "FAILED_PRECONDITION: group \"caf\\xE9\": expected at least 5 "
            "samples, got 2");
  EXPECT_EQ(response.infer_response().id(), "one");
}

TEST(InferenceTest, AnErrorOnAStreamIsACodeAndAMessageAlone) {
  TestServer server(
      [](ServerConfig& config) { config.batching.max_queued_samples = 1; },
      EndlessBundle(), model_store::TinyBundle());
  const auto context = NewContext();
  const auto stream = server.inference().ModelStreamInfer(context.get());
  const inference::ModelInferRequest request = InferRequestOf(RandomSamples(2));
  inference::ModelStreamInferResponse response;
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));  // So that it was let in before.
  v1::PredictDomainRequest message =
      MessageOf("g", std::vector<float>(kTinySample * 20, 1));
  message.mutable_options()->mutable_model()->set_name("endless");
  PredictStream busy(server);
  ASSERT_TRUE(busy.Send(message));
  ASSERT_TRUE(WaitUntilBusy(server));

  // Refused with a hint when to come again, which is no part of the message.
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));

  EXPECT_THAT(response.error_message(),
              MatchesRegex("RESOURCE_EXHAUSTED: --max-queued-samples: expected "
                           "fewer than 1 samples to wait, found [0-9]+"));
  busy.context().TryCancel();
  context->TryCancel();
}

TEST(InferenceTest, StatisticsCountWhatWasServed) {
  TestServer server;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Infer(server, InferRequestOf(RandomSamples(4))).status.ok());
  }
  inference::ModelInferRequest few = InferRequestOf(RandomSamples(2));
  (*few.mutable_parameters())["min_samples"].set_int64_param(5);
  EXPECT_FALSE(Infer(server, few).status.ok());
  inference::ModelStatisticsResponse response;

  const grpc::Status status =
      Ask(server.inference(), &Inference::ModelStatistics,
          inference::ModelStatisticsRequest(), response);

  ASSERT_TRUE(status.ok());
  ASSERT_EQ(response.model_stats_size(), 1);
  const inference::ModelStatistics& tiny = response.model_stats(0);
  EXPECT_EQ(tiny.name(), "tiny");
  EXPECT_EQ(tiny.version(), "1");
  EXPECT_EQ(tiny.inference_count(), 12);
  EXPECT_EQ(tiny.inference_stats().success().count(), 3);
  EXPECT_EQ(tiny.inference_stats().fail().count(), 1);
}

TEST(InferenceTest, TheRepositoryIndexListsVersions) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.policy = model_store::VersionPolicy::Specific({1});
      },
      model_store::TinyBundle(), model_store::TinyBundle({.version = 2}));
  inference::RepositoryIndexRequest request;
  inference::RepositoryIndexResponse all;
  inference::RepositoryIndexResponse ready;

  ASSERT_TRUE(
      Ask(server.inference(), &Inference::RepositoryIndex, request, all).ok());
  request.set_ready(true);
  ASSERT_TRUE(
      Ask(server.inference(), &Inference::RepositoryIndex, request, ready)
          .ok());

  ASSERT_EQ(all.models_size(), 2);
  EXPECT_EQ(all.models(0).state(), "READY");
  EXPECT_EQ(all.models(1).state(), "UNAVAILABLE");
  ASSERT_EQ(ready.models_size(), 1);
  EXPECT_EQ(ready.models(0).version(), "1");
}

TEST(InferenceTest, ReadinessAndMetadata) {
  TestServer server;
  inference::ServerReadyResponse server_ready;
  inference::ModelReadyRequest request;
  inference::ModelReadyResponse ready;
  inference::ModelReadyResponse not_ready;
  inference::ModelMetadataRequest about;
  inference::ModelMetadataResponse metadata;
  about.set_name("tiny");

  request.set_name("tiny");
  ASSERT_TRUE(
      Ask(server.inference(), &Inference::ModelReady, request, ready).ok());
  request.set_version("7");
  ASSERT_TRUE(
      Ask(server.inference(), &Inference::ModelReady, request, not_ready).ok());
  ASSERT_TRUE(Ask(server.inference(), &Inference::ServerReady,
                  inference::ServerReadyRequest(), server_ready)
                  .ok());
  ASSERT_TRUE(
      Ask(server.inference(), &Inference::ModelMetadata, about, metadata).ok());

  EXPECT_TRUE(server_ready.ready());
  EXPECT_TRUE(ready.ready());
  EXPECT_FALSE(not_ready.ready());
  EXPECT_THAT(metadata.versions(), ElementsAre("1"));
  EXPECT_THAT(metadata.inputs(0).shape(), ElementsAre(-1, 6));
}

}  // namespace
}  // namespace ladder::server
