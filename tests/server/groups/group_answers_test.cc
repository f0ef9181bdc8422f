#include <algorithm>
#include <cmath>
#include <latch>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"
#include "tests/fakes/fake_model.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using routing::Method;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::testing::SizeIs;

constexpr size_t kClasses = 4;
constexpr size_t kSources = 3;

// What a group of TensorModel is answered with.
class GroupAnswersTest : public ::testing::Test {
 protected:
  ~GroupAnswersTest() override { EXPECT_EQ(server_.memory.used(), 0); }

  GroupRecord Serve(const std::vector<float>& x, size_t num_samples,
                    GroupOptions options) {
    GroupCall call(server_, {.model = model_, .options = std::move(options)});
    call.AddInChunks(x, num_samples, {5, 1, 7});
    return call.End();
  }

  const model_store::ModelHandle model_ = TensorModel();
  TestServer server_;
};

struct MethodCase {
  std::string name;
  routing::RoutingOptions routing;
};

class EveryMethodTest : public GroupAnswersTest,
                        public ::testing::WithParamInterface<MethodCase> {};

TEST_P(EveryMethodTest, AnswersAsModelAndRouterDo) {
  constexpr size_t kSamples = 40;
  const std::vector<float> x = RandomSamples(kSamples);
  const RouteQuestion question = {.routing = GetParam().routing};
  const DirectAnswer direct = AskDirectly(*model_, x, kSamples, question);

  const GroupRecord record =
      Serve(x, kSamples,
            {.questions = {question},
             .outputs = {.probabilities = true, .logits = true}});

  ASSERT_TRUE(record.status.ok()) << record.status;
  ASSERT_THAT(record.answers, SizeIs(1));
  const routing::Routing& routing = record.answers.front().routing;
  EXPECT_EQ(routing.weights, direct.routing.weights);
  EXPECT_EQ(routing.distances, direct.routing.distances);
  EXPECT_EQ(routing.method, question.routing.method);
  EXPECT_EQ(routing.coverage.verdict, direct.routing.coverage.verdict);
  EXPECT_EQ(routing.effective_experts, direct.routing.effective_experts);
  EXPECT_EQ(routing.num_seen, kSamples);
  EXPECT_EQ(routing.stability.has_value(),
            routing::UsesDistances(question.routing.method));
  EXPECT_FALSE(record.answers.front().fallback.has_value());
  EXPECT_THAT(record.rows.logits, Pointwise(FloatNear(1e-5F), direct.logits));
  EXPECT_THAT(record.rows.probabilities,
              Pointwise(FloatNear(1e-5F), direct.probabilities));
  for (size_t i = 0; i < kSamples; ++i) {
    const auto row =
        record.rows.logits.begin() + static_cast<std::ptrdiff_t>(i * kClasses);
    EXPECT_EQ(record.rows.labels[i],
              std::max_element(row, row + kClasses) - row);
  }
  EXPECT_THAT(record.rows.sample_weights,
              SizeIs(routing.per_sample ? kSamples * kSources : 0));
  EXPECT_EQ(record.summary.num_samples, kSamples);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, EveryMethodTest,
    ::testing::Values(
        MethodCase{"Ladder", {.method = Method::kLadder, .k = 2, .tau = 0.7}},
        MethodCase{"LadderOfAll",
                   {.method = Method::kLadder, .k = routing::kAllSources}},
        MethodCase{"LadderOfSome",
                   {.method = Method::kLadder, .k = 2, .sources = {2, 0}}},
        MethodCase{"Nearest", {.method = Method::kNearest}},
        MethodCase{"Uniform", {.method = Method::kUniform}},
        MethodCase{"SampleGate",
                   {.method = Method::kSampleGate, .gate_temperature = 2}},
        MethodCase{"SampleGateGroup", {.method = Method::kSampleGateGroup}},
        MethodCase{
            "Fixed",
            {.method = Method::kFixed, .fixed_weights = {0.25, 0.25, 0.5}}}),
    [](const auto& method) { return method.param.name; });

