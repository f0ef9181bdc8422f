#include "client/command/route_questions.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(QuestionsTest, WithoutChoicesThereIsOneWithAllDefaults) {
  const auto questions = Questions({});

  ASSERT_TRUE(questions.ok()) << questions.status();
  ASSERT_EQ(questions->size(), 1);
  EXPECT_FALSE(questions->front().has_model());
  EXPECT_EQ(questions->front().routing().method(), v1::METHOD_UNSPECIFIED);
  EXPECT_FALSE(questions->front().routing().has_tau());
}

TEST(QuestionsTest, EveryMethodIsAskedWithWhatItUses) {
  const auto questions = Questions({.model = "birds@canary",
                                    .methods = {"nearest", "ladder"},
                                    .ks = {"3", "all"},
                                    .taus = {"0.25", "0.5"}});

  ASSERT_TRUE(questions.ok()) << questions.status();
  ASSERT_EQ(questions->size(), 5);
  const v1::RoutingOptions& nearest = questions->at(0).routing();
  EXPECT_EQ(nearest.method(), v1::METHOD_NEAREST);
  EXPECT_FALSE(nearest.has_tau());
  EXPECT_EQ(nearest.neighbours_case(), v1::RoutingOptions::NEIGHBOURS_NOT_SET);
  EXPECT_EQ(questions->at(2).routing().k(), 3);
  EXPECT_EQ(questions->at(2).routing().tau(), 0.5);
  EXPECT_TRUE(questions->at(4).routing().all_sources());
  for (const v1::RouteQuestion& question : *questions) {
    EXPECT_EQ(question.model().label(), "canary");
  }
}

TEST(QuestionsTest, ErrorsNameTheOption) {
  EXPECT_THAT(Questions({.ks = {"few"}}).status().message(),
              HasSubstr("k: expected"));
  EXPECT_THAT(Questions({.taus = {"0"}}).status().message(),
              HasSubstr("tau: expected"));
}

v1::RouteDomainResponse Response() {
  v1::RouteDomainResponse response;
  v1::Routing& ladder = *response.add_routings();
  ladder.set_model("birds");
  ladder.set_version(3);
  ladder.set_method(v1::METHOD_LADDER);
  ladder.set_num_samples(40);
  ladder.set_k(2);
  ladder.set_tau(0.25);
  ladder.set_effective_experts(1.6);
  ladder.set_has_distances(true);
  ladder.mutable_coverage()->set_verdict(v1::Coverage::OUT);
  ladder.mutable_coverage()->set_nearest_distance(7.5);
  v1::SourceWeight& lake = *ladder.add_sources();
  lake.set_source("lake");
  lake.set_weight(0.75);
  v1::Routing& uniform = *response.add_routings();
  uniform.set_method(v1::METHOD_UNIFORM);
  uniform.set_tau(9);
  return response;
}

TEST(RenderRoutesTest, ShowsEachAnswerInARow) {
  const std::string text = RenderRoutes("north\x1b", Response(), {});

  EXPECT_THAT(text, HasSubstr("north?: 40 samples, model birds 3\n"));
  EXPECT_THAT(text, HasSubstr("ladder   2  0.25  lake ██████ 75 %      1.6  "
                              "OUT           7.5\n"));
}

TEST(RenderRoutesTest, LeavesOutWhatAMethodDoesNotUse) {
  EXPECT_THAT(RenderRoutes("north", Response(), {}),
              AllOf(HasSubstr("uniform  -     -"), Not(HasSubstr("9"))));
}

}  // namespace
}  // namespace ladder::client
