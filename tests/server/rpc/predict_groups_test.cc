// How the groups of a PredictDomain stream begin, are answered and end.

#include <algorithm>
#include <string>
#include <thread>
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

using model_store::kTinySample;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<uint64_t> CountTo(size_t n) {
  std::vector<uint64_t> numbers(n);
  for (size_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

v1::GroupOptions WithProbabilities() {
  v1::GroupOptions options;
  options.mutable_outputs()->set_probabilities(true);
  return options;
}

// That `result` is what the model itself says of `x`.
void ExpectDirectAnswer(const GroupResult& result,
                        const std::vector<float>& x) {
  const size_t n = x.size() / kTinySample;
  const DirectAnswer direct =
      AskDirectly(*TensorModel(), x, n, DefaultQuestion(*TensorModel()));
  EXPECT_EQ(result.order, "rpe");
  EXPECT_EQ(result.indices, CountTo(n));
  EXPECT_EQ(result.end.num_predicted(), n);
  EXPECT_THAT(result.weights(), Pointwise(DoubleEq(), direct.routing.weights));
  EXPECT_THAT(result.probabilities,
              Pointwise(FloatNear(1e-5F), direct.probabilities));
}

TEST(PredictGroupsTest, OneGroupIsRoutedAndPredictedInOrder) {
  TestServer server;
  const std::vector<float> x = RandomSamples(600);

  const StreamResult result =
      Predict(server, MessagesOf("lake", x, 7, WithProbabilities()));

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  ASSERT_EQ(result.groups.size(), 1);
  const GroupResult& lake = result.groups.at("lake");
  ExpectDirectAnswer(lake, x);
  EXPECT_EQ(lake.routing.model(), "tiny");
  EXPECT_EQ(lake.routing.version(), 1);
  EXPECT_EQ(lake.routing.sha256().size(), 64);
  EXPECT_EQ(lake.routing.num_samples(), 600);
  EXPECT_TRUE(lake.routing.has_distances());
  EXPECT_EQ(lake.routing.sources(0).source(), "source-0");
}

TEST(PredictGroupsTest, InterleavedGroupsAreKeptApart) {
  TestServer server;
  constexpr size_t kGroups = 30;
  PredictStream stream(server);
  std::vector<std::vector<float>> x;
  for (size_t g = 0; g < kGroups; ++g) {
    x.push_back(RandomSamples(20 + g, static_cast<unsigned>(g)));
  }
  for (size_t begin = 0; begin < 20 + kGroups; begin += 5) {
    for (size_t g = 0; g < kGroups; ++g) {
      const size_t n = x[g].size() / kTinySample;
      if (begin >= n) continue;
      auto message =
          MessageOf(absl::StrCat("group-", g),
                    std::span(x[g]).subspan(
                        begin * kTinySample,
                        std::min<size_t>(5, n - begin) * kTinySample));
      if (begin == 0) *message.mutable_options() = WithProbabilities();
      message.set_end_of_group(begin + 5 >= n);
      ASSERT_TRUE(stream.Send(message));
    }
  }
  stream.EndInput();

  const StreamResult result = stream.Finish();

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  ASSERT_EQ(result.groups.size(), kGroups);
  for (size_t g = 0; g < kGroups; ++g) {
    ExpectDirectAnswer(result.groups.at(absl::StrCat("group-", g)), x[g]);
  }
}

TEST(PredictGroupsTest, IdsComeBackWithTheirSamples) {
  TestServer server;
  const std::vector<float> x = RandomSamples(3);
  v1::PredictDomainRequest message = MessageOf("g", x);
  for (const char* id : {"a.jpg", "b.jpg", ""}) {
    message.mutable_samples()->add_ids(id);
  }

  const StreamResult result = Predict(server, {message});

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.groups.at("g").ids, ElementsAre("a.jpg", "b.jpg", ""));
}

TEST(PredictGroupsTest, AGroupThatEndsIsAnsweredWhileAnotherIsOpen) {
  TestServer server;
  const std::vector<float> x = RandomSamples(4);
  PredictStream stream(server);
  ASSERT_TRUE(stream.Send(MessageOf("open", x)));
  for (const auto& message : MessagesOf("short", x, 4)) {
    ASSERT_TRUE(stream.Send(message));
  }

  EXPECT_EQ(stream.ReadGroup("short").order, "rpe");

  stream.EndInput();
  const StreamResult rest = stream.Finish();
  EXPECT_TRUE(rest.status.ok());
  EXPECT_EQ(rest.groups.at("open").order, "rpe");
}

TEST(PredictGroupsTest, AnEndedGroupsNameCanBeUsedAgain) {
  TestServer server;
  const std::vector<float> first = RandomSamples(5, 1);
  const std::vector<float> second = RandomSamples(9, 2);
  PredictStream stream(server);

  for (const auto* x : {&first, &second}) {
    for (const auto& message : MessagesOf("g", *x, 4, WithProbabilities())) {
      ASSERT_TRUE(stream.Send(message));
    }
    ExpectDirectAnswer(stream.ReadGroup("g"), *x);
  }
}

TEST(PredictGroupsTest, AMessageAfterAGroupsEndEndsTheStream) {
  // The first group's end cannot be answered before the second message comes.
  TestServer server({}, EndlessBundle());
  PredictStream stream(server);
  const std::vector<float> positive(kTinySample, 1);
  v1::PredictDomainRequest message = MessageOf("g", positive);
  message.set_end_of_group(true);
  message.set_continue_on_group_error(true);
  ASSERT_TRUE(stream.Send(message));
  stream.Send(MessageOf("g", positive));

  const StreamResult result = stream.Finish();

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(),
            "group \"g\": expected no more messages until its end was "
            "answered, got one");
}

