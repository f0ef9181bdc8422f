// RouteDomain: one group, any number of questions.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<double> WeightsOf(const v1::Routing& routing) {
  std::vector<double> weights;
  for (const auto& source : routing.sources()) {
    weights.push_back(source.weight());
  }
  return weights;
}

struct RouteResult {
  grpc::Status status = {};
  v1::RouteDomainResponse response = {};
};

RouteResult Route(TestServer& server,
                  const std::vector<v1::RouteDomainRequest>& messages) {
  RouteResult result;
  const auto context = NewContext();
  const auto call =
      server.routing().RouteDomain(context.get(), &result.response);
  for (const auto& message : messages) {
    if (!call->Write(message)) break;
  }
  call->WritesDone();
  result.status = call->Finish();
  return result;
}

v1::RouteDomainRequest SamplesMessage(std::span<const float> x) {
  v1::RouteDomainRequest message;
  *message.mutable_samples() = TensorSamples(x);
  return message;
}

TEST(RouteDomainTest, AnswersAsPredictDomainWouldRoute) {
  TestServer server;
  const std::vector<float> x = RandomSamples(50);
  const std::span all(x);

  const RouteResult routed = Route(server, {SamplesMessage(all.first(120)),
                                            SamplesMessage(all.subspan(120))});
  const StreamResult predicted = Predict(server, MessagesOf("g", x, 9));

  ASSERT_TRUE(routed.status.ok()) << routed.status.error_message();
  ASSERT_EQ(routed.response.routings_size(), 1);
  v1::Routing routing = routed.response.routings(0);
  v1::Routing expected = predicted.groups.at("g").routing;
  routing.clear_timings();
  expected.clear_timings();
  EXPECT_EQ(routing.DebugString(), expected.DebugString());
}

TEST(RouteDomainTest, AnswersManyQuestionsFromOneUpload) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.policy = model_store::VersionPolicy::All();
      },
      model_store::TinyBundle(),
      model_store::TinyBundle({.version = 2, .seed = 2}));
  const std::vector<float> x = RandomSamples(50);
  v1::RouteDomainRequest first = SamplesMessage(x);
  first.set_group("what if");
  first.add_questions()->mutable_model()->set_version(1);
  first.add_questions()->mutable_routing()->set_method(v1::METHOD_UNIFORM);
  v1::RouteQuestion& subset = *first.add_questions();
  subset.mutable_model()->set_version(1);
  subset.mutable_routing()->add_sources("source-2");
  subset.mutable_routing()->add_sources("source-1");
  subset.mutable_routing()->set_all_sources(true);
  v1::RouteQuestion& sharp = *first.add_questions();
  sharp.mutable_model()->set_version(1);
  sharp.mutable_routing()->set_tau(1e-3);

  const RouteResult result = Route(server, {first});

  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  ASSERT_EQ(result.response.routings_size(), 4);
  const auto& routings = result.response.routings();
  const DirectAnswer direct =
      AskDirectly(*TensorModel(), x, 50, DefaultQuestion(*TensorModel()));
  EXPECT_EQ(WeightsOf(routings[0]), direct.routing.weights);
  EXPECT_EQ(routings[0].version(), 1);
  EXPECT_EQ(routings[1].version(), 2);
  EXPECT_EQ(routings[1].method(), v1::METHOD_UNIFORM);
  EXPECT_EQ(routings[2].sources(0).weight(), 0);
  EXPECT_GT(routings[2].sources(1).weight(), 0);
  EXPECT_GT(routings[2].sources(2).weight(), 0);
  EXPECT_LT(routings[3].effective_experts(), routings[0].effective_experts());
}

TEST(RouteDomainTest, WeightsOfASampleServeTheWholeGroup) {
  TestServer server;
  const std::vector<float> x = RandomSamples(80);
  const RouteResult routed = Route(server, {SamplesMessage(x)});
  ASSERT_TRUE(routed.status.ok());
  v1::GroupOptions options;
  options.mutable_outputs()->set_probabilities(true);
  const StreamResult whole = Predict(server, MessagesOf("g", x, 9, options));
  options.mutable_routing()->set_method(v1::METHOD_FIXED);
  for (const auto& source : routed.response.routings(0).sources()) {
    (*options.mutable_routing()->mutable_fixed_by_source())[source.source()] =
        source.weight();
  }

  const StreamResult fixed = Predict(server, MessagesOf("g", x, 9, options));

  EXPECT_EQ(fixed.groups.at("g").labels, whole.groups.at("g").labels);
  EXPECT_THAT(fixed.groups.at("g").probabilities,
              ::testing::Pointwise(::testing::FloatNear(1e-5F),
                                   whole.groups.at("g").probabilities));
}