TEST_F(GroupAnswersTest, SampleGateWeightsAreThoseOfEachSample) {
  const std::vector<float> x = RandomSamples(20);
  const RouteQuestion question = {.routing = {.method = Method::kSampleGate}};
  const DirectAnswer direct = AskDirectly(*model_, x, 20, question);

  const GroupRecord record = Serve(x, 20, {.questions = {question}});

  std::vector<float> weights(20 * kSources);
  ASSERT_TRUE(model_->router()
                  .SampleWeights({direct.gates.data(), 20, kSources},
                                 question.routing, weights)
                  .ok());
  EXPECT_EQ(record.rows.sample_weights, weights);
}

TEST_F(GroupAnswersTest, SeveralQuestionsAreAnsweredInOrder) {
  const std::vector<float> x = RandomSamples(30);
  const std::vector<RouteQuestion> questions = {
      {.routing = {.method = Method::kNearest}},
      {.routing = {.k = 2, .tau = 0.1}, .diagnostics = false},
      {.routing = {.method = Method::kSampleGateGroup}},
      {.routing = {.method = Method::kUniform}}};

  const GroupRecord record =
      Serve(x, 30, {.questions = questions, .outputs = {.logits = true}});

  ASSERT_THAT(record.answers, SizeIs(questions.size()));
  for (size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(record.answers[i].routing.weights,
              AskDirectly(*model_, x, 30, questions[i]).routing.weights);
    EXPECT_EQ(record.answers[i].expert_disagreement.has_value(),
              questions[i].diagnostics);
  }
  EXPECT_FALSE(record.answers[1].routing.stability.has_value());
  // Predictions use the first.
  EXPECT_THAT(record.rows.logits,
              Pointwise(FloatNear(1e-5F),
                        AskDirectly(*model_, x, 30, questions[0]).logits));
}

TEST_F(GroupAnswersTest, WithoutPredictionsThereAreAnswersAlone) {
  const std::vector<float> x = RandomSamples(30);

  const GroupRecord record =
      Serve(x, 30, {.questions = {DefaultQuestion(*model_)}, .predict = false});

  EXPECT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.events, ElementsAre("routing", "end"));
  EXPECT_EQ(record.summary.num_samples, 30);
}

TEST_F(GroupAnswersTest, PredictionsCarryNothingThatWasNotAskedFor) {
  const GroupRecord record =
      Serve(RandomSamples(10), 10, {.questions = {DefaultQuestion(*model_)}});

  EXPECT_THAT(record.rows.labels, SizeIs(10));
  EXPECT_THAT(record.rows.probabilities, IsEmpty());
  EXPECT_THAT(record.rows.logits, IsEmpty());
  EXPECT_THAT(record.rows.top_classes, IsEmpty());
  EXPECT_THAT(record.rows.top_probabilities, IsEmpty());
  EXPECT_THAT(record.rows.expert_probabilities, IsEmpty());
  EXPECT_THAT(record.rows.sample_weights, IsEmpty());
  EXPECT_THAT(record.rows.ids, IsEmpty());
}

TEST_F(GroupAnswersTest, TheTopClassesAreTheMostProbableOnes) {
  const GroupRecord record =
      Serve(RandomSamples(25), 25,
            {.questions = {DefaultQuestion(*model_)},
             .outputs = {.top_n = 3, .probabilities = true}});

  EXPECT_EQ(record.rows.top_n, 3);
  ASSERT_THAT(record.rows.top_classes, SizeIs(25 * 3));
  ASSERT_THAT(record.rows.top_probabilities, SizeIs(25 * 3));
  for (size_t i = 0; i < 25; ++i) {
    const float* row = &record.rows.probabilities[i * kClasses];
    std::vector<uint32_t> order = {0, 1, 2, 3};
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return row[a] > row[b]; });
    EXPECT_EQ(record.rows.labels[i], order[0]);
    for (size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(record.rows.top_classes[i * 3 + n], order[n]);
      EXPECT_EQ(record.rows.top_probabilities[i * 3 + n], row[order[n]]);
    }
  }
}

