#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/bundle.h"
#include "model_store/format/safetensors.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// The tensors of a file of two sources, with 3 and 2 samples of style [2].
class FingerprintFileTest : public ::testing::Test {
 protected:
  FingerprintFileTest() {
    manifest_.sources = {{"a", 9, 3}, {"b", 9, 2}};
    manifest_.style_dimension = 2;
  }

  absl::StatusOr<SourceStyles> Parse() const {
    SafetensorsWriter writer;
    writer.Add<float>("fingerprints", {2, 3, 2}, fingerprints_);
    writer.Add<int64_t>("counts", {2}, counts_);
    writer.Add<float>("style_mean", {2}, mean_);
    writer.Add<float>("style_std", {2}, std_);
    writer.Add<double>("self_terms", {2, 5}, self_terms_);
    const std::string file = writer.Serialize();
    return ParseFingerprints(std::as_bytes(std::span(file)), manifest_);
  }

  std::string Error() const {
    const auto styles = Parse();
    EXPECT_EQ(styles.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(styles.status().message());
  }

  Manifest manifest_;
  std::vector<float> fingerprints_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0};
  std::vector<int64_t> counts_ = {3, 2};
  std::vector<float> mean_ = {0.5, 1};
  std::vector<float> std_ = {1, 0};
  std::vector<double> self_terms_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
};

TEST_F(FingerprintFileTest, ReadsTheSourcesStyles) {
  const auto styles = Parse();

  ASSERT_TRUE(styles.ok()) << styles.status();
  const routing::Fingerprints& fingerprints = styles->fingerprints;
  EXPECT_EQ(fingerprints.num_sources(), 2);
  EXPECT_EQ(fingerprints.dimension(), 2);
  EXPECT_THAT(fingerprints.cloud(0).points().Values(),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(fingerprints.cloud(1).points().Values(),
              ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(fingerprints.self_term(1).values(), ElementsAre(6, 7, 8, 9, 10));
  EXPECT_THAT(styles->normalizer.mean(), ElementsAre(0.5, 1));
  EXPECT_THAT(styles->normalizer.std(), ElementsAre(1, 0));
}

TEST_F(FingerprintFileTest, TakesTheSinkhornOptionsOfTheManifest) {
  manifest_.routing.sinkhorn = {.blur = 0.1, .scaling = 0.7};

  const auto styles = Parse();

  ASSERT_TRUE(styles.ok()) << styles.status();
  EXPECT_EQ(styles->fingerprints.options().blur, 0.1);
  EXPECT_EQ(styles->fingerprints.options().scaling, 0.7);
}

TEST_F(FingerprintFileTest, IgnoresWhatStandsInThePadding) {
  fingerprints_[11] = std::numeric_limits<float>::quiet_NaN();

  EXPECT_TRUE(Parse().ok()) << Parse().status();
}

TEST_F(FingerprintFileTest, RejectsCountsThatDifferFromTheManifest) {
  counts_[1] = 1;

  EXPECT_EQ(Error(),
            "fingerprints.safetensors: counts[1]: expected 2, as "
            "sources[1].fingerprint_samples in manifest.json, found 1");
}

TEST_F(FingerprintFileTest, RejectsNegativeAndHugeCounts) {
  counts_ = {3, -2};
  EXPECT_THAT(Error(), HasSubstr("found -2"));
  counts_ = {INT64_MAX, 2};
  EXPECT_THAT(Error(), HasSubstr("found 9223372036854775807"));
}

TEST_F(FingerprintFileTest, RejectsAnotherNumberOfSources) {
  manifest_.sources.push_back({"c", 9, 1});

  EXPECT_EQ(Error(),
            "fingerprints.safetensors: counts: expected I64 [3], found I64 "
            "[2]");
}

TEST_F(FingerprintFileTest, RejectsAnotherStyleDimension) {
  manifest_.style_dimension = 3;

  EXPECT_EQ(Error(),
            "fingerprints.safetensors: style_mean: expected F32 [3], found F32 "
            "[2]");
}

TEST_F(FingerprintFileTest, RejectsPaddingBeyondTheLargestCount) {
  manifest_.sources[0].fingerprint_samples = 2;
  counts_[0] = 2;

  EXPECT_EQ(Error(),
            "fingerprints.safetensors: fingerprints: expected F32 [2, 2, 2], "
            "found F32 [2, 3, 2]");
}

TEST_F(FingerprintFileTest, RejectsValuesThatAreNotFinite) {
  fingerprints_[9] = std::numeric_limits<float>::infinity();

  EXPECT_THAT(Error(), HasSubstr("fingerprints.safetensors: fingerprints: "
                                 "source 1: value at row 1, column 1 is inf"));
}

TEST_F(FingerprintFileTest, RejectsStatisticsThatMakeNoSense) {
  std_[1] = -1;
  EXPECT_THAT(Error(), HasSubstr("style std of column 1 is -1"));
  std_[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(Error(), HasSubstr("style std of column 1 is nan"));
  std_[1] = 1;
  mean_[0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Error(), HasSubstr("style mean of column 0 is inf"));
}

TEST_F(FingerprintFileTest, RejectsSelfTermsThatAreNotFinite) {
  self_terms_[7] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THAT(Error(), HasSubstr("fingerprints.safetensors: self_terms[1]: "));
}

TEST_F(FingerprintFileTest, RejectsCloudsTooWideToCompare) {
  fingerprints_[0] = 1e9F;

  EXPECT_THAT(Error(), HasSubstr("fingerprints: source 0: the diagonal"));
}

TEST_F(FingerprintFileTest, RejectsAMissingTensor) {
  const std::string file = SafetensorsWriter().Serialize();

  const auto styles =
      ParseFingerprints(std::as_bytes(std::span(file)), manifest_);

  EXPECT_EQ(styles.status().message(),
            "fingerprints.safetensors: counts: expected I64 [2], found no such "
            "tensor");
}

TEST(SerializeFingerprintsTest, KeepsEveryBit) {
  const BundleContents contents = TinyBundle();
  const std::string file = SerializeFingerprints(contents.styles);

  const auto styles =
      ParseFingerprints(std::as_bytes(std::span(file)), contents.manifest);

  ASSERT_TRUE(styles.ok()) << styles.status();
  EXPECT_EQ(file, SerializeFingerprints(*styles));
  const auto& expected = contents.styles.fingerprints;
  for (size_t e = 0; e < expected.num_sources(); ++e) {
    EXPECT_THAT(styles->fingerprints.cloud(e).points().Values(),
                ElementsAreArray(expected.cloud(e).points().Values()));
    EXPECT_THAT(styles->fingerprints.self_term(e).values(),
                ElementsAreArray(expected.self_term(e).values()));
  }
}

TEST(SerializeFingerprintsTest, FillsUpWithZeros) {
  const BundleContents contents = TinyBundle();  // 7, 5 and 6 samples of 4.
  const std::string file = SerializeFingerprints(contents.styles);
  const auto tensors =
      Safetensors::Parse(std::as_bytes(std::span(file)), "t").value();

  const auto values = tensors.Read<float>("fingerprints", {{3, 7, 4}}).value();

  const std::span<const float> padding =
      std::span(values).subspan((7 + 5) * 4, 2 * 4);
  EXPECT_THAT(padding, ::testing::Each(0.0F));
}

}  // namespace
}  // namespace ladder::model_store
