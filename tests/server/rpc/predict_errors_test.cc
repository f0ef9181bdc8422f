// What PredictDomain says of requests that make no sense.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/raw_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::kTinySample;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;

struct Mistake {
  std::string name;
  std::function<void(v1::PredictDomainRequest&)> make;
  grpc::StatusCode code;
  std::string message;
};

v1::RoutingOptions& Routing(v1::PredictDomainRequest& message) {
  return *message.mutable_options()->mutable_routing();
}

v1::Tensor& TensorOf(v1::PredictDomainRequest& message) {
  return *message.mutable_samples()->mutable_tensor();
}

const std::vector<Mistake>& Mistakes() {
  using Message = v1::PredictDomainRequest;
  static const std::vector<Mistake>& mistakes = *new std::vector<Mistake>{
      {"UnknownModel",
       [](Message& m) {
         m.mutable_options()->mutable_model()->set_name("absent");
       },
       grpc::StatusCode::NOT_FOUND, "model \"absent\""},
      {"UnknownVersion",
       [](Message& m) {
         m.mutable_options()->mutable_model()->set_name("tiny");
         m.mutable_options()->mutable_model()->set_version(9);
       },
       grpc::StatusCode::NOT_FOUND, "version 9"},
      {"UnknownLabel",
       [](Message& m) {
         m.mutable_options()->mutable_model()->set_name("tiny");
         m.mutable_options()->mutable_model()->set_label("canary");
       },
       grpc::StatusCode::NOT_FOUND, "label \"canary\""},
      {"ModelNameWithPath",
       [](Message& m) {
         m.mutable_options()->mutable_model()->set_name("../tiny");
       },
       grpc::StatusCode::INVALID_ARGUMENT, "../tiny"},
      {"WrongShape", [](Message& m) { TensorOf(m).set_shape(1, 7); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "tensor.shape: expected [n, 6], got [3, 7]"},
      {"NoShape", [](Message& m) { TensorOf(m).clear_shape(); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "tensor.shape: expected [n, 6], got []"},
      {"NegativeShape", [](Message& m) { TensorOf(m).set_shape(0, -3); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "tensor.shape: expected [n, 6], got [-3, 6]"},
      {"HugeShape",
       [](Message& m) {
         TensorOf(m).set_shape(0, std::numeric_limits<int64_t>::max());
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "tensor.float32: expected 9223372036854775807 samples of 24 bytes, got "
       "72 bytes"},
      {"WrongBytes",
       [](Message& m) { TensorOf(m).mutable_float32()->pop_back(); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "tensor.float32: expected 3 samples of 24 bytes, got 71 bytes"},
      {"NotANumber",
       [](Message& m) {
         std::vector<float> x = RandomSamples(3);
         x[7] = std::numeric_limits<float>::quiet_NaN();
         *m.mutable_samples() = TensorSamples(x);
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "x: expected finite numbers, sample 1 of the chunk has one that is not"},
      {"ImagesForATensorModel",
       [](Message& m) { *m.mutable_samples() = ImageSamples({"x"}); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "images: model tiny takes tensors of shape [n, 6]"},
      {"TooFewIds", [](Message& m) { m.mutable_samples()->add_ids("a"); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "ids: expected none or 3, one for each sample, got 1"},
      {"IdsWithoutSamples",
       [](Message& m) {
         m.clear_samples();
         m.mutable_samples()->add_ids("a");
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "ids: expected none or 0, one for each sample, got 1"},
      {"UnknownSource", [](Message& m) { Routing(m).add_sources("mars"); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: sources: expected names of sources, got \"mars\""},
      {"ZeroK", [](Message& m) { Routing(m).set_k(0); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: k must be between 1 and 3 (the number of sources) or all, got "
       "0"},
      {"LargeK", [](Message& m) { Routing(m).set_k(4); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: k must be between 1 and 3 (the number of sources) or all, got "
       "4"},
      {"ZeroTau", [](Message& m) { Routing(m).set_tau(0); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: tau must be positive and finite, got 0"},
      {"LargeTopN",
       [](Message& m) { m.mutable_options()->mutable_outputs()->set_top_n(5); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "outputs.top_n: expected at most 4, the number of classes, got 5"},
      {"RouteAfterFewerThanMinSamples",
       [](Message& m) {
         m.mutable_options()->set_min_samples(30);
         m.mutable_options()->set_route_after(20);
         m.mutable_options()->set_fallback(v1::FALLBACK_UNIFORM);
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "route_after: expected 0 or at least min_samples, 30, got 20"},
      {"ClassesThatAreNoNumbers",
       [](Message& m) {
         *m.mutable_samples() = TensorSamples(std::vector<float>(
             3 * kTinySample, std::numeric_limits<float>::max()));
         Routing(m).set_method(v1::METHOD_UNIFORM);
         Routing(m).set_skip_diagnostics(true);
       },
       grpc::StatusCode::INTERNAL,
       "model tiny, version 1: expected finite logits, got "},
      {"UnknownMethod",
       [](Message& m) { Routing(m).set_method(v1::Method(77)); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: method: expected one of the protocol's, got 77"},
      {"UnknownFallback",
       [](Message& m) { m.mutable_options()->set_fallback(v1::Fallback(9)); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "fallback: expected one of the protocol's, got 9"},
      {"SmallSoftenFactor",
       [](Message& m) { m.mutable_options()->set_soften_factor(0.5); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "soften_factor: expected at least 1, got 0.5"},
      {"NoFixedWeights",
       [](Message& m) { Routing(m).set_method(v1::METHOD_FIXED); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: expected 3 weights (one per source), got 0"},
      {"FixedWeightsOfAnotherMethod",
       [](Message& m) { Routing(m).add_fixed(1); },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: fixed: expected with method fixed only, got it with ladder"},
      {"FixedWeightsWithAnotherSum",
       [](Message& m) {
         Routing(m).set_method(v1::METHOD_FIXED);
         for (int e = 0; e < 3; ++e) Routing(m).add_fixed(0.5);
       },
       grpc::StatusCode::INVALID_ARGUMENT, "routing: weights must sum to 1"},
      {"FixedWeightOfAnUnknownSource",
       [](Message& m) {
         Routing(m).set_method(v1::METHOD_FIXED);
         (*Routing(m).mutable_fixed_by_source())["mars"] = 1;
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: weight for unknown source \"mars\"; the sources are source-0, "
       "source-1, source-2"},
      {"FixedWeightsInTwoWays",
       [](Message& m) {
         Routing(m).set_method(v1::METHOD_FIXED);
         Routing(m).add_fixed(1);
         (*Routing(m).mutable_fixed_by_source())["source-0"] = 1;
       },
       grpc::StatusCode::INVALID_ARGUMENT,
       "routing: expected fixed or fixed_by_source, got both"},
  };
  return mistakes;
}

TEST(PredictErrorsTest, EveryMistakeIsNamedAndHarmsNobodyElse) {
  TestServer server;
  for (const Mistake& mistake : Mistakes()) {
    SCOPED_TRACE(mistake.name);
    v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
    mistake.make(message);

    const StreamResult result = Predict(server, {message});

    EXPECT_EQ(result.status.error_code(), mistake.code);
    EXPECT_THAT(result.status.error_message(), HasSubstr(mistake.message));
    EXPECT_THAT(result.status.error_message(), HasSubstr("group \"g\": "));
    EXPECT_TRUE(IsHealthy(server));
  }
}

TEST(PredictErrorsTest, AModelMustBeNamedUnlessThereIsOne) {
  TestServer one;
  TestServer two({}, model_store::TinyBundle(),
                 model_store::TinyBundle({.model = "other"}));
  const v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));

  const StreamResult only = Predict(one, {message});
  const StreamResult ambiguous = Predict(two, {message});

  EXPECT_TRUE(only.status.ok());
  EXPECT_EQ(ambiguous.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ambiguous.status.error_message(),
            "group \"g\": model.name: expected one of other, tiny, got none");
}

TEST(PredictErrorsTest, BytesThatAreNoMessageAreNotTakenForTheEnd) {
  TestServer server;
  const std::string good = MessageOf("g", RandomSamples(3)).SerializeAsString();
  for (const char* method : {"/ladder.v1.DomainRouting/PredictDomain",
                             "/ladder.v1.DomainRouting/RouteDomain",
                             "/inference.GRPCInferenceService/"
                             "ModelStreamInfer"}) {
    SCOPED_TRACE(method);

    const grpc::Status status = SendRaw(server, method, {"\xFF\xFF\xFF"});

    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(),
                HasSubstr("expected a message of type"));
  }
  const grpc::Status later = SendRaw(
      server, "/ladder.v1.DomainRouting/PredictDomain", {good, "\x0A\x7F"});
  EXPECT_EQ(later.error_message(),
            "expected a message of type ladder.v1.PredictDomainRequest, got "
            "bytes that are none");
}

TEST(PredictErrorsTest, AGroupsErrorIsCutAsAStatusIs) {
  TestServer server;
  v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
  message.set_continue_on_group_error(true);
  // Characters of three bytes each, of which some do not fit any more.
  std::string name;
  for (int i = 0; i < 100'000; ++i) name += "\xE2\x82\xAC";
  Routing(message).add_sources(name);

  const StreamResult result = Predict(server, {message});

  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  const v1::GroupError& error = result.groups.at("g").error;
  EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(error.message(), HasSubstr("routing: sources: expected"));
  EXPECT_THAT(error.message().size(), AllOf(Gt(1020), Le(1024)));
  EXPECT_THAT(error.message(), EndsWith("\xE2\x82\xAC"));
}

TEST(PredictErrorsTest, AnErrorsTextIsCutBeforeItBecomesALongHeader) {
  TestServer server;
  v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
  Routing(message).add_sources(std::string(100'000, 'x'));

  const StreamResult result = Predict(server, {message});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message().size(), 1024);
}

}  // namespace
}  // namespace ladder::server