TEST_F(GroupAnswersTest, MoreTopClassesThanThereAreMeansAll) {
  const GroupRecord record = Serve(
      RandomSamples(3), 3,
      {.questions = {DefaultQuestion(*model_)}, .outputs = {.top_n = 99}});

  EXPECT_EQ(record.rows.top_n, kClasses);
  EXPECT_THAT(record.rows.top_classes, SizeIs(3 * kClasses));
}

TEST_F(GroupAnswersTest, ExpertsAreThoseOfTheSingleSources) {
  const std::vector<float> x = RandomSamples(12);

  const GroupRecord record = Serve(x, 12,
                                   {.questions = {DefaultQuestion(*model_)},
                                    .outputs = {.expert_probabilities = true}});

  ASSERT_THAT(record.rows.expert_probabilities,
              SizeIs(12 * kSources * kClasses));
  for (size_t source = 0; source < kSources; ++source) {
    std::vector<double> alone(kSources);
    alone[source] = 1;
    const DirectAnswer direct = AskDirectly(
        *model_, x, 12,
        {.routing = {.method = Method::kFixed, .fixed_weights = alone}});
    for (size_t i = 0; i < 12 * kClasses; ++i) {
      const size_t sample = i / kClasses;
      EXPECT_NEAR(
          record.rows
              .expert_probabilities[(sample * kSources + source) * kClasses +
                                    i % kClasses],
          direct.probabilities[i], 1e-5);
    }
  }
}

TEST_F(GroupAnswersTest, DisagreementIsThatOfTheWeightedExperts) {
  const std::vector<float> x = RandomSamples(50);
  const GroupRecord record = Serve(x, 50,
                                   {.questions = {DefaultQuestion(*model_)},
                                    .outputs = {.expert_probabilities = true}});
  const RoutingAnswer& answer = record.answers.front();

  // The mean over samples of the weighted total variation from the mixture.
  double expected = 0;
  for (size_t i = 0; i < 50; ++i) {
    const float* experts =
        &record.rows.expert_probabilities[i * kSources * kClasses];
    for (size_t c = 0; c < kClasses; ++c) {
      double mean = 0;
      for (size_t e = 0; e < kSources; ++e) {
        mean += answer.routing.weights[e] * experts[e * kClasses + c];
      }
      for (size_t e = 0; e < kSources; ++e) {
        expected += answer.routing.weights[e] *
                    std::abs(experts[e * kClasses + c] - mean) / 2 / 50;
      }
    }
  }
  ASSERT_TRUE(answer.expert_disagreement.has_value());
  EXPECT_NEAR(*answer.expert_disagreement, expected, 1e-6);
}

TEST_F(GroupAnswersTest, OneExpertDoesNotDisagree) {
  const GroupRecord record =
      Serve(RandomSamples(10), 10,
            {.questions = {{.routing = {.method = Method::kNearest}}}});

  EXPECT_EQ(record.answers.front().expert_disagreement, 0);
}

TEST_F(GroupAnswersTest, SamplesComeBackInOrderWithTheirIds) {
  GroupCall call(
      server_,
      {.model = model_, .options = {.questions = {DefaultQuestion(*model_)}}});
  std::vector<std::string> ids;
  for (size_t chunk = 0; chunk < 20; ++chunk) {
    std::vector<std::string> some;
    for (size_t i = 0; i < 30; ++i) {
      some.push_back(absl::StrCat("sample-", chunk, "-", i));
    }
    ids.insert(ids.end(), some.begin(), some.end());
    ASSERT_TRUE(call.Add(RandomSamples(30), 30, some).ok());
  }

  const GroupRecord record = call.End();

  std::vector<uint64_t> indices(600);
  std::iota(indices.begin(), indices.end(), 0);
  EXPECT_EQ(record.rows.indices, indices);
  EXPECT_EQ(record.rows.ids, ids);
  EXPECT_THAT(record.message_rows, ElementsAre(256, 256, 88));
}

