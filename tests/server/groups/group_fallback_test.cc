#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using routing::CoverageVerdict;
using routing::Method;
using routing::RoutingOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kSamples = 20;

// Groups that are too small or far away, and what is asked for then.
class GroupFallbackTest : public ::testing::Test {
 protected:
  ~GroupFallbackTest() override { EXPECT_EQ(server_.memory.used(), 0); }

  GroupRecord Serve(const std::vector<float>& x, size_t num_samples,
                    const RouteQuestion& question) {
    GroupCall call(server_,
                   {.model = model_, .options = {.questions = {question}}});
    EXPECT_TRUE(num_samples == 0 || call.Add(x, num_samples).ok());
    return call.End();
  }
  GroupRecord ServeTooFew(Fallback fallback, double soften_factor = 4) {
    return Serve(RandomSamples(kSamples), kSamples,
                 {.routing = asked_,
                  .min_samples = kSamples + 1,
                  .fallback = fallback,
                  .soften_factor = soften_factor});
  }
  GroupRecord ServeFar(Fallback fallback, double soften_factor = 4) {
    return Serve(FarSamples(kSamples), kSamples,
                 {.routing = asked_,
                  .fallback = fallback,
                  .soften_factor = soften_factor});
  }

  std::vector<double> DirectWeights(const std::vector<float>& x,
                                    RoutingOptions options) {
    return AskDirectly(*model_, x, kSamples, {.routing = std::move(options)})
        .routing.weights;
  }

  // Answered by `fallback`, as the router answers `applied`; all else as asked.
  void ExpectFallback(const GroupRecord& record, const std::vector<float>& x,
                      Fallback fallback, FallbackReason reason,
                      const RoutingOptions& applied) {
    ASSERT_TRUE(record.status.ok()) << record.status;
    const RoutingAnswer& answer = record.answers.front();
    ASSERT_TRUE(answer.fallback.has_value());
    EXPECT_EQ(answer.fallback->fallback, fallback);
    EXPECT_EQ(answer.fallback->reason, reason);
    EXPECT_THAT(answer.fallback->explanation, Not(IsEmpty()));
    EXPECT_EQ(answer.routing.weights, DirectWeights(x, applied));
    const DirectAnswer asked =
        AskDirectly(*model_, x, kSamples, {.routing = asked_});
    EXPECT_EQ(answer.routing.distances, asked.routing.distances);
    EXPECT_EQ(answer.routing.coverage.verdict, asked.routing.coverage.verdict);
    EXPECT_EQ(answer.routing.num_style, kSamples);
    EXPECT_THAT(record.rows.labels, SizeIs(kSamples));
    const GroupReport report = server_.observer.reports().back();
    EXPECT_EQ(report.fallback, FallbackName(fallback));
    EXPECT_EQ(report.fallback_reason, FallbackReasonName(reason));
  }

  RoutingOptions With(Method method, double tau = 0.5) const {
    RoutingOptions options = asked_;
    options.method = method;
    options.tau = tau;
    return options;
  }

  const model_store::ModelHandle model_ = TensorModel();
  const RoutingOptions asked_ = {.k = 2, .tau = 0.5};
  TestServer server_;
};

TEST_F(GroupFallbackTest, EnoughSamplesInCoverageNeedNoFallback) {
  for (const Fallback fallback :
       {Fallback::kUnspecified, Fallback::kError, Fallback::kUniform,
        Fallback::kSampleGateGroup, Fallback::kSoften}) {
    const GroupRecord record = Serve(
        RandomSamples(kSamples), kSamples,
        {.routing = asked_, .min_samples = kSamples, .fallback = fallback});

    ASSERT_TRUE(record.status.ok()) << record.status;
    const RoutingAnswer& answer = record.answers.front();
    EXPECT_FALSE(answer.fallback.has_value());
    EXPECT_EQ(answer.routing.coverage.verdict, CoverageVerdict::kIn);
    EXPECT_EQ(answer.routing.weights,
              DirectWeights(RandomSamples(kSamples), asked_));
  }
}

