#include "model_store/format/manifest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Manifest ValidManifest() {
  Manifest manifest;
  manifest.model = "iwildcam";
  manifest.version = 3;
  manifest.created = absl::FromUnixMillis(1'794'810'600'250);
  manifest.trainer_version = "0.1.0";
  manifest.trainer_config = R"({"epochs":12,"optimiser":{"rate":0.1}})";
  manifest.classes = {"empty", "zebra", "Schnürbock \"2\""};
  manifest.sources = {{"camera 1", 1234, 1024}, {"camera 2", 0, 1}};
  manifest.content_dimension = 512;
  manifest.style_dimension = 128;
  manifest.input = ImageInput{.height = 448,
                              .width = 224,
                              .mean = {0.485F, 0.456F, 0.406F},
                              .std = {0.229F, 0.224F, 0.225F}};
  manifest.routing = {.method = routing::Method::kSampleGateGroup,
                      .k = 2,
                      .tau = 0.1 + 0.2,  // 17 digits.
                      .sinkhorn = {.blur = 0.1, .scaling = 0.9},
                      .max_style_samples = 7,
                      .seed = UINT64_MAX};
  routing::CoverageCalibration::Level level{.sample_size = 64,
                                            .num_sources = 2};
  for (size_t q = 0; q < routing::CoverageCalibration::kNumQuantiles; ++q) {
    level.quantiles.push_back(static_cast<double>(q) / 3);
  }
  manifest.coverage.levels = {level};
  manifest.source_distances = {0, 0.7, 0.7, 0};
  manifest.files["encoder.onnx"] = {.size = 1, .sha256 = std::string(64, 'a')};
  return manifest;
}

TEST(ManifestTest, IsTheSameAfterFormattingAndParsing) {
  const Manifest manifest = ValidManifest();

  const auto parsed = ParseManifest(FormatManifest(manifest));

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->model, manifest.model);
  EXPECT_EQ(parsed->version, manifest.version);
  EXPECT_EQ(parsed->created, manifest.created);
  EXPECT_EQ(parsed->trainer_version, manifest.trainer_version);
  EXPECT_EQ(parsed->trainer_config, manifest.trainer_config);
  EXPECT_EQ(parsed->classes, manifest.classes);
  ASSERT_EQ(parsed->num_sources(), 2);
  EXPECT_EQ(parsed->sources[0].name, "camera 1");
  EXPECT_EQ(parsed->sources[0].training_samples, 1234);
  EXPECT_EQ(parsed->sources[0].fingerprint_samples, 1024);
  EXPECT_EQ(parsed->content_dimension, 512);
  EXPECT_EQ(parsed->style_dimension, 128);
  const auto& image = std::get<ImageInput>(parsed->input);
  EXPECT_EQ(image.height, 448);
  EXPECT_EQ(image.width, 224);
  EXPECT_THAT(image.mean, ElementsAre(0.485F, 0.456F, 0.406F));
  EXPECT_THAT(image.std, ElementsAre(0.229F, 0.224F, 0.225F));
  EXPECT_EQ(parsed->routing.method, manifest.routing.method);
  EXPECT_EQ(parsed->routing.k, 2);
  EXPECT_EQ(parsed->routing.tau, manifest.routing.tau);
  EXPECT_EQ(parsed->routing.sinkhorn.blur, 0.1);
  EXPECT_EQ(parsed->routing.sinkhorn.scaling, 0.9);
  EXPECT_EQ(parsed->routing.max_style_samples, 7);
  EXPECT_EQ(parsed->routing.seed, UINT64_MAX);
  ASSERT_EQ(parsed->coverage.levels.size(), 1);
  EXPECT_EQ(parsed->coverage.levels[0].sample_size, 64);
  EXPECT_EQ(parsed->coverage.levels[0].num_sources, 2);
  EXPECT_EQ(parsed->coverage.levels[0].quantiles,
            manifest.coverage.levels[0].quantiles);
  EXPECT_EQ(parsed->source_distances, manifest.source_distances);
  EXPECT_EQ(parsed->files.at("encoder.onnx").size, 1);
  EXPECT_EQ(parsed->files.at("encoder.onnx").sha256, std::string(64, 'a'));
}

TEST(ManifestTest, KeepsTensorInputAndAllSources) {
  Manifest manifest = ValidManifest();
  manifest.input = TensorInput{.shape = {32, 4}};
  manifest.routing.k = routing::kAllSources;
  manifest.source_distances.clear();
  manifest.coverage.levels.clear();

  const auto parsed = ParseManifest(FormatManifest(manifest));

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(SampleShape(parsed->input), ElementsAre(32, 4));
  EXPECT_EQ(parsed->routing.k, routing::kAllSources);
  EXPECT_TRUE(parsed->source_distances.empty());
  EXPECT_TRUE(parsed->coverage.levels.empty());
}