TEST_F(GroupAnswersTest, AGroupWithoutSamplesIsAnError) {
  const RouteQuestion fixed = {.routing = {.method = Method::kUniform}};
  for (const RouteQuestion& question : {DefaultQuestion(*model_), fixed}) {
    GroupCall call(server_,
                   {.model = model_, .options = {.questions = {question}}});
    const GroupRecord record = call.End();

    EXPECT_EQ(record.status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(record.status.message(), HasSubstr("got 0"));
    EXPECT_THAT(record.events, ElementsAre("end"));
  }
}

TEST_F(GroupAnswersTest, ALogitThatIsNoNumberIsAnErrorNotAClass) {
  constexpr size_t kBad = 3;
  std::vector<float> x = RandomSamples(10);
  const size_t sample = x.size() / 10;
  std::fill_n(&x[kBad * sample], sample, std::numeric_limits<float>::max());

  for (const bool probabilities : {false, true}) {
    for (const bool diagnostics : {false, true}) {
      const GroupRecord record =
          Serve(x, 10,
                {.questions = {{.routing = {.method = Method::kUniform},
                                .diagnostics = diagnostics}},
                 .outputs = {.probabilities = probabilities}});

      EXPECT_EQ(record.status.code(), absl::StatusCode::kInternal);
      EXPECT_THAT(std::string(record.status.message()),
                  HasSubstr("model tiny, version 1: expected finite logits, "
                            "got "));
      EXPECT_THAT(std::string(record.status.message()),
                  HasSubstr(diagnostics ? "of a sample by the expert of source "
                                        : "of sample 3"));
      EXPECT_THAT(record.rows.labels, IsEmpty());
    }
  }
}

TEST_F(GroupAnswersTest, SamplesThatDoNotFitAreRefused) {
  GroupCall call(
      server_,
      {.model = model_, .options = {.questions = {DefaultQuestion(*model_)}}});
  std::vector<float> odd = RandomSamples(3);
  odd.pop_back();
  std::vector<float> infinite = RandomSamples(3);
  infinite[7] = std::numeric_limits<float>::infinity();
  std::vector<float> nan = RandomSamples(3);
  nan[17] = std::nanf("");

  for (const auto& [status, message] :
       std::vector<std::pair<absl::Status, const char*>>{
           {call.Add(odd, 3), "3 samples of 6 numbers each, got 17"},
           {call.Add(infinite, 3), "sample 1 of the chunk"},
           {call.Add(nan, 3), "sample 2 of the chunk"},
           {call.AddImages({{std::byte{1}}}),
            "takes tensors of shape [n, 6]"}}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(message));
  }

  // The group is as it was.
  ASSERT_TRUE(call.Add(RandomSamples(3), 3).ok());
  const GroupRecord record = call.End();
  EXPECT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.rows.indices, ElementsAre(0, 1, 2));
}

TEST_F(GroupAnswersTest, ReportsTheGroup) {
  GroupReport report;
  report.group = "north wing";
  report.request_id = "r-7";
  GroupCall call(server_, {.model = model_,
                           .options = {.questions = {DefaultQuestion(*model_)}},
                           .report = report});
  ASSERT_TRUE(call.Add(RandomSamples(20), 20).ok());
  const GroupRecord record = call.End();
  call.Drop();

  ASSERT_THAT(server_.observer.reports(), SizeIs(1));
  const GroupReport told = server_.observer.reports().front();
  const routing::Routing& routing = record.answers.front().routing;
  EXPECT_EQ(told.group, "north wing");
  EXPECT_EQ(told.request_id, "r-7");
  EXPECT_EQ(told.model, "tiny");
  EXPECT_EQ(told.version, 1);
  EXPECT_TRUE(told.status.ok());
  EXPECT_EQ(told.num_samples, 20);
  EXPECT_TRUE(told.routed);
  EXPECT_EQ(told.method, "ladder");
  EXPECT_EQ(told.effective_experts, routing.effective_experts);
  EXPECT_EQ(told.coverage.verdict, routing.coverage.verdict);
  ASSERT_THAT(told.weights, SizeIs(kSources));
  for (size_t e = 0; e < kSources; ++e) {
    EXPECT_EQ(told.weights[e].source, absl::StrCat("source-", e));
    EXPECT_EQ(told.weights[e].weight, routing.weights[e]);
    EXPECT_EQ(told.weights[e].distance, routing.distances[e]);
  }
  for (const Stage stage : {Stage::kQueue, Stage::kEncode, Stage::kStyle,
                            Stage::kRoute, Stage::kHeads}) {
    EXPECT_GE(server_.observer.num(stage), 1);
    EXPECT_GT(told.stages.at(static_cast<size_t>(stage)), absl::ZeroDuration());
    const TimeRange& range = told.stage_ranges.at(static_cast<size_t>(stage));
    EXPECT_GE(range.begin, told.started);
    EXPECT_GT(range.end, range.begin);
    EXPECT_LE(range.end, told.started + told.duration);
  }
  EXPECT_EQ(server_.observer.num(Stage::kDecode), 0);
  EXPECT_TRUE(
      told.stage_ranges.at(static_cast<size_t>(Stage::kDecode)).empty());
}