TEST(PredictGroupsTest, OptionsAreWelcomeInAGroupsFirstMessageOnly) {
  TestServer server;
  v1::PredictDomainRequest first = MessageOf("g", RandomSamples(2));
  v1::PredictDomainRequest second = first;
  *second.mutable_options() = WithProbabilities();

  const StreamResult result = Predict(server, {first, second});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(),
            "group \"g\": options: expected them in the group's first message "
            "only");
}

TEST(PredictGroupsTest, AGroupThatFailsEndsTheStreamUnlessToldOtherwise) {
  TestServer server;
  v1::PredictDomainRequest bad = MessageOf("bad", RandomSamples(2));
  bad.mutable_options()->mutable_model()->set_name("unknown");

  const StreamResult result =
      Predict(server, {MessageOf("good", RandomSamples(2)), bad});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(result.status.error_message(),
              ::testing::StartsWith("group \"bad\": "));
}

TEST(PredictGroupsTest, OthersGoOnIfTheStreamIsToContinueOnErrors) {
  TestServer server;
  const std::vector<float> x = RandomSamples(6);
  v1::PredictDomainRequest good = MessageOf("good", x);
  *good.mutable_options() = WithProbabilities();
  good.set_continue_on_group_error(true);
  v1::PredictDomainRequest bad = MessageOf("bad", x);
  bad.mutable_options()->mutable_model()->set_name("unknown");

  // What follows for the failed group is ignored until it ends.
  const StreamResult result = Predict(
      server, {good, bad, MessageOf("bad", x), EndOf("bad"), EndOf("good")});

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  ExpectDirectAnswer(result.groups.at("good"), x);
  EXPECT_EQ(result.groups.at("bad").order, "x");
  EXPECT_EQ(result.groups.at("bad").error.code(), grpc::StatusCode::NOT_FOUND);
}

TEST(PredictGroupsTest, AFailedGroupsNameCanBeUsedAgainAfterItsEnd) {
  TestServer server;
  const std::vector<float> x = RandomSamples(6);
  v1::PredictDomainRequest bad = MessageOf("g", x);
  bad.set_continue_on_group_error(true);
  v1::PredictDomainRequest late_options = EndOf("g");
  *late_options.mutable_options() = WithProbabilities();
  PredictStream stream(server);
  ASSERT_TRUE(stream.Send(bad));
  ASSERT_TRUE(stream.Send(late_options));
  EXPECT_EQ(stream.ReadGroup("g").order, "x");

  for (const auto& message : MessagesOf("g", x, 6, WithProbabilities())) {
    ASSERT_TRUE(stream.Send(message));
  }
  stream.EndInput();
  const StreamResult result = stream.Finish();

  EXPECT_TRUE(result.status.ok());
  ExpectDirectAnswer(result.groups.at("g"), x);
}

