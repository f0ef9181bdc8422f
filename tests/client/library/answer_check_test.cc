// What a server says is looked at before it is believed.

#include "client/library/answer_check.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/samples.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

v1::Matrix MatrixOf(uint32_t columns, const std::vector<float>& values) {
  v1::Matrix matrix;
  matrix.set_columns(columns);
  matrix.set_float32(values.data(), values.size() * sizeof(float));
  return matrix;
}

v1::GroupOptions AllOutputs() {
  v1::GroupOptions options;
  options.mutable_model()->set_name("birds");
  options.mutable_outputs()->set_probabilities(true);
  options.mutable_outputs()->set_logits(true);
  options.mutable_outputs()->set_expert_probabilities(true);
  options.mutable_outputs()->set_top_n(1);
  return options;
}

// The answers for a group of three pictures, the last of which is bad, by a
// model of two classes and one source.
struct Answers {
  Answers() {
    for (v1::PredictDomainResponse* const answer :
         {&routing, &predictions, &end}) {
      answer->set_group("g");
    }
    routing.mutable_routing()->set_model("birds");
    routing.mutable_routing()->set_num_samples(2);
    routing.mutable_routing()->add_sources()->set_weight(1);
    routing.mutable_routing()->add_classes("heron");
    routing.mutable_routing()->add_classes("stork");
    v1::Predictions& rows = *predictions.mutable_predictions();
    for (const char* id : {"a", "b"}) rows.add_ids(id);
    for (const uint32_t label : {0, 1}) {
      rows.add_labels(label);
      rows.add_top_classes(label);
      rows.add_top_probabilities(0.75F);
    }
    for (v1::Matrix* const matrix :
         {rows.mutable_probabilities(), rows.mutable_logits(),
          rows.mutable_expert_probabilities()}) {
      *matrix = MatrixOf(2, {0.75F, 0.25F, 0.25F, 0.75F});
    }
    rows.add_rejected()->set_index(2);
    rows.mutable_rejected(0)->set_id("c");
    end.mutable_end()->set_num_predicted(2);
    end.mutable_end()->set_num_rejected(1);
  }

  v1::PredictDomainResponse routing;
  v1::PredictDomainResponse predictions;
  v1::PredictDomainResponse end;
};

// What is said of them as a whole.
absl::Status VerdictOn(const Answers& answers) {
  AnswerCheck check("g", AllOutputs());
  check.OnSend(ImageSamples({"1", "2"}, {"a", "b"}).value());
  check.OnSend(ImageSamples({"3"}, {"c"}).value());
  for (const v1::PredictDomainResponse* const answer :
       {&answers.routing, &answers.predictions, &answers.end}) {
    absl::Status status = check.Check(*answer);
    if (!status.ok()) return status;
  }
  return check.CheckComplete();
}

TEST(AnswerCheckTest, WhatFitsIsTaken) {
  EXPECT_TRUE(VerdictOn(Answers()).ok()) << VerdictOn(Answers());
}