TEST_F(GroupFallbackTest, TooFewSamplesAreAnErrorUnlessARuleSaysOtherwise) {
  for (const Fallback fallback : {Fallback::kUnspecified, Fallback::kError}) {
    const GroupRecord record = ServeTooFew(fallback);

    EXPECT_EQ(record.status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(record.status.message(),
                HasSubstr("expected at least 21 samples, got 20"));
    EXPECT_THAT(record.events, ElementsAre("end"));
  }
}

TEST_F(GroupFallbackTest, TooFewSamplesMayGetUniformWeights) {
  ExpectFallback(ServeTooFew(Fallback::kUniform), RandomSamples(kSamples),
                 Fallback::kUniform, FallbackReason::kTooFewSamples,
                 With(Method::kUniform));
}

TEST_F(GroupFallbackTest, TooFewSamplesMayGetTheirGates) {
  ExpectFallback(ServeTooFew(Fallback::kSampleGateGroup),
                 RandomSamples(kSamples), Fallback::kSampleGateGroup,
                 FallbackReason::kTooFewSamples,
                 With(Method::kSampleGateGroup));
}

TEST_F(GroupFallbackTest, TooFewSamplesMayGetSofterWeights) {
  ExpectFallback(ServeTooFew(Fallback::kSoften, 3), RandomSamples(kSamples),
                 Fallback::kSoften, FallbackReason::kTooFewSamples,
                 With(Method::kLadder, 1.5));
}

TEST_F(GroupFallbackTest, OutOfCoverageIsToleratedUnlessARuleSaysOtherwise) {
  const GroupRecord record = ServeFar(Fallback::kUnspecified);

  ASSERT_TRUE(record.status.ok()) << record.status;
  const RoutingAnswer& answer = record.answers.front();
  EXPECT_EQ(answer.routing.coverage.verdict, CoverageVerdict::kOut);
  EXPECT_FALSE(answer.fallback.has_value());
  EXPECT_EQ(answer.routing.weights,
            DirectWeights(FarSamples(kSamples), asked_));
}

TEST_F(GroupFallbackTest, OutOfCoverageMayBeAnError) {
  const GroupRecord record = ServeFar(Fallback::kError);

  EXPECT_EQ(record.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(record.status.message(), HasSubstr("nearest source within"));
  EXPECT_THAT(record.events, ElementsAre("end"));
}

TEST_F(GroupFallbackTest, OutOfCoverageMayGetUniformWeights) {
  ExpectFallback(ServeFar(Fallback::kUniform), FarSamples(kSamples),
                 Fallback::kUniform, FallbackReason::kOutOfCoverage,
                 With(Method::kUniform));
}

TEST_F(GroupFallbackTest, OutOfCoverageMayGetItsGates) {
  ExpectFallback(ServeFar(Fallback::kSampleGateGroup), FarSamples(kSamples),
                 Fallback::kSampleGateGroup, FallbackReason::kOutOfCoverage,
                 With(Method::kSampleGateGroup));
}

TEST_F(GroupFallbackTest, OutOfCoverageMayGetSofterWeights) {
  ExpectFallback(ServeFar(Fallback::kSoften, 1000), FarSamples(kSamples),
                 Fallback::kSoften, FallbackReason::kOutOfCoverage,
                 With(Method::kLadder, 500));
}

TEST_F(GroupFallbackTest, AFallbackFromSampleGatesIsOneForTheGroup) {
  const GroupRecord record = Serve(RandomSamples(kSamples), kSamples,
                                   {.routing = {.method = Method::kSampleGate},
                                    .min_samples = kSamples + 1,
                                    .fallback = Fallback::kSampleGateGroup});

  ASSERT_TRUE(record.status.ok()) << record.status;
  EXPECT_FALSE(record.answers.front().routing.per_sample);
  EXPECT_THAT(record.rows.sample_weights, IsEmpty());
  EXPECT_THAT(record.rows.labels, SizeIs(kSamples));
}

TEST_F(GroupFallbackTest, WithoutSamplesOnlyUniformWeightsArePossible) {
  const GroupRecord record =
      Serve({}, 0, {.routing = asked_, .fallback = Fallback::kUniform});
  ASSERT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.events, ElementsAre("routing", "end"));
  EXPECT_THAT(record.answers.front().routing.weights,
              ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3));

  for (const Fallback fallback :
       {Fallback::kSampleGateGroup, Fallback::kSoften}) {
    const GroupRecord refused =
        Serve({}, 0, {.routing = asked_, .fallback = fallback});
    EXPECT_EQ(refused.status.code(), absl::StatusCode::kFailedPrecondition)
        << refused.status;
  }
}

TEST_F(GroupFallbackTest, EveryQuestionHasItsOwnRule) {
  GroupCall call(
      server_, {.model = model_,
                .options = {.questions = {{.routing = asked_},
                                          {.routing = asked_,
                                           .min_samples = 100,
                                           .fallback = Fallback::kUniform}}}});
  ASSERT_TRUE(call.Add(RandomSamples(kSamples), kSamples).ok());
  const GroupRecord record = call.End();

  ASSERT_THAT(record.answers, SizeIs(2));
  EXPECT_FALSE(record.answers[0].fallback.has_value());
  EXPECT_TRUE(record.answers[1].fallback.has_value());
}

TEST(FallbackNamesTest, AreThoseOfTheApi) {
  EXPECT_EQ(FallbackName(Fallback::kUnspecified), "");
  EXPECT_EQ(FallbackName(Fallback::kError), "error");
  EXPECT_EQ(FallbackName(Fallback::kUniform), "uniform");
  EXPECT_EQ(FallbackName(Fallback::kSampleGateGroup), "sample_gate_group");
  EXPECT_EQ(FallbackName(Fallback::kSoften), "soften");
  EXPECT_EQ(FallbackReasonName(FallbackReason::kTooFewSamples),
            "too_few_samples");
  EXPECT_EQ(FallbackReasonName(FallbackReason::kOutOfCoverage),
            "out_of_coverage");
}

}  // namespace
}  // namespace ladder::server
