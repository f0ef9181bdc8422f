#include <atomic>
#include <deque>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using routing::Method;
using ::testing::FloatNear;
using ::testing::Pointwise;
using ::testing::SizeIs;

constexpr size_t kSamples = 300;

const std::vector<std::vector<size_t>>& Cuts() {
  static const auto* const cuts = new std::vector<std::vector<size_t>>{
      {kSamples}, {1}, {7, 2, 31}, {8}, {299, 1}};
  return *cuts;
}

// Answers do not depend on how a group is cut, nor on what else is served.
class GroupChunkingTest : public ::testing::Test {
 protected:
  void TearDown() override {
    others_ = {};
    EXPECT_EQ(server_.memory.used(), 0);
  }

  GroupSetup NewGroup(model_store::ModelHandle model, Method method,
                      uint64_t route_after = 0) {
    return {.model = std::move(model),
            .options = {.questions = {{.routing = {.method = method, .k = 2}}},
                        .outputs = {.probabilities = true, .logits = true},
                        .route_after = route_after}};
  }

  GroupRecord Serve(GroupSetup setup, const std::vector<size_t>& sizes) {
    GroupCall call(server_, std::move(setup));
    call.AddInChunks(x_, kSamples, sizes);
    return call.End();
  }

  // Other groups, of other sizes, until the end of the test.
  void ServeOthers() {
    others_ = std::jthread([this](const std::stop_token& stop) {
      for (unsigned i = 0; !stop.stop_requested(); ++i) {
        GroupCall call(
            server_,
            {.model = i % 2 == 0 ? TensorModel() : OneBatchSizeModel(),
             .options = {.questions = {RouteQuestion{.routing = {.k = 2}}}}});
        call.AddInChunks(RandomSamples(23, i), 23, {1 + i % 5});
        EXPECT_TRUE(call.End().status.ok());
      }
    });
  }

  const std::vector<float> x_ = RandomSamples(kSamples);
  TestServer server_{{.num_workers = 2}};
  std::jthread others_;
};

TEST_F(GroupChunkingTest, AnswersAreEqualHoweverTheGroupIsCut) {
  ServeOthers();
  for (const Method method :
       {Method::kLadder, Method::kSampleGate, Method::kSampleGateGroup}) {
    const DirectAnswer direct = AskDirectly(
        *TensorModel(), x_, kSamples, {.routing = {.method = method, .k = 2}});
    for (const std::vector<size_t>& sizes : Cuts()) {
      const GroupRecord record = Serve(NewGroup(TensorModel(), method), sizes);

      ASSERT_TRUE(record.status.ok()) << record.status;
      EXPECT_EQ(record.answers.front().routing.weights, direct.routing.weights);
      EXPECT_THAT(record.rows.probabilities,
                  Pointwise(FloatNear(1e-5F), direct.probabilities));
      EXPECT_THAT(record.rows.indices, SizeIs(kSamples));
    }
  }
}

TEST_F(GroupChunkingTest, WithFixedSizesAnswersAreEqualToTheBit) {
  ServeOthers();
  for (const Method method : {Method::kLadder, Method::kSampleGate}) {
    std::vector<GroupRecord> records;
    for (const std::vector<size_t>& sizes : Cuts()) {
      // With early routing the rows of a message depend on when they come.
      GroupSetup setup =
          NewGroup(OneBatchSizeModel(), method, /*route_after=*/10);
      setup.limits.fixed_head_rows = 8;
      setup.options.outputs.expert_probabilities = true;
      records.push_back(Serve(std::move(setup), sizes));
    }
    for (const GroupRecord& record : records) {
      ASSERT_TRUE(record.status.ok()) << record.status;
      EXPECT_EQ(record.answers.front().routing.weights,
                records.front().answers.front().routing.weights);
      EXPECT_EQ(record.answers.front().expert_disagreement,
                records.front().answers.front().expert_disagreement);
      EXPECT_EQ(record.rows.logits, records.front().rows.logits);
      EXPECT_EQ(record.rows.probabilities, records.front().rows.probabilities);
      EXPECT_EQ(record.rows.expert_probabilities,
                records.front().rows.expert_probabilities);
    }
  }
}