TEST(ManifestTest, FormatsForPeople) {
  const std::string text = FormatManifest(ValidManifest());

  EXPECT_THAT(text, HasSubstr("{\n  \"format_version\": 1,\n"
                              "  \"model\": \"iwildcam\",\n"
                              "  \"version\": 3,\n"));
  EXPECT_THAT(text, HasSubstr("\"created\": \"2026-11-16T06:30:00.25Z\""));
  EXPECT_THAT(text, HasSubstr("\n    \"mean\": [0.485,0.456,0.406],\n"));
  EXPECT_THAT(text,
              HasSubstr("\"source_distances\": [\n    [0.0,0.7],\n    [0.7,"));
  EXPECT_EQ(text, FormatManifest(ValidManifest()));
}

TEST(ManifestTest, SamplesOfPicturesHaveThreeChannels) {
  EXPECT_THAT(SampleShape(ImageInput{.height = 4, .width = 5}),
              ElementsAre(3, 4, 5));
}

TEST(ManifestTest, AcceptsSafeModelNames) {
  for (const char* name : {"a", "iwildcam", "Model-2_b.1", "7"}) {
    EXPECT_TRUE(CheckModelName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckModelName(std::string(128, 'x')).ok());
}

TEST(ManifestTest, RejectsModelNamesThatAreNoSafeFolders) {
  for (const std::string name :
       {"", ".hidden", "..", "a/b", "a b", "ä", "a\n", "a\\b"}) {
    const absl::Status status = CheckModelName(name);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_FALSE(CheckModelName(std::string(129, 'x')).ok());
  EXPECT_THAT(CheckModelName("a/b").message(), HasSubstr("found \"a/b\""));
}

// A change to a valid manifest, and what the error says of it.
struct Spoilt {
  const char* test_name;
  std::function<void(Manifest&)> spoil;
  const char* field;
  const char* found;
};

std::string TestName(const ::testing::TestParamInfo<Spoilt>& spoilt) {
  return spoilt.param.test_name;
}

class ManifestValidateTest : public ::testing::TestWithParam<Spoilt> {};

TEST_P(ManifestValidateTest, NamesFieldAndValue) {
  Manifest manifest = ValidManifest();
  ASSERT_TRUE(manifest.Validate().ok()) << manifest.Validate();
  GetParam().spoil(manifest);

  const absl::Status status = manifest.Validate();

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr(GetParam().field), HasSubstr(GetParam().found)));
}

