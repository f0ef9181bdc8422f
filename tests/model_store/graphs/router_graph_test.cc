#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "onnx/checker.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "tests/model_store/cuda_kernels.h"
#include "tests/model_store/graphs/router_comparison.h"
#include "tests/routing/cloud.h"
#include "tests/routing/reference_sinkhorn.h"

namespace ladder::model_store {
namespace {

using routing::Cloud;
using routing::ReferenceSinkhorn;
using routing::SinkhornOptions;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void ExpectNative(const std::vector<Cloud>& sources, const Cloud& target,
                  const std::string& what, const SinkhornOptions& options = {},
                  const RouterGraphOptions& graph_options = {}) {
  const std::vector<double> expected =
      NativeDistances(sources, target, options);

  const std::vector<float> distances =
      GraphDistances(RouterFor(sources, options, graph_options), target);

  ASSERT_EQ(distances.size(), expected.size()) << what;
  for (size_t e = 0; e < expected.size(); ++e) {
    EXPECT_NEAR(distances[e], expected[e], Tolerance(expected[e], options.blur))
        << what << ", source " << e;
  }
}

Cloud Scaled(Cloud cloud, double factor) {
  for (float& value : cloud.values) {
    value = static_cast<float>(value * factor);
  }
  return cloud;
}

// Groups of near-duplicates, as a camera's bursts make them.
Cloud Bursts(size_t groups, size_t per_group, size_t cols, double deviation,
             uint64_t seed) {
  const Cloud centres = Normal(groups, cols, 0, 1, seed);
  Cloud cloud = Normal(groups * per_group, cols, 0, deviation, seed + 1);
  for (size_t i = 0; i < cloud.values.size(); ++i) {
    cloud.values[i] += centres.values[i / (per_group * cols) * cols + i % cols];
  }
  return cloud;
}

Cloud HeavyTails(size_t rows, size_t cols, double freedom, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::student_t_distribution<double> student(freedom);
  Cloud cloud{.rows = rows, .cols = cols};
  for (size_t i = 0; i < rows * cols; ++i) {
    cloud.values.push_back(static_cast<float>(student(generator)));
  }
  return cloud;
}

// The first `count` points moved far away from all others.
Cloud WithOutliers(Cloud cloud, size_t count, float offset) {
  for (size_t i = 0; i < count * cloud.cols; ++i) cloud.values[i] += offset;
  return cloud;
}

// ----------------------------------------------- Against the native solver

TEST(RouterGraphTest, EqualsTheNativeSolverForTargetsOfAllSizes) {
  const std::vector<Cloud> sources = {Normal(300, 128, 0, 1, 1),
                                      Normal(200, 128, 0.1, 1.2, 2),
                                      Bursts(20, 10, 128, 0.05, 3)};
  for (const size_t n : {1, 2, 64, 256}) {
    ExpectNative(sources, Normal(n, 128, 0.2, 1.1, 5), "normal");
    ExpectNative(sources, Bursts((n + 3) / 4, 4, 128, 0.05, 6), "bursts");
  }
}

TEST(RouterGraphTest, EqualsTheNativeSolverAtFullSize) {
  ExpectNative({Normal(1024, 128, 0, 1, 1), Bursts(128, 8, 128, 0.1, 2)},
               Normal(1024, 128, 0.2, 1.1, 3), "full size");
}

TEST(RouterGraphTest, EqualsTheNativeSolverOnManyKindsOfClouds) {
  ExpectNative({Normal(80, 64, -5, 1, 4)}, Normal(70, 64, 5, 1, 3),
               "far apart");
  ExpectNative({Normal(120, 1, 0, 1, 6)}, Normal(100, 1, 0.5, 1.2, 5),
               "in a line");
  ExpectNative({Normal(130, 2, 0, 1, 8)}, Normal(100, 2, 0.5, 1.2, 7),
               "in a plane");
  ExpectNative({HeavyTails(120, 16, 3, 16)}, HeavyTails(100, 16, 3, 15),
               "heavy tails");
  ExpectNative({HeavyTails(110, 4, 1.5, 18)}, HeavyTails(90, 4, 1.5, 17),
               "very heavy tails");
  ExpectNative({WithOutliers(Normal(120, 8, 0, 0.3, 20), 1, 40)},
               WithOutliers(Normal(100, 8, 0, 0.3, 19), 2, 40),
               "rare far mode");
  ExpectNative({WithOutliers(Normal(120, 16, 0, 1, 22), 30, 6)},
               WithOutliers(Normal(100, 16, 0, 1, 21), 50, 6), "two modes");
  ExpectNative({Normal(90, 32, 1e4, 1, 24)}, Normal(80, 32, 1e4, 1, 23),
               "off the origin");
  ExpectNative({Scaled(Normal(80, 16, 0, 1, 26), 1e4)},
               Scaled(Normal(70, 16, 0, 1, 25), 1e4), "huge");
  ExpectNative({Normal(200, 16, 0, 1, 28)}, Normal(1, 16, 0, 1, 27),
               "one point against many");
  ExpectNative({Normal(1, 16, 0, 1, 30)}, Normal(1, 16, 0, 1, 29),
               "one point against one");
}

TEST(RouterGraphTest, EqualsTheNativeSolverWhereSchedulesAreShort) {
  // Of these tiles some have only short schedules, some only long, some both.
  std::vector<Cloud> sources;
  for (size_t e = 0; e < 9; ++e) {
    const double deviation = e < 3 ? 0.01 : e % 2 == 0 ? 0.1 : 2;
    sources.push_back(Normal(40 + 5 * e, 3, 0.01, deviation, e));
  }
  for (const size_t sources_per_tile : {1, 3, 4}) {
    ExpectNative(sources, Normal(50, 3, 0, 0.01, 99), "short", {},
                 {.sources_per_tile = sources_per_tile});
  }
}

TEST(RouterGraphTest, EqualsTheNativeSolverForOtherBlursAndScalings) {
  for (const double blur : {0.01, 0.02, 0.1, 2.0}) {
    for (const double scaling : {kSmallestGraphScaling, 0.3, 0.5, 0.7, 0.9}) {
      const SinkhornOptions options = {.blur = blur, .scaling = scaling};
      const std::string what = "blur " + std::to_string(blur) + ", scaling " +
                               std::to_string(scaling);
      ExpectNative({Normal(80, 8, 0, 1.2, 2)}, Normal(60, 8, 0.3, 1, 1),
                   what + ", normal", options);
      ExpectNative({Bursts(15, 8, 32, 0.02, 14)}, Bursts(12, 8, 32, 0.02, 13),
                   what + ", bursts", options);
      ExpectNative({WithOutliers(Normal(120, 16, 0, 1, 22), 30, 6)},
                   WithOutliers(Normal(100, 16, 0, 1, 21), 50, 6),
                   what + ", two modes", options);
      ExpectNative({HeavyTails(110, 4, 1.5, 18)}, HeavyTails(90, 4, 1.5, 17),
                   what + ", very heavy tails", options);
    }
  }
}

TEST(RouterGraphTest, EqualsTheNativeSolverOnBothSidesOfOneMoreStep) {
  // Where the diameter passes blur / scaling^k the schedule gets a step more
  // and the divergence jumps, here by a two-thousandth.
  const Cloud x = Normal(100, 16, 0.3, 1, 1);
  const Cloud y = Normal(120, 16, 0, 1, 2);
  const double diameter = ReferenceSinkhorn::Diameter(x.View(), y.View());
  const double border = 0.05 * std::pow(0.8, -30);
  for (const double offset : {-1e-5, -3e-7, 3e-7, 1e-5}) {
    const double factor = border / diameter * (1 + offset);
    ExpectNative({Scaled(y, factor)}, Scaled(x, factor),
                 "offset " + std::to_string(offset));
  }
}

// ------------------------------------------------------------ Other properties

TEST(RouterGraphTest, GivesTheSameDistancesForAnyTiles) {
  std::vector<Cloud> sources;
  for (size_t e = 0; e < 11; ++e) {
    sources.push_back(Normal(20 + 7 * e, 6, 0.1 * double(e), 1, e));
  }
  const Cloud target = Normal(30, 6, 0.3, 1, 99);
  const std::vector<float> expected =
      GraphDistances(RouterFor(sources), target);
  ASSERT_THAT(expected, SizeIs(11));

  for (const size_t sources_per_tile : {1, 2, 3, 4, 10, 11, 50}) {
    const std::vector<float> distances = GraphDistances(
        RouterFor(sources, {}, {.sources_per_tile = sources_per_tile}), target);

    ASSERT_THAT(distances, SizeIs(11));
    for (size_t e = 0; e < distances.size(); ++e) {
      EXPECT_NEAR(distances[e], expected[e], 1e-6)
          << sources_per_tile << " per tile, source " << e;
    }
  }
}

TEST(RouterGraphTest, NormalisesAsTheNormalizerDoes) {
  const Cloud raw_source = Normal(80, 12, 300, 5, 1);
  const Cloud raw_target = Normal(60, 12, 302, 6, 2);
  const routing::StyleNormalizer normalizer =
      routing::StyleNormalizer::Fit(routing::Views(std::vector{raw_source}))
          .value();
  Cloud source = raw_source;
  Cloud target = raw_target;
  ASSERT_TRUE(normalizer.Apply(raw_source.View(), source.values).ok());
  ASSERT_TRUE(normalizer.Apply(raw_target.View(), target.values).ok());
  const std::string model =
      BuildRouterGraph(routing::Fingerprints::Create(
                           routing::Views(std::vector{source}), {}, {})
                           .value(),
                       normalizer)
          .value();

  const double expected = NativeDistances({source}, target)[0];

  EXPECT_NEAR(GraphDistances(model, raw_target)[0], expected,
              Tolerance(expected));
  // Points that are equal before normalisation are equal after it.
  EXPECT_NEAR(GraphDistances(model, raw_source)[0], 0, 1e-6);
}

TEST(RouterGraphTest, IsHugeButRightWhereAConstantColumnIsLeft) {
  Cloud source = Normal(90, 8, 5, 1, 1);
  for (size_t i = 0; i < source.rows; ++i) source.values[i * 8] = 3;
  const routing::StyleNormalizer normalizer =
      routing::StyleNormalizer::Fit(routing::Views(std::vector{source}))
          .value();
  Cloud target = Normal(80, 8, 5, 1, 2);
  for (size_t i = 0; i < target.rows; ++i) target.values[i * 8] = 4;
  ASSERT_TRUE(normalizer.Apply(source.View(), source.values).ok());
  const std::string model =
      BuildRouterGraph(routing::Fingerprints::Create(
                           routing::Views(std::vector{source}), {}, {})
                           .value(),
                       normalizer)
          .value();

  EXPECT_NEAR(GraphDistances(model, target)[0], 1e6, 10);
}

TEST(RouterGraphTest, OfACloudToItselfIsZero) {
  const std::vector<Cloud> clouds = {Normal(90, 16, 0.2, 1.1, 1),
                                     Normal(100, 16, 50, 0.001, 2),
                                     Bursts(12, 8, 16, 0.02, 3)};
  for (size_t e = 0; e < clouds.size(); ++e) {
    EXPECT_NEAR(GraphDistances(RouterFor(clouds), clouds[e])[e], 0, 5e-6)
        << "source " << e;
  }
}

TEST(RouterGraphTest, OfACloudWithOutliersToItselfIsNearlyZero) {
  const Cloud cloud = HeavyTails(90, 16, 1.5, 4);

  EXPECT_NEAR(GraphDistances(RouterFor({cloud}), cloud)[0], 0, 1e-3);
}

TEST(RouterGraphTest, OfCloudsSmallerThanTheSmallestCostIsZero) {
  const Cloud point{.rows = 3, .cols = 2, .values = {1, 2, 1, 2, 1, 2}};
  const Cloud nearly{
      .rows = 2, .cols = 2, .values = {1, 2, 1.00001F, 2.00001F}};
  const Cloud other = Normal(20, 2, 0, 1, 1);
  const std::string model = RouterFor({point, nearly, other});

  const std::vector<float> distances = GraphDistances(model, point);

  EXPECT_EQ(distances[0], 0);
  EXPECT_EQ(distances[1], 0);
  EXPECT_GT(distances[2], 1);
}

TEST(RouterGraphTest, StaysFiniteFarBeyondWhatTheNativeSolverTakes) {
  const std::string model =
      RouterFor({Normal(40, 4, 0, 1, 1), Normal(50, 4, 1, 2, 2)});
  for (const double size : {1e7, 1e9, 1e12, 1e15}) {
    Cloud target = Scaled(Normal(30, 4, 0, 1, 3), size);

    EXPECT_THAT(
        GraphDistances(model, target),
        Each(::testing::Truly([](float d) { return std::isfinite(d); })))
        << size;
  }
}

TEST(RouterGraphTest, IsValidWithShapesThatFollowFromItsInputs) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(
      RouterFor({Normal(40, 4, 0, 1, 1), Normal(50, 4, 1, 2, 2)})));