// Lets somebody else have a turn after every answer.
class PostingSink final : public GroupSink {
 public:
  explicit PostingSink(WorkerPool& workers) : workers_(workers) {}

  void OnRouting(const RoutingAnswer&) override {
    order_.push_back("answer");
    workers_.Post(WorkOwner(), WorkerPool::Length::kShort,
                  [this] { order_.push_back("other"); });
  }
  void OnPredictions(GroupPredictions) override {}
  void OnEnd(const absl::Status& status, const GroupSummary&) override {
    EXPECT_TRUE(status.ok()) << status;
    ended_.count_down();
  }

  const std::vector<std::string>& WaitForOrder() {
    ended_.wait();
    return order_;
  }

 private:
  WorkerPool& workers_;
  std::vector<std::string> order_;  // Used by one thread, the only free one.
  std::latch ended_{1};
};

TEST_F(GroupAnswersTest, OthersHaveTheirTurnsBetweenTheQuestions) {
  const auto sink = std::make_shared<PostingSink>(server_.workers);
  std::latch release(1);
  // Two of three threads are busy.
  for (int i = 0; i < 2; ++i) {
    server_.workers.Post(WorkOwner(), WorkerPool::Length::kLong,
                         [&release] { release.wait(); });
  }
  const RouteQuestion question = {.routing = {.k = 2}};
  const auto group =
      Group::Start(server_.services(),
                   {.model = model_,
                    .options = {.questions = {question, question, question},
                                .predict = false}},
                   sink);
  const auto x = std::make_shared<const std::vector<float>>(RandomSamples(5));
  ASSERT_TRUE(group->Add({.owner = x, .num_samples = 5, .x = *x}).ok());
  group->End();

  EXPECT_THAT(sink->WaitForOrder(), ElementsAre("answer", "other", "answer",
                                                "other", "answer", "other"));
  release.count_down();
}

TEST_F(GroupAnswersTest, LargeAnswersComeInMessagesThatClientsTake) {
  model_store::Manifest manifest;
  manifest.style_dimension = 6;
  manifest.content_dimension = 6;
  manifest.input = model_->manifest().input;
  manifest.sources.resize(64);
  manifest.classes.resize(256);
  const auto model =
      std::make_shared<model_store::FakeModel>(std::move(manifest), "sha");
  GroupCall call(server_,
                 {.model = model,
                  .options = {.questions = {{.routing = {.k = 2}}},
                              .outputs = {.expert_probabilities = true}}});
  ASSERT_TRUE(call.Add(RandomSamples(40), 40).ok());

  const GroupRecord record = call.End();

  // A sample's probabilities are 64 KiB.
  EXPECT_THAT(record.message_rows, ElementsAre(16, 16, 8));
}

TEST_F(GroupAnswersTest, AReportWithoutDistancesSaysSo) {
  Serve(RandomSamples(5), 5,
        {.questions = {{.routing = {.method = Method::kUniform}}}});

  const GroupReport told = server_.observer.reports().front();
  EXPECT_FALSE(told.has_distances);
  for (const SourceWeight& weight : told.weights) {
    EXPECT_TRUE(std::isnan(weight.distance));
  }
}

}  // namespace
}  // namespace ladder::server