TEST(RouteDomainTest, WhatCannotBeAnsweredNamesTheQuestion) {
  TestServer server(
      [](ServerConfig& config) {
        config.models.policy = model_store::VersionPolicy::All();
      },
      model_store::TinyBundle(),
      model_store::TinyBundle({.version = 2, .seed = 2}));
  v1::RouteDomainRequest message = SamplesMessage(RandomSamples(3));
  message.add_questions()->mutable_model()->set_version(1);
  message.add_questions()->mutable_model()->set_version(2);
  message.add_questions()->mutable_model()->set_version(1);
  message.mutable_questions(2)->set_min_samples(9);

  const RouteResult result = Route(server, {message});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(result.status.error_message(),
            "questions[2]: expected at least 9 samples, got 3");
}

TEST(RouteDomainTest, ErrorsNameTheQuestion) {
  TestServer server;
  v1::RouteDomainRequest message = SamplesMessage(RandomSamples(3));
  message.add_questions();
  v1::RouteQuestion& bad = *message.add_questions();
  bad.mutable_routing()->set_k(9);
  const RouteResult wrong_k = Route(server, {message});
  bad.mutable_routing()->clear_k();
  bad.mutable_model()->set_name("absent");
  const RouteResult wrong_model = Route(server, {message});

  EXPECT_EQ(wrong_k.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(wrong_k.status.error_message(), StartsWith("questions[1]: "));
  EXPECT_THAT(wrong_k.status.error_message(), HasSubstr("got 9"));
  EXPECT_EQ(wrong_model.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(wrong_model.status.error_message(), StartsWith("questions[1]: "));
}

TEST(RouteDomainTest, QuestionsAreAskedInTheFirstMessageOnly) {
  TestServer server;
  const v1::RouteDomainRequest first = SamplesMessage(RandomSamples(3));
  v1::RouteDomainRequest second = first;
  second.add_questions();

  const RouteResult result = Route(server, {first, second});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(),
            "expected group and questions in the first message only");
}

TEST(RouteDomainTest, ThereMustBeAMessageAndSamples) {
  TestServer server;

  const RouteResult nothing = Route(server, {});
  const RouteResult no_samples = Route(server, {v1::RouteDomainRequest()});

  EXPECT_EQ(nothing.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(nothing.status.error_message(),
            "expected a message with a group's samples, got none");
  EXPECT_EQ(no_samples.status.error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(no_samples.status.error_message(),
              HasSubstr("expected at least 1 samples, got 0"));
}

TEST(RouteDomainTest, QuestionsAreLimited) {
  TestServer server;
  v1::RouteDomainRequest message = SamplesMessage(RandomSamples(3));
  for (int i = 0; i < 1001; ++i) message.add_questions();

  const RouteResult result = Route(server, {message});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(),
            "questions: expected at most 1000, got 1001");
}

TEST(RouteDomainTest, BrokenImagesAreListed) {
  TestServer server(
      {}, model_store::TinyBundle(
              {.input = model_store::TinyBundleOptions::Input::kImage}));
  v1::RouteDomainRequest message;
  message.add_questions()->set_fallback(v1::FALLBACK_UNIFORM);
  *message.mutable_samples() = ImageSamples({"no picture"});
  message.mutable_samples()->add_ids("a.jpg");

  const RouteResult result = Route(server, {message});

  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  ASSERT_EQ(result.response.rejected_size(), 1);
  EXPECT_EQ(result.response.rejected(0).id(), "a.jpg");
  EXPECT_EQ(result.response.routings(0).fallback().fallback(),
            v1::FALLBACK_UNIFORM);
}

}  // namespace
}  // namespace ladder::server