TEST(PredictGroupsTest, FailedGroupsDoNotKeepAStreamFromReading) {
  // More than a stream reads ahead, in groups that fail while they are encoded.
  TestServer server(
      [](ServerConfig& config) {
        config.batching.max_queued_samples = 10'000'000;
      },
      EndlessBundle(), model_store::TinyBundle());
  PredictStream stream(server);
  v1::PredictDomainRequest good = MessageOf("good", RandomSamples(6));
  good.mutable_options()->mutable_model()->set_name("tiny");
  good.set_continue_on_group_error(true);
  ASSERT_TRUE(stream.Send(good));
  const std::vector<float> positive(kTinySample * 20'000, 1);
  for (int i = 0; i < 60; ++i) {
    v1::PredictDomainRequest bad = MessageOf(absl::StrCat("bad-", i), positive);
    bad.mutable_options()->mutable_model()->set_name("endless");
    ASSERT_TRUE(stream.Send(bad));
    bad.clear_samples();
    bad.set_end_of_group(true);
    ASSERT_TRUE(stream.Send(bad));
    EXPECT_EQ(stream.ReadGroup(bad.group()).error.message(),
              "options: expected them in the group's first message only");
  }
  stream.EndInput();

  const StreamResult result = stream.Finish();

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.groups.at("good").order, "rpe");
}

TEST(PredictGroupsTest, AnEmptyStreamIsAnsweredByNothing) {
  TestServer server;

  const StreamResult result = Predict(server, {});

  EXPECT_TRUE(result.status.ok());
  EXPECT_TRUE(result.groups.empty());
}

TEST(PredictGroupsTest, ResultsDoNotDependOnChunksOrOnOtherStreams) {
  TestServer server;
  const std::vector<float> x = RandomSamples(200);
  const StreamResult whole =
      Predict(server, MessagesOf("g", x, 200, WithProbabilities()));
  const GroupResult& expected = whole.groups.at("g");
  std::vector<StreamResult> results(6);
  std::vector<std::thread> clients;
  for (size_t i = 0; i < results.size(); ++i) {
    clients.emplace_back([&, i] {
      results[i] =
          Predict(server, MessagesOf("g", x, 3 + 17 * i, WithProbabilities()));
    });
  }
  for (std::thread& client : clients) client.join();

  for (const StreamResult& result : results) {
    ASSERT_TRUE(result.status.ok()) << result.status.error_message();
    const GroupResult& group = result.groups.at("g");
    EXPECT_EQ(group.weights(), expected.weights());
    EXPECT_EQ(group.labels, expected.labels);
    EXPECT_THAT(group.probabilities,
                Pointwise(FloatNear(1e-5F), expected.probabilities));
  }
}

TEST(PredictGroupsTest, ResultsAreBitEqualIfTheServerIsDeterministic) {
  TestServer server(
      [](ServerConfig& config) { config.engine.deterministic = true; });
  const std::vector<float> x = RandomSamples(100);

  std::vector<std::vector<float>> results;
  for (const size_t chunk : {100, 7, 1}) {
    results.push_back(
        Predict(server, MessagesOf("g", x, chunk, WithProbabilities()))
            .groups["g"]
            .probabilities);
  }

  EXPECT_EQ(results[0].size(), 100 * model_store::kTinyClasses);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(PredictGroupsTest, ACallerMayWriteAGroupOfAnySizeBeforeItReads) {
  // 48 MB in and 32 MB out, far more than waits anywhere.
  TestServer server([](ServerConfig& config) {
    config.engine.batch_sizes = {1, 1024};
    config.limits.max_group_samples = 3'000'000;
  });
  const std::vector<float> x = RandomSamples(100'000);
  PredictStream stream(server);
  v1::PredictDomainRequest message = MessageOf("g", x);
  *message.mutable_options() = WithProbabilities();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stream.Send(message));
    message.clear_options();
  }
  stream.EndInput();

  const StreamResult result = stream.Finish();

  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.groups.at("g").probabilities.size(),
            2'000'000 * model_store::kTinyClasses);
  EXPECT_EQ(result.groups.at("g").end.num_predicted(), 2'000'000);
}

}  // namespace
}  // namespace ladder::server
