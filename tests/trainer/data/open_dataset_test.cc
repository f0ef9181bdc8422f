#include "trainer/data/open_dataset.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "tests/write_npy.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kIWildCam[] =
    "split,location_remapped,y,filename\ntrain,7,0,a.jpg\n";
constexpr char kFmow[] =
    "split,category,timestamp,country_code\n"
    "train,zoo,2010-01-01T00:00:00Z,FRA\n";
constexpr char kPictures[] = "path,label,domain,split\na.jpg,l,pictures,val\n";
constexpr char kNumbers[] = "x,label,domain,split\n1,l,numbers,val\n";

// The name of the only domain tells which loader it was.
std::string OnlyDomain(const std::filesystem::path& path,
                       const DatasetOptions& options = {}) {
  const auto loaded = OpenDataset(path, options);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  if (!loaded.ok()) return "";
  EXPECT_EQ(loaded->report.num_samples, 1);
  EXPECT_NE(loaded->dataset.reader, nullptr);
  return loaded->dataset.domains.at(0);
}

TEST(OpenDatasetTest, FindsOutTheLayoutOfAFolder) {
  const DataFolder iwildcam;
  iwildcam.Write("metadata.csv", kIWildCam);
  EXPECT_EQ(OnlyDomain(iwildcam.path()), "7");
  EXPECT_EQ(OnlyDomain(iwildcam / "metadata.csv"), "7");

  const DataFolder fmow;
  fmow.Write("rgb_metadata.csv", kFmow);
  fmow.Write("country_code_mapping.csv", "alpha-3,region\n");
  EXPECT_EQ(OnlyDomain(fmow.path()), "2010");

  const DataFolder array;
  ASSERT_TRUE(WriteNpy(array / "x.npy", std::vector<int64_t>{1, 1},
                       std::vector<float>{1})
                  .ok());
  array.Write("samples.csv", "label,domain,split\nl,array,val\n");
  EXPECT_EQ(OnlyDomain(array.path()), "array");
  EXPECT_EQ(OnlyDomain(array / "x.npy"), "array");

  const DataFolder pictures;
  pictures.Write("samples.csv", kPictures);
  EXPECT_EQ(OnlyDomain(pictures.path()), "pictures");

  const DataFolder numbers;
  numbers.Write("samples.csv", kNumbers);
  EXPECT_EQ(OnlyDomain(numbers.path()), "numbers");
}

TEST(OpenDatasetTest, FindsOutTheLayoutOfAFile) {
  const DataFolder folder;

  EXPECT_EQ(OnlyDomain(folder.Write("p.csv", kPictures)), "pictures");
  EXPECT_EQ(OnlyDomain(folder.Write("n.csv", kNumbers)), "numbers");
}

TEST(OpenDatasetTest, TakesTheLayoutItIsTold) {
  const DataFolder folder;
  folder.Write("metadata.csv", kIWildCam);
  folder.Write("rgb_metadata.csv", kFmow);
  folder.Write("country_code_mapping.csv", "alpha-3,region\n");
  folder.Write("samples.csv", kPictures);

  EXPECT_EQ(OnlyDomain(folder.path(), {.layout = Layout::kIWildCam}), "7");
  EXPECT_EQ(OnlyDomain(folder.path(), {.layout = Layout::kFmow}), "2010");
  EXPECT_EQ(OnlyDomain(folder.path(), {.layout = Layout::kCsv}), "pictures");
  folder.Write("samples.csv", kNumbers);
  EXPECT_EQ(OnlyDomain(folder.path(), {.layout = Layout::kTable}), "numbers");
}

TEST(OpenDatasetTest, AsksWhichLayoutIsMeantIfThereAreTwo) {
  const DataFolder folder;
  folder.Write("metadata.csv", kIWildCam);
  folder.Write("rgb_metadata.csv", kFmow);

  const auto loaded = OpenDataset(folder.path(), {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("found rgb_metadata.csv and metadata.csv"));
}

TEST(OpenDatasetTest, ListsTheFilesItKnowsIfThereIsNone) {
  const DataFolder folder;

  const auto loaded = OpenDataset(folder.path(), {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("rgb_metadata.csv, metadata.csv, x.npy or "
                              "samples.csv, found none")));
}

TEST(OpenDatasetTest, ReportsAPathThatDoesNotExist) {
  const DataFolder folder;

  const auto loaded = OpenDataset(folder / "nowhere", {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("nowhere"), HasSubstr("no such file")));
}

TEST(OpenDatasetTest, RejectsADataSetWithoutSamples) {
  const DataFolder folder;
  const auto csv =
      folder.Write("t.csv", "x,label,domain,split\nzero,l,d,val\n");

  const auto loaded = OpenDataset(csv, {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("0 samples of 1 rows; 1 broken (1 bad number)"),
                    HasSubstr("t.csv:2: x")));
}

TEST(OpenDatasetTest, PassesTheInputOnToThePictures) {
  const DataFolder folder;
  DatasetOptions options;
  options.image.height = 12;

  const auto loaded = OpenDataset(folder.Write("p.csv", kPictures), options);

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(model_store::SampleShape(loaded->dataset.input),
              ElementsAre(3, 12, 224));
}

TEST(LayoutTest, HasANameForEach) {
  EXPECT_EQ(*ParseLayout("auto"), Layout::kAuto);
  EXPECT_EQ(*ParseLayout("iwildcam"), Layout::kIWildCam);
  EXPECT_EQ(*ParseLayout("fmow"), Layout::kFmow);
  EXPECT_EQ(*ParseLayout("csv"), Layout::kCsv);
  EXPECT_EQ(*ParseLayout("table"), Layout::kTable);
  EXPECT_EQ(ParseLayout("other").status().message(),
            "layout: expected auto, iwildcam, fmow, csv, table, got \"other\"");
}

TEST(SplitTest, HasANameForEach) {
  for (const char* name : {"train", "id_val", "id_test", "val", "test"}) {
    const std::optional<Split> split = FindSplit(name);

    ASSERT_TRUE(split.has_value()) << name;
    EXPECT_EQ(SplitName(*split), name);
  }
  EXPECT_FALSE(FindSplit("valid").has_value());
}

}  // namespace
}  // namespace ladder::trainer