TEST(AnswerCheckTest, WhatCannotBeIsDataLoss) {
  using Change = std::function<void(Answers&)>;
  const auto rows = [](Answers& a) -> v1::Predictions& {
    return *a.predictions.mutable_predictions();
  };
  const auto route = [](Answers& a) -> v1::Routing& {
    return *a.routing.mutable_routing();
  };
  const std::vector<std::pair<std::string, Change>> lies = {
      {"group: expected \"g\", got \"\\x1bh\"",
       [](Answers& a) { a.predictions.set_group("\x1bh"); }},
      {"expected a routing before", [](Answers& a) { a.routing = a.end; }},
      {"one routing", [](Answers& a) { a.predictions = a.routing; }},
      {"model: expected \"birds\"",
       [&](Answers& a) { route(a).set_model(""); }},
      {"num_samples: expected at most 3",
       [&](Answers& a) { route(a).set_num_samples(4); }},
      {"weight: expected finite",
       [&](Answers& a) { route(a).mutable_sources(0)->set_weight(NAN); }},
      {"distance: expected finite",
       [&](Answers& a) {
         route(a).mutable_sources(0)->set_distance(INFINITY);
       }},
      {"expected answers for 3 samples, got 2",
       [&](Answers& a) {
         rows(a).clear_rejected();
         a.end.mutable_end()->set_num_rejected(0);
       }},
      {"expected one of 3 samples, got sample 7",
       [&](Answers& a) {
         rows(a).set_first_index(7);
         rows(a).clear_ids();
       }},
      {"expected one of 3 samples",
       [&](Answers& a) { rows(a).set_first_index(~uint64_t{0}); }},
      {"sample 1: expected one answer",
       [&](Answers& a) {
         rows(a).mutable_rejected(0)->set_index(1);
         rows(a).mutable_rejected(0)->set_id("b");
       }},
      {"sample 1: expected the id it was sent with, got \"x\"",
       [&](Answers& a) { rows(a).set_ids(1, "x"); }},
      {"sample 0: expected the id", [&](Answers& a) { rows(a).clear_ids(); }},
      {"sample 2: expected the id",
       [&](Answers& a) { rows(a).mutable_rejected(0)->clear_id(); }},
      {"ids: expected 2, got 1",
       [&](Answers& a) { rows(a).mutable_ids()->RemoveLast(); }},
      {"indices: expected 2, got 1",
       [&](Answers& a) { rows(a).add_indices(0); }},
      {"labels: expected one of 2 classes, got 2",
       [&](Answers& a) { rows(a).set_labels(0, 2); }},
      {"top_classes: expected one of 2 classes, got 9",
       [&](Answers& a) { rows(a).set_top_classes(0, 9); }},
      {"top_classes: expected 2, got 3",
       [&](Answers& a) { rows(a).add_top_classes(0); }},
      {"top_probabilities: expected 2, got 0",
       [&](Answers& a) { rows(a).clear_top_probabilities(); }},
      {"top_probabilities: expected finite",
       [&](Answers& a) { rows(a).set_top_probabilities(0, kNan); }},
      {"probabilities.columns: expected 2, got 0",
       [&](Answers& a) { rows(a).clear_probabilities(); }},
      {"probabilities: expected finite",
       [&](Answers& a) {
         *rows(a).mutable_probabilities() = MatrixOf(2, {1, 0, kNan, 0});
       }},
      {"logits.columns: expected 2, got 3",
       [&](Answers& a) {
         *rows(a).mutable_logits() = MatrixOf(3, {1, 0, 0, 0, 1, 0});
       }},
      {"logits.float32: expected 16, got 12",
       [&](Answers& a) {
         *rows(a).mutable_logits() = MatrixOf(2, {1, 0, 1});
       }},
      {"expert_probabilities.float32: expected 16, got 8",
       [&](Answers& a) {
         *rows(a).mutable_expert_probabilities() = MatrixOf(2, {1, 0});
       }},
      {"sample_weights.float32: expected 8, got 4",
       [&](Answers& a) {
         *rows(a).mutable_sample_weights() = MatrixOf(1, {1});
       }},
      {"num_predicted: expected 2, got 5",
       [](Answers& a) { a.end.mutable_end()->set_num_predicted(5); }},
      {"expected the end of the group",
       [](Answers& a) { a.end.clear_answer(); }},
      {"expected none after the group's end", [](Answers& a) {
         a.predictions = a.end;
         a.predictions.mutable_end()->Clear();
       }}};
  for (const auto& [message, change] : lies) {
    Answers answers;
    change(answers);

    const absl::Status verdict = VerdictOn(answers);

    EXPECT_EQ(verdict.code(), absl::StatusCode::kDataLoss) << message;
    EXPECT_THAT(std::string(verdict.message()), HasSubstr(message));
  }
}

TEST(AnswerCheckTest, ColumnsCountTheClassesWhereTheyHaveNoNames) {
  Answers answers;
  answers.routing.mutable_routing()->clear_classes();
  EXPECT_TRUE(VerdictOn(answers).ok()) << VerdictOn(answers);

  answers.predictions.mutable_predictions()->set_labels(1, 2);

  EXPECT_EQ(VerdictOn(answers).code(), absl::StatusCode::kDataLoss);
}

TEST(AnswerCheckTest, EveryQuestionHasOneRoutingOfTheSamplesThatWereSent) {
  v1::RouteDomainRequest request;
  request.add_questions();
  request.add_questions();
  v1::RouteDomainResponse good;
  good.add_routings()->set_num_samples(1);
  good.add_routings()->set_num_samples(1);
  good.add_rejected()->set_index(1);
  v1::RouteDomainResponse fewer = good;
  fewer.mutable_routings()->RemoveLast();
  v1::RouteDomainResponse foreign = good;
  foreign.mutable_rejected(0)->set_id("foreign");
  v1::RouteDomainResponse infinite = good;
  infinite.mutable_routings(1)->add_sources()->set_weight(INFINITY);
  const auto verdict_on = [&](const v1::RouteDomainResponse& response) {
    AnswerCheck check("g", /*options=*/{});
    check.OnSend(ImageSamples({"1", "2"}).value());
    return check.Check(request, response);
  };

  EXPECT_TRUE(verdict_on(good).ok()) << verdict_on(good);
  for (const auto& lie : {fewer, foreign, infinite}) {
    EXPECT_EQ(verdict_on(lie).code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace ladder::client
