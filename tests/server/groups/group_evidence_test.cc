#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/route_group.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using routing::Method;

// What questions make a group remember.
class GroupEvidenceTest : public ::testing::Test {
 protected:
  GroupEvidence After(size_t num_samples, const RouteQuestion& question) {
    questions_ = {question};
    GroupEvidence evidence(*model_, questions_);
    const std::vector<float> x = RandomSamples(num_samples);
    for (size_t i = 0; i < num_samples; ++i) {
      const auto encoding =
          model_->Encode(std::span(x).subspan(6 * i, 6), 1, {}).value();
      EXPECT_TRUE(evidence.Add(encoding, {}).ok());
    }
    EXPECT_EQ(evidence.num_seen(), num_samples);
    return evidence;
  }
  uint64_t Bytes(uint64_t num_samples) const {
    return GroupEvidence::Bytes(*model_, questions_, num_samples);
  }

  const model_store::ModelHandle model_ = TensorModel();
  std::vector<RouteQuestion> questions_;
};

TEST_F(GroupEvidenceTest, DistancesNeedStyle) {
  for (const Method method : {Method::kLadder, Method::kNearest}) {
    GroupEvidence evidence =
        After(20, {.routing = {.method = method}, .diagnostics = false});

    const model_store::MeasuredStyle& style = **evidence.Measure({});
    EXPECT_EQ(style.normalized.rows(), 20);
    EXPECT_EQ(style.normalized.view().rows, 20);
    EXPECT_EQ(style.distances.size(), 3);
    EXPECT_EQ(evidence.gates().rows, 0);
    EXPECT_EQ(evidence.content().rows(), 0);
    EXPECT_EQ(Bytes(20), 20 * 3 * 4 * sizeof(float));
    EXPECT_EQ(Bytes(5000), 1024 * 3 * 4 * sizeof(float));
  }
}

TEST_F(GroupEvidenceTest, GatesNeedTheGatesOfAllSamples) {
  for (const Method method : {Method::kSampleGate, Method::kSampleGateGroup}) {
    GroupEvidence evidence =
        After(20, {.routing = {.method = method}, .diagnostics = false});

    EXPECT_EQ((*evidence.Measure({}))->normalized.rows(), 0);
    EXPECT_EQ(evidence.gates().rows, 20);
    EXPECT_EQ(evidence.gates().cols, 3);
    EXPECT_EQ(Bytes(5000), 5000 * 3 * sizeof(float));
  }
}

TEST_F(GroupEvidenceTest, FallbacksNeedWhatTheyRestOn) {
  const routing::RoutingOptions uniform = {.method = Method::kUniform};
  GroupEvidence gates = After(5, {.routing = uniform,
                                  .fallback = Fallback::kSampleGateGroup,
                                  .diagnostics = false});
  EXPECT_EQ(gates.gates().rows, 5);

  GroupEvidence style = After(5, {.routing = uniform,
                                  .fallback = Fallback::kSoften,
                                  .diagnostics = false});
  EXPECT_EQ((*style.Measure({}))->normalized.rows(), 5);
}

TEST_F(GroupEvidenceTest, DiagnosticsNeedSomeContent) {
  GroupEvidence evidence =
      After(300, {.routing = {.method = Method::kUniform}});

  EXPECT_EQ(evidence.content().rows(), 256);
  // The codes, and what sixteen experts make of them.
  EXPECT_EQ(Bytes(300), 256 * (5 + 16 * 4) * sizeof(float));
}

TEST_F(GroupEvidenceTest, OtherQuestionsNeedNothing) {
  GroupEvidence evidence = After(
      20, {.routing = {.method = Method::kUniform}, .diagnostics = false});

  EXPECT_EQ((*evidence.Measure({}))->normalized.rows(), 0);
  EXPECT_EQ(evidence.gates().rows, 0);
  EXPECT_EQ(evidence.content().rows(), 0);
  EXPECT_EQ(Bytes(1'000'000), 0);
}

TEST_F(GroupEvidenceTest, MeasuresAgainWhenSamplesHaveCome) {
  GroupEvidence evidence = After(20, {.diagnostics = false});
  const std::vector<double> before = (*evidence.Measure({}))->distances;
  EXPECT_EQ((*evidence.Measure({}))->distances, before);
  const std::vector<float> far = FarSamples(1);

  ASSERT_TRUE(evidence.Add(model_->Encode(far, 1, {}).value(), {}).ok());

  EXPECT_NE((*evidence.Measure({}))->distances, before);
}

}  // namespace
}  // namespace ladder::server
