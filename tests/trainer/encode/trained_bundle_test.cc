#include "trainer/encode/trained_bundle.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "tests/trainer/encode/served_bundle.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TrainedBundle TrainedWith(const std::string& config) {
  model_store::BundleContents contents = model_store::TinyBundle();
  contents.manifest.trainer_config = config;
  const ServedBundle bundle(std::move(contents));
  return LoadTrainedBundle(bundle.engine(), bundle.directory(), /*stop=*/{})
      .value();
}

// A table of six numbers a row with one row per label.
std::string TableOf(const std::vector<std::string>& labels) {
  std::string csv = "a,b,c,d,e,f,label,domain,split\n";
  for (const std::string& label : labels) {
    absl::StrAppend(&csv, "1,2,3,4,5,6,", label, ",ridge,train\n");
  }
  return csv;
}

TEST(LoadTrainedBundleTest, LoadsModelHeadsAndFingerprints) {
  const ServedBundle bundle;

  const auto trained =
      LoadTrainedBundle(bundle.engine(), bundle.directory(), /*stop=*/{});

  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->model->manifest().model, "tiny");
  EXPECT_THAT(trained->stack.classes, ElementsAre("ant", "bee", "cat", "dog"));
  EXPECT_EQ(trained->stack.heads.num_sources(), 3u);
  EXPECT_EQ(
      model_store::SerializeFingerprints(trained->stack.styles),
      model_store::SerializeFingerprints(model_store::TinyBundle().styles));
}

TEST(LoadTrainedBundleTest, TakesMethodAndSeedFromTheTrainersOptions) {
  const TrainedBundle bundle =
      TrainedWith(R"({"method": "erm", "seed": 18446744073709551615})");

  EXPECT_EQ(bundle.baseline, "erm");
  EXPECT_EQ(bundle.seed, 18446744073709551615u);
}

TEST(LoadTrainedBundleTest, TakesABundleThatDoesNotSayForLadderOfSeedZero) {
  for (const char* config :
       {"{}", R"({"epochs": 2})", R"({"method": "ladder"})",
        R"({"method": 3, "seed": "four"})",
        R"({"method": null, "seed": -1})"}) {
    const TrainedBundle bundle = TrainedWith(config);

    EXPECT_EQ(bundle.baseline, "") << config;
    EXPECT_EQ(bundle.seed, 0u) << config;
  }
}

TEST(LoadTrainedBundleTest, SaysThatThereIsNoBundle) {
  const ServedBundle bundle;

  const auto trained = LoadTrainedBundle(
      bundle.engine(), bundle.directory() / "missing", /*stop=*/{});

  EXPECT_EQ(trained.status().code(), absl::StatusCode::kNotFound);
}

TEST(OpenDatasetForTest, OpensADataSetOfTheModelsClasses) {
  const DataFolder folder;
  const auto csv =
      folder.Write("t.csv", TableOf({"dog", "ant", "cat", "bee", "ant"}));

  const auto loaded = OpenDatasetFor(TrainedWith("{}"), csv, {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->dataset.samples.size(), 5u);
  EXPECT_EQ(loaded->dataset.samples[0].label, 3);
}

TEST(OpenDatasetForTest, NamesTheFirstClassThatDiffers) {
  const DataFolder folder;
  const auto csv = folder.Write("t.csv", TableOf({"ant", "bee", "cow", "doe"}));

  const auto loaded = OpenDatasetFor(TrainedWith("{}"), csv, {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("class 2: expected \"cat\""),
                    HasSubstr("found \"cow\"")));
}

TEST(OpenDatasetForTest, RefusesAnotherNumberOfClasses) {
  const DataFolder folder;
  const auto csv = folder.Write("t.csv", TableOf({"ant", "bee", "cat"}));

  const auto loaded = OpenDatasetFor(TrainedWith("{}"), csv, {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("expected 4 classes"), HasSubstr("found 3")));
}

TEST(OpenDatasetForTest, ReadsPicturesAsTheModelTakesThem) {
  const ServedBundle bundle(model_store::TinyBundle(
      {.input = model_store::TinyBundleOptions::Input::kImage}));
  const auto trained =
      LoadTrainedBundle(bundle.engine(), bundle.directory(), /*stop=*/{});
  ASSERT_TRUE(trained.ok()) << trained.status();
  const DataFolder folder;
  std::string csv = "path,label,domain,split\n";
  for (const char* label : {"ant", "bee", "cat", "dog"}) {
    folder.WriteJpeg(absl::StrCat(label, ".jpg"), /*seed=*/1);
    absl::StrAppend(&csv, label, ".jpg,", label, ",ridge,test\n");
  }

  const auto loaded =
      OpenDatasetFor(*trained, folder.Write("samples.csv", csv), {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(model_store::SampleShape(loaded->dataset.input),
              ElementsAre(3, 8, 8));
  const auto& expected =
      std::get<model_store::ImageInput>(trained->model->manifest().input);
  const auto& image = std::get<model_store::ImageInput>(loaded->dataset.input);
  EXPECT_EQ(image.mean, expected.mean);
  EXPECT_EQ(image.std, expected.std);
}

}  // namespace
}  // namespace ladder::trainer