ImageInput& Image(Manifest& m) { return std::get<ImageInput>(m.input); }

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    ManifestTest, ManifestValidateTest,
    ::testing::Values(
        Spoilt{"Model", [](Manifest& m) { m.model = "a/b"; },
               "model: ", "\"a/b\""},
        Spoilt{"VersionZero", [](Manifest& m) { m.version = 0; },
               "version: ", "found 0"},
        Spoilt{"VersionBeyondSigned",
               [](Manifest& m) { m.version = uint64_t{1} << 63; },
               "version: ", "found 9223372036854775808"},
        Spoilt{"InfiniteTime",
               [](Manifest& m) { m.created = absl::InfiniteFuture(); },
               "created: ", "infinite-future"},
        Spoilt{"TimeBefore1970",
               [](Manifest& m) { m.created = absl::FromUnixSeconds(-1); },
               "created: ", "1969"},
        Spoilt{"TrainerVersionWithControls",
               [](Manifest& m) { m.trainer_version = "1\n2"; },
               "trainer.version: ", "\"1\\n2\""},
        Spoilt{"TrainerConfigNoJson",
               [](Manifest& m) { m.trainer_config = "{"; },
               "trainer.config: ", "line 1, column 2"},
        Spoilt{"TrainerConfigNoObject",
               [](Manifest& m) { m.trainer_config = "[1]"; },
               "trainer.config: ", "an array of 1"},
        Spoilt{"NoClasses", [](Manifest& m) { m.classes.clear(); },
               "classes: ", "found 0"},
        Spoilt{"EmptyClassName", [](Manifest& m) { m.classes[1] = ""; },
               "classes[1]: ", "found \"\""},
        Spoilt{"DuplicateClassName",
               [](Manifest& m) { m.classes[2] = "empty"; },
               "classes[2]: ", "\"empty\" again"},
        Spoilt{"ControlCharacterInClassName",
               [](Manifest& m) { m.classes[0] = std::string("a\0b", 3); },
               "classes[0]: ", "\"a\\x00\\x62\""},
        Spoilt{"ClassNameNotUtf8", [](Manifest& m) { m.classes[0] = "\xff"; },
               "classes[0]: ", "\"\\xff\""},
        Spoilt{"LongClassName",
               [](Manifest& m) { m.classes[0] = std::string(257, 'x'); },
               "classes[0]: ", "(257 bytes)"},
        Spoilt{"NoSources", [](Manifest& m) { m.sources.clear(); },
               "sources: ", "found 0"},
        Spoilt{"EmptySourceName", [](Manifest& m) { m.sources[0].name = ""; },
               "sources[0].name: ", "found \"\""},
        Spoilt{"DuplicateSourceName",
               [](Manifest& m) { m.sources[1].name = "camera 1"; },
               "sources[1].name: ", "\"camera 1\" again"},
        Spoilt{"EmptyFingerprint",
               [](Manifest& m) { m.sources[1].fingerprint_samples = 0; },
               "sources[1].fingerprint_samples: ", "found 0"},
        Spoilt{"HugeFingerprint",
               [](Manifest& m) { m.sources[1].fingerprint_samples = 1 << 21; },
               "sources[1].fingerprint_samples: ", "found 2097152"},
        Spoilt{"NoContent", [](Manifest& m) { m.content_dimension = 0; },
               "content_dimension: ", "found 0"},
        Spoilt{"HugeStyle", [](Manifest& m) { m.style_dimension = SIZE_MAX; },
               "style_dimension: ", "found 18446744073709551615"}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    ManifestInputTest, ManifestValidateTest,
    ::testing::Values(
        Spoilt{"NoDimensions", [](Manifest& m) { m.input = TensorInput{}; },
               "input.shape: ", "[]"},
        Spoilt{"NegativeDimension",
               [](Manifest& m) {
                 m.input = TensorInput{.shape = {3, -4}};
               },
               "input.shape: ", "[3, -4]"},
        Spoilt{"TooManyDimensions",
               [](Manifest& m) {
                 m.input = TensorInput{.shape = std::vector<int64_t>(9, 1)};
               },
               "input.shape: ", "1, 1]"},
        Spoilt{
            "ProductOverflows",
            [](Manifest& m) {
              m.input = TensorInput{.shape = {INT64_MAX, INT64_MAX, INT64_MAX}};
            },
            "input.shape: ", "[9223372036854775807, "},
        Spoilt{"ProductTooLarge",
               [](Manifest& m) {
                 m.input = TensorInput{.shape = {1 << 16, (1 << 15) + 1}};
               },
               "input.shape: ", "[65536, 32769]"},
        Spoilt{"NoHeight", [](Manifest& m) { Image(m).height = 0; },
               "input.height", "[3, 0, 224]"},
        Spoilt{"MeanNotFinite",
               [](Manifest& m) {
                 Image(m).mean[1] = std::numeric_limits<float>::infinity();
               },
               "input.mean[1]: ", "found inf"},
        Spoilt{"StdZero", [](Manifest& m) { Image(m).std[2] = 0; },
               "input.std[2]: ", "found 0"}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    ManifestRoutingTest, ManifestValidateTest,
    ::testing::Values(
        Spoilt{"MethodThatNeedsWeights",
               [](Manifest& m) { m.routing.method = routing::Method::kFixed; },
               "routing.method: ", "found \"fixed\""},
        Spoilt{"NoNeighbours", [](Manifest& m) { m.routing.k = 0; },
               "routing.k: ", "found 0"},
        Spoilt{"MoreNeighboursThanSources",
               [](Manifest& m) { m.routing.k = 3; },
               "routing.k: expected an integer from 1 to 2", "found 3"},
        Spoilt{"TauZero", [](Manifest& m) { m.routing.tau = 0; },
               "routing.tau: ", "found 0"},
        Spoilt{"TauNan", [](Manifest& m) { m.routing.tau = kNan; },
               "routing.tau: ", "found nan"},
        Spoilt{"BlurNegative",
               [](Manifest& m) { m.routing.sinkhorn.blur = -1; },
               "routing: blur", "-1"},
        Spoilt{"ScalingOne",
               [](Manifest& m) { m.routing.sinkhorn.scaling = 1; },
               "routing: scaling", "1"},
        Spoilt{"ScalingNearOne",
               [](Manifest& m) { m.routing.sinkhorn.scaling = 0.999; },
               "routing.scaling: expected at most 0.99", "found 0.999"},
        Spoilt{"NoStyleSamples",
               [](Manifest& m) { m.routing.max_style_samples = 0; },
               "routing.max_style_samples: ", "found 0"},
        Spoilt{"CoverageFewQuantiles",
               [](Manifest& m) { m.coverage.levels[0].quantiles.pop_back(); },
               "coverage level 0: expected 21 quantiles", "got 20"},
        Spoilt{"CoverageOfMoreSourcesThanThereAre",
               [](Manifest& m) { m.coverage.levels[0].num_sources = 3; },
               "coverage.levels[0].num_sources: ", "found 3"},
        Spoilt{"DistancesOfOtherSize",
               [](Manifest& m) { m.source_distances.pop_back(); },
               "source_distances: expected 2 rows of 2", "found 3 numbers"},
        Spoilt{"DistancesNotFinite",
               [](Manifest& m) {
                 m.source_distances = {0, kInfinity, kInfinity, 0};
               },
               "source_distances[1][0]: ", "found inf"},
        Spoilt{"DistancesNotSymmetric",
               [](Manifest& m) { m.source_distances[1] = 0.8; },
               "source_distances[1][0]: expected 0.8", "found 0.7"},
        Spoilt{"DistanceToItself",
               [](Manifest& m) { m.source_distances[3] = 0.1; },
               "source_distances[1][1]: expected 0", "found 0.1"}),
    TestName);

}  // namespace
}  // namespace ladder::model_store