  EXPECT_NO_THROW(onnx::checker::check_model(model));
  EXPECT_NO_THROW(onnx::shape_inference::InferShapes(
      model, onnx::OpSchemaRegistry::Instance(),
      {/*check_type=*/true, /*strict_mode=*/1}));

  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "z_s");
  ASSERT_EQ(model.graph().output_size(), 1);
  EXPECT_EQ(model.graph().output(0).name(), "distances");
  const auto& shape = model.graph().output(0).type().tensor_type().shape();
  ASSERT_EQ(shape.dim_size(), 1);
  EXPECT_EQ(shape.dim(0).dim_value(), 2);
}

TEST(RouterGraphTest, HasACudaKernelForEveryNode) {
  EXPECT_THAT(FindNodesOffDevice(RouterFor({Normal(40, 4, 0, 1, 1)})),
              IsEmpty());
}

// ---------------------------------------------------------------------- Errors

absl::Status BuildError(const SinkhornOptions& options, size_t dimension,
                        const RouterGraphOptions& graph_options = {}) {
  const std::vector<Cloud> sources = {Normal(10, 3, 0, 1, 1)};
  return BuildRouterGraph(
             routing::Fingerprints::Create(routing::Views(sources), options, {})
                 .value(),
             NoNormalizer(dimension), graph_options)
      .status();
}

TEST(RouterGraphTest, RefusesANormalizerOfAnotherDimension) {
  EXPECT_EQ(BuildError({}, /*dimension=*/4),
            absl::InvalidArgumentError(
                "style normalizer: expected 3 columns, as the fingerprints "
                "have, got 4"));
}

TEST(RouterGraphTest, RefusesEmptyTiles) {
  EXPECT_EQ(BuildError({}, 3, {.sources_per_tile = 0}),
            absl::InvalidArgumentError(
                "sources_per_tile: expected at least 1, got 0"));
}

TEST(RouterGraphTest, RefusesSchedulesSoSteepThatFloatsCouldOverflow) {
  const absl::Status status = BuildError({.scaling = 0.1}, 3);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("scaling: expected at least 0.2"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("got 0.1"));
}

}  // namespace
}  // namespace ladder::model_store
