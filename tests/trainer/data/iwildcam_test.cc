#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// WILDS writes a nameless column of row numbers first.
constexpr char kHeader[] =
    ",split,location_remapped,location,sequence_remapped,seq_id,y,category_id,"
    "datetime,filename,image_id\n";

std::string Row(const std::string& split, const std::string& location,
                const std::string& y, const std::string& filename) {
  return "0," + split + "," + location + ",9" + location + ",4,s-4," + y +
         ",37,2013-01-01 12:00:00.000," + filename + ",id\n";
}

constexpr char kCategories[] =
    "y,category_id,name\n0,0,empty\n2,37,panthera onca\n1,10,\"tayassu, "
    "tajacu\"\n99999,571,unused\n99999,572,also unused\n";

DatasetOptions SmallPictures() {
  DatasetOptions options;
  options.image.height = 4;
  options.image.width = 5;
  return options;
}

TEST(IWildCamTest, ReadsSamplesClassesAndLocations) {
  const DataFolder folder;
  folder.Write("metadata.csv", kHeader + Row("train", "10", "2", "a.jpg") +
                                   Row("id_val", "10", "0", "b.jpg") +
                                   Row("id_test", "10", "0", "c.jpg") +
                                   Row("val", "9", "1", "d.jpg") +
                                   Row("test", "2", "1", "e.jpg"));
  folder.Write("categories.csv", kCategories);

  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Dataset& dataset = loaded->dataset;
  EXPECT_THAT(dataset.classes,
              ElementsAre("empty", "tayassu, tajacu", "panthera onca"));
  EXPECT_THAT(dataset.domains, ElementsAre("2", "9", "10"));
  EXPECT_THAT(dataset.regions, IsEmpty());
  ASSERT_EQ(dataset.samples.size(), 5u);
  EXPECT_EQ(dataset.samples[0].label, 2);
  EXPECT_EQ(dataset.samples[0].domain, 2);
  EXPECT_EQ(dataset.samples[0].region, -1);
  EXPECT_EQ(dataset.samples[0].split, Split::kTrain);
  EXPECT_EQ(dataset.samples[1].split, Split::kIdVal);
  EXPECT_EQ(dataset.samples[2].split, Split::kIdTest);
  EXPECT_EQ(dataset.samples[3].split, Split::kVal);
  EXPECT_EQ(dataset.samples[4].split, Split::kTest);
  EXPECT_EQ(dataset.samples[4].domain, 0);
  EXPECT_EQ(dataset.sample_size(), 60u);
  EXPECT_THAT(dataset.SamplesOf(Split::kVal), ElementsAre(3u));
}

TEST(IWildCamTest, ReadsPicturesOfEverySplitFromTheTrainFolder) {
  const DataFolder folder;
  folder.Write("metadata.csv", kHeader + Row("test", "0", "0", "a.jpg"));
  folder.WriteJpeg("train/a.jpg", /*seed=*/1);
  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<float> x(60);

  const absl::Status status = loaded->dataset.reader->Read(0, x);

  EXPECT_TRUE(status.ok()) << status;
}

TEST(IWildCamTest, NamesClassesByNumberWithoutCategories) {
  const DataFolder folder;
  folder.Write("metadata.csv", kHeader + Row("train", "0", "2", "a.jpg"));

  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->dataset.classes, ElementsAre("0", "1", "2"));
}

std::string FourBrokenRows() {
  return kHeader + Row("train", "1", "0", "a.jpg") +
         Row("training", "2", "0", "b.jpg") + Row("train", "3", "3", "c.jpg") +
         Row("train", "", "0", "d.jpg") + Row("train", "5", "0", "") +
         Row("train", "6", "1", "f.jpg");
}

TEST(IWildCamTest, SkipsBrokenRowsAndCountsThemByReason) {
  const DataFolder folder;
  folder.Write("metadata.csv", FourBrokenRows());
  folder.Write("categories.csv", kCategories);

  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->dataset.samples.size(), 2u);
  EXPECT_THAT(loaded->dataset.domains, ElementsAre("1", "6"));
  EXPECT_EQ(loaded->report.num_rows, 6);
  EXPECT_THAT(loaded->report.broken,
              ElementsAre(Pair("bad label", 1), Pair("missing value", 2),
                          Pair("unknown split", 1)));
  EXPECT_THAT(
      loaded->report.messages,
      ElementsAre(AllOf(HasSubstr("metadata.csv:3: split: expected train"),
                        HasSubstr("found \"training\"")),
                  AllOf(HasSubstr("metadata.csv:4: y: expected"),
                        HasSubstr("0 to 2, found \"3\"")),
                  HasSubstr("metadata.csv:5: domain: expected a name"),
                  HasSubstr("metadata.csv:6: filename: expected")));
}

TEST(IWildCamTest, FailsAtTheFirstBrokenRowIfAsked) {
  const DataFolder folder;
  folder.Write("metadata.csv", FourBrokenRows());
  DatasetOptions options = SmallPictures();
  options.on_broken = OnBroken::kFail;

  const auto loaded = LoadIWildCam(folder.path(), options);

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("metadata.csv:3: split"));
}

TEST(IWildCamTest, NamesAMissingColumn) {
  const DataFolder folder;
  folder.Write("metadata.csv", "split,location,y,filename\n");

  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("metadata.csv"), HasSubstr("location_remapped")));
}

TEST(IWildCamTest, RejectsCategoriesThatLeaveALabelWithoutName) {
  const DataFolder folder;
  folder.Write("metadata.csv", kHeader + Row("train", "0", "0", "a.jpg"));
  folder.Write("categories.csv", "y,name\n0,empty\n2,cat\n");

  const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("categories.csv"), HasSubstr("none for 1")));
}

TEST(IWildCamTest, RejectsCategoriesThatComeTwice) {
  for (const char* second : {"0,dog\n", "1,cat\n"}) {
    const DataFolder folder;
    folder.Write("metadata.csv", kHeader + Row("train", "0", "0", "a.jpg"));
    folder.Write("categories.csv", std::string("y,name\n0,cat\n") + second);

    const auto loaded = LoadIWildCam(folder.path(), SmallPictures());

    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(loaded.status().message()),
                AllOf(HasSubstr("categories.csv:3"),
                      HasSubstr("other y and name than before")));
  }
}

}  // namespace
}  // namespace ladder::trainer
