// What a router refuses, and how it says so.

#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/router.h"
#include "tests/fakes/fake_style_distance.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<double> kDistances = {3, 1, 2, 5};

class RouterErrorsTest : public testing::Test {
 protected:
  std::string RouteError(const GroupStyle& group,
                         const RoutingOptions& options) const {
    const auto routing = router_.Route(group, options, {});
    EXPECT_EQ(routing.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(routing.status().message());
  }

  GroupStyle Group() const {
    return {.style = style_.View(), .gate_logits = gate_logits_.View()};
  }

  const Cloud style_ = Column({1, 2, 3, 4});
  const Cloud gate_logits_ = {
      .rows = 2, .cols = 4, .values = {9, 0, 0, 0, 0, 9, 0, 0}};
  const std::shared_ptr<const FakeStyleDistance> distance_ =
      std::make_shared<FakeStyleDistance>(kDistances);
  const Router router_ = Router::Create(distance_).value();
};

TEST_F(RouterErrorsTest, SaysWhichPartOfTheGroupIsMissing) {
  GroupStyle no_style = Group();
  no_style.style = {};
  GroupStyle no_gates = Group();
  no_gates.gate_logits = {};
  GroupStyle narrow_gates = Group();
  narrow_gates.gate_logits.cols = 3;

  EXPECT_THAT(RouteError(no_style, {.k = 2}), HasSubstr("style vectors"));
  EXPECT_THAT(RouteError(no_style, {.method = Method::kNearest}),
              HasSubstr("style vectors"));
  EXPECT_THAT(RouteError(no_gates, {.method = Method::kSampleGate}),
              HasSubstr("gate logits"));
  EXPECT_THAT(RouteError(no_gates, {.method = Method::kSampleGateGroup}),
              HasSubstr("gate logits"));
  EXPECT_THAT(RouteError(narrow_gates, {.method = Method::kSampleGate}),
              HasSubstr("expected 4 columns, got 3"));
}

TEST_F(RouterErrorsTest, RefusesOptionsBeforeItMeasuresAnything) {
  EXPECT_THAT(RouteError(Group(), {.k = 5}), HasSubstr("k must be"));
  EXPECT_THAT(RouteError(Group(), {.k = 0}), HasSubstr("k must be"));
  EXPECT_THAT(RouteError(Group(), {.k = 2, .tau = 0}), HasSubstr("tau"));
  EXPECT_THAT(RouteError(Group(), {.k = 2, .sources = {4}}),
              HasSubstr("sources: index must be below 4, got 4"));
  EXPECT_THAT(RouteError(Group(), {.k = 2, .sources = {1, 2, 1}}),
              HasSubstr("1 is listed twice"));
  EXPECT_THAT(
      RouteError(Group(),
                 {.k = 2, .stability = StabilityOptions{.num_pairs = 0}}),
      HasSubstr("num_pairs"));
  EXPECT_THAT(RouteError(Group(), {.method = Method::kSampleGate,
                                   .gate_temperature = 0}),
              HasSubstr("temperature"));
  EXPECT_THAT(RouteError(Group(), {.method = Method::kFixed}),
              HasSubstr("expected 4 weights"));
  EXPECT_THAT(RouteError(Group(), {.method = Method::kFixed,
                                   .fixed_weights = {0.5, 0.5, 0, 0},
                                   .sources = {0, 2}}),
              HasSubstr("source 1 has weight 0.5"));
  EXPECT_THAT(distance_->calls(), IsEmpty());
}

TEST_F(RouterErrorsTest, RefusesDistancesThatDoNotFit) {
  const auto decide = [&](std::vector<double> distances) {
    return router_.Decide(Group(), distances, {.k = 2}, {}).status();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_TRUE(decide({1, 2, 3, 4}).ok());
  EXPECT_THAT(std::string(decide({1, 2, 3}).message()),
              HasSubstr("expected 4 distances, got 3"));
  EXPECT_THAT(std::string(decide({1, 2, 3, nan}).message()),
              HasSubstr("distance to source 3 is nan"));
  EXPECT_FALSE(router_.Decide({}, kDistances, {.k = 2}, {}).ok());
}

TEST_F(RouterErrorsTest, RefusesSampleWeightsThatDoNotFit) {
  const RoutingOptions options{.method = Method::kSampleGate};
  std::vector<float> room(8);

  EXPECT_TRUE(router_.SampleWeights(gate_logits_.View(), options, room).ok());
  EXPECT_FALSE(
      router_
          .SampleWeights(gate_logits_.View(), options, std::span(room).first(7))
          .ok());
  EXPECT_FALSE(router_.SampleWeights({}, options, room).ok());
  EXPECT_FALSE(
      router_.SampleWeights(gate_logits_.View(), {.sources = {9}}, room).ok());
}

TEST_F(RouterErrorsTest, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  const Execution execution{.pool = nullptr, .stop = stop.get_token()};

  EXPECT_EQ(router_.Route(Group(), {.k = 2}, execution).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(router_
                .Decide(Group(), kDistances,
                        {.k = 2, .stability = StabilityOptions{}}, execution)
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

TEST(RouterCreateTest, RefusesWhatItCannotWorkWith) {
  CoverageCalibration calibration;
  calibration.levels.emplace_back();

  EXPECT_EQ(Router::Create(nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Router::Create(std::make_shared<FakeStyleDistance>(kDistances),
                           calibration)
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::routing
