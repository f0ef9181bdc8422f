#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/inspect/bundle_report.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;

class BundleDiffTest : public testing::Test {
 protected:
  std::string Diff() const { return DiffManifests(before_, after_); }

  const Manifest before_ = TinyBundle().manifest;
  Manifest after_ = before_;
};

TEST_F(BundleDiffTest, IsEmptyForEqualManifests) { EXPECT_EQ(Diff(), ""); }

TEST_F(BundleDiffTest, NamesFieldsByTheirPath) {
  after_.version = 7;
  after_.routing.tau = 0.75;
  after_.trainer_config = R"({"new": true})";

  EXPECT_THAT(Diff(), HasSubstr("version: 1 -> 7\n"));
  EXPECT_THAT(Diff(), HasSubstr("routing.tau: "));
  EXPECT_THAT(Diff(), HasSubstr(" -> 0.75\n"));
  EXPECT_THAT(Diff(), HasSubstr("trainer.config.new: (none) -> true\n"));
}

TEST_F(BundleDiffTest, TellsOneKindOfInputFromAnother) {
  after_.input =
      ImageInput{.height = 8, .width = 9, .mean = {0, 0, 0}, .std = {1, 1, 1}};

  EXPECT_THAT(Diff(), HasSubstr("input.kind: \"tensor\" -> \"image\"\n"));
  EXPECT_THAT(Diff(), HasSubstr("input.shape: [6] -> (none)\n"));
  EXPECT_THAT(Diff(), HasSubstr("input.width: (none) -> 9\n"));
}

TEST_F(BundleDiffTest, NamesClassesThatCameAndWent) {
  after_.classes[0] = "new\nclass";

  EXPECT_EQ(Diff(), "classes: - \"" + before_.classes[0] +
                        "\"\nclasses: + \"new\\nclass\"\n");
}

TEST_F(BundleDiffTest, NoticesAnotherOrder) {
  std::swap(after_.classes[0], after_.classes[1]);
  std::swap(after_.sources[0], after_.sources[1]);

  EXPECT_THAT(Diff(), HasSubstr("classes: in another order\n"));
  EXPECT_THAT(Diff(), HasSubstr("sources: in another order\n"));
}

TEST_F(BundleDiffTest, ComparesSourcesByName) {
  const std::string name = before_.sources[1].name;
  after_.sources[1].training_samples = 12345;
  after_.sources[1].fingerprint_samples = 3;
  after_.sources[2].name = "elsewhere";

  EXPECT_THAT(Diff(), HasSubstr("sources: - \"" + before_.sources[2].name));
  EXPECT_THAT(Diff(), HasSubstr("sources: + \"elsewhere\"\n"));
  EXPECT_THAT(Diff(), HasSubstr("sources.\"" + name + "\".training_samples: "));
  EXPECT_THAT(Diff(), HasSubstr(" -> 12345\n"));
  EXPECT_THAT(Diff(),
              HasSubstr("sources.\"" + name + "\".fingerprint_samples: "));
}

TEST_F(BundleDiffTest, ComparesCalibrationLevelsBySize) {
  after_.coverage.levels.front().num_sources += 1;
  const size_t changed = after_.coverage.levels.front().sample_size;
  const size_t removed = after_.coverage.levels.back().sample_size;
  after_.coverage.levels.back().sample_size = 4096;

  EXPECT_EQ(Diff(), "coverage: level of " + std::to_string(changed) +
                        " samples differs\ncoverage: - level of " +
                        std::to_string(removed) +
                        " samples\ncoverage: + level of 4096 samples\n");
}

TEST_F(BundleDiffTest, SaysHowFarSourceDistancesMoved) {
  Manifest before = before_;
  before.source_distances = {0, 1, 2, 1, 0, 3, 2, 3, 0};
  after_.source_distances = {0, 1.5, 2, 1.5, 0, 3, 2, 3, 0};

  EXPECT_EQ(DiffManifests(before, after_),
            "source_distances: differ by up to 0.5\n");
  EXPECT_EQ(DiffManifests(before, before_),
            "source_distances: 9 -> 0 values\n");
}

TEST_F(BundleDiffTest, ComparesFilesByChecksum) {
  Manifest before = before_;
  before.files = {{"a", {1, "aa"}}, {"b", {2, "bb"}}, {"c", {3, "cc"}}};
  after_.files = {{"a", {1, "aa"}}, {"b", {4, "dd"}}, {"e", {5, "ee"}}};

  EXPECT_EQ(DiffManifests(before, after_),
            "files: b: 2 bytes, sha256 bb -> 4 bytes, sha256 dd\n"
            "files: - c\n"
            "files: + e\n");
}

}  // namespace
}  // namespace ladder::model_store