TEST_F(GroupChunkingTest, EarlyRoutingRestsOnTheFirstSamplesAlone) {
  constexpr size_t kFirst = 50;
  const std::vector<float> first(x_.begin(), x_.begin() + kFirst * 6);
  for (const Method method : {Method::kLadder, Method::kSampleGateGroup}) {
    const DirectAnswer direct = AskDirectly(
        *TensorModel(), first, kFirst, {.routing = {.method = method, .k = 2}});
    for (const std::vector<size_t>& sizes : Cuts()) {
      const GroupRecord record =
          Serve(NewGroup(TensorModel(), method, kFirst), sizes);

      ASSERT_TRUE(record.status.ok()) << record.status;
      EXPECT_EQ(record.answers.front().routing.weights, direct.routing.weights);
      EXPECT_EQ(record.answers.front().routing.num_seen, kFirst);
      EXPECT_EQ(record.events.front(), "routing");
      EXPECT_THAT(record.rows.indices, SizeIs(kSamples));
    }
  }
}

TEST_F(GroupChunkingTest, WithEarlyRoutingPredictionsFlowBeforeTheEnd) {
  GroupCall call(server_, NewGroup(TensorModel(), Method::kLadder, 10));
  ASSERT_TRUE(call.Add(RandomSamples(9), 9).ok());
  ASSERT_TRUE(call.Add(RandomSamples(9), 9).ok());
  EXPECT_THAT(call.sink().WaitForRows(18).rows.indices, SizeIs(18));

  ASSERT_TRUE(call.Add(RandomSamples(4), 4).ok());
  EXPECT_THAT(call.sink().WaitForRows(22).rows.indices, SizeIs(22));

  const GroupRecord record = call.End();
  EXPECT_TRUE(record.status.ok());
  EXPECT_THAT(record.answers, SizeIs(1));
}

TEST_F(GroupChunkingTest, AGroupThatEndsBeforeItsEarlyRoutingIsRouted) {
  const GroupRecord record =
      Serve(NewGroup(TensorModel(), Method::kLadder, kSamples + 1), {50});

  EXPECT_TRUE(record.status.ok()) << record.status;
  EXPECT_EQ(record.answers.front().routing.num_seen, kSamples);
  EXPECT_THAT(record.rows.indices, SizeIs(kSamples));
}

TEST_F(GroupChunkingTest, ManyGroupsAtOnceDoNotMixUp) {
  std::deque<GroupCall> calls;
  std::vector<std::vector<float>> samples;
  constexpr size_t kGroups = 12;
  for (unsigned g = 0; g < kGroups; ++g) {
    samples.push_back(RandomSamples(60, g));
    calls.emplace_back(server_, NewGroup(TensorModel(), Method::kLadder));
  }
  for (size_t chunk = 0; chunk < 10; ++chunk) {
    for (size_t g = 0; g < kGroups; ++g) {
      const auto begin =
          samples[g].begin() + static_cast<std::ptrdiff_t>(chunk * 6 * 6);
      ASSERT_TRUE(calls[g].Add({begin, begin + 36}, 6).ok());
    }
  }
  for (GroupCall& call : calls) call.group().End();
  for (size_t g = 0; g < kGroups; ++g) {
    const GroupRecord record = calls[g].sink().WaitForEnd();
    const DirectAnswer direct =
        AskDirectly(*TensorModel(), samples[g], 60,
                    {.routing = {.method = Method::kLadder, .k = 2}});
    EXPECT_EQ(record.answers.front().routing.weights, direct.routing.weights);
    EXPECT_THAT(record.rows.probabilities,
                Pointwise(FloatNear(1e-5F), direct.probabilities));
  }
}

}  // namespace
}  // namespace ladder::server
