#include <algorithm>
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
using ::testing::Pair;

constexpr char kHeader[] =
    "split,img_filename,img_path,spatial_reference,epsg,category,visible,"
    "img_width,img_height,country_code,cloud_cover,timestamp,lat,lon,region\n";

std::string Row(const std::string& split, const std::string& timestamp,
                const std::string& category = "zoo",
                const std::string& country = "FRA") {
  // The spatial reference is full of commas and quotes.
  return split + ",a_rgb.tif,train/a.jpg,\"GEOGCS[\"\"WGS 84\"\",6378137]\"," +
         "4326," + category + ",True,200,200," + country + ",0," + timestamp +
         ",48.8,2.3,ignored\n";
}

constexpr char kCountries[] =
    "name,alpha-2,alpha-3,region\nFrance,FR,FRA,Europe\nKenya,KE,KEN,Africa\n"
    "Antarctica,AQ,ATA,\n";

DatasetOptions SmallPictures() {
  DatasetOptions options;
  options.image.height = 4;
  options.image.width = 4;
  return options;
}

TEST(FmowTest, KnowsTheCategoriesInTheOrderOfTheAlphabet) {
  const auto& categories = FmowCategories();

  EXPECT_EQ(categories.size(), 62u);
  EXPECT_TRUE(std::is_sorted(categories.begin(), categories.end()));
  EXPECT_EQ(categories.front(), "airport");
  EXPECT_EQ(categories.back(), "zoo");
}

TEST(FmowTest, SplitsByTimeAsWildsDoes) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv", kHeader +
                                       Row("train", "2012-12-31T23:59:59Z") +
                                       Row("val", "2002-01-01T00:00:00Z") +
                                       Row("test", "2012-06-01T00:00:00Z") +
                                       Row("val", "2013-01-01T00:00:00Z") +
                                       Row("val", "2015-12-31T23:59:59.999Z") +
                                       Row("test", "2016-01-01T00:00:00Z") +
                                       // Of these, WILDS uses none.
                                       Row("train", "2013-01-01T00:00:00Z") +
                                       Row("train", "2016-01-01T00:00:00Z") +
                                       Row("test", "2015-12-31T00:00:00Z") +
                                       Row("val", "2016-01-01T00:00:00Z") +
                                       Row("seq", "2010-01-01T00:00:00Z"));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<Split> splits;
  std::vector<std::string> years;
  for (const SampleInfo& sample : loaded->dataset.samples) {
    splits.push_back(sample.split);
    years.push_back(
        loaded->dataset.domains[static_cast<size_t>(sample.domain)]);
  }
  EXPECT_THAT(splits, ElementsAre(Split::kTrain, Split::kIdVal, Split::kIdTest,
                                  Split::kVal, Split::kVal, Split::kTest));
  EXPECT_THAT(years,
              ElementsAre("2012", "2002", "2012", "2013", "2015", "2016"));
  EXPECT_THAT(loaded->dataset.domains,
              ElementsAre("2002", "2012", "2013", "2015", "2016"));
  EXPECT_THAT(loaded->report.left_out,
              ElementsAre(Pair("outside the official splits", 4),
                          Pair("sequestered", 1)));
  EXPECT_EQ(loaded->report.num_broken(), 0);
}

TEST(FmowTest, TellsTheYearInUtc) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv",
               kHeader + Row("train", "2010-01-01T00:30:00+01:00") +
                   Row("train", "2008-05-05 10:00:00+00:00") +
                   Row("train", "2007-05-05 10:00:00"));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->dataset.domains, ElementsAre("2007", "2008", "2009"));
}

TEST(FmowTest, FindsRegionsByCountryAndPutsTheRestIntoOther) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv",
               kHeader + Row("train", "2010-01-01T00:00:00Z", "zoo", "KEN") +
                   Row("train", "2010-01-01T00:00:00Z", "airport", "FRA") +
                   Row("train", "2010-01-01T00:00:00Z", "zoo", "ATA") +
                   Row("train", "2010-01-01T00:00:00Z", "zoo", "XXX") +
                   Row("train", "2010-01-01T00:00:00Z", "zoo", ""));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Dataset& dataset = loaded->dataset;
  EXPECT_THAT(dataset.regions, ElementsAre("Africa", "Europe", "Other"));
  EXPECT_EQ(dataset.samples[0].region, 0);
  EXPECT_EQ(dataset.samples[1].region, 1);
  EXPECT_EQ(dataset.samples[2].region, 2);
  EXPECT_EQ(dataset.samples[3].region, 2);
  EXPECT_EQ(dataset.samples[4].region, 2);
  EXPECT_EQ(dataset.classes.size(), 62u);
  EXPECT_EQ(dataset.samples[0].label, 61);
  EXPECT_EQ(dataset.samples[1].label, 0);
}

TEST(FmowTest, NumbersPicturesByRowCountingThoseThatAreNotUsed) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv",
               kHeader + Row("seq", "2010-01-01T00:00:00Z") +
                   Row("train", "2010-01-01T00:00:00Z", "no such thing") +
                   Row("train", "2010-01-01T00:00:00Z"));
  folder.WritePng("images/rgb_img_2.png", /*seed=*/1);
  const auto loaded = LoadFmow(folder.path(), SmallPictures());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->dataset.samples.size(), 1u);
  std::vector<float> x(48);

  const absl::Status status = loaded->dataset.reader->Read(0, x);

  EXPECT_TRUE(status.ok()) << status;
}

TEST(FmowTest, SkipsBrokenRowsAndCountsThemByReason) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv",
               kHeader + Row("train", "yesterday") +
                   Row("train", "infinite-future") +
                   Row("train", "2010-01-01T00:00:00Z", "volcano") +
                   Row("holdout", "2010-01-01T00:00:00Z") +
                   Row("train", "2010-01-01T00:00:00Z"));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->dataset.samples.size(), 1u);
  EXPECT_THAT(loaded->report.broken,
              ElementsAre(Pair("bad label", 1), Pair("bad timestamp", 2),
                          Pair("unknown split", 1)));
  EXPECT_THAT(loaded->report.messages,
              ElementsAre(HasSubstr("rgb_metadata.csv:2: timestamp: expected"),
                          HasSubstr("found \"infinite-future\""),
                          HasSubstr("found \"volcano\""),
                          HasSubstr("found \"holdout\"")));
}

TEST(FmowTest, RefusesMalformedRowsWhichCouldHideOthers) {
  const DataFolder folder;
  folder.Write("country_code_mapping.csv", kCountries);
  folder.Write("rgb_metadata.csv",
               kHeader + Row("train", "2010-01-01T00:00:00Z") + "train,a\n" +
                   Row("train", "2010-01-01T00:00:00Z"));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("rgb_metadata.csv:3"), HasSubstr("15 fields")));
}

TEST(FmowTest, NeedsTheCountriesRegions) {
  const DataFolder folder;
  folder.Write("rgb_metadata.csv",
               kHeader + Row("train", "2010-01-01T00:00:00Z"));

  const auto loaded = LoadFmow(folder.path(), SmallPictures());

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("country_code_mapping.csv"));
}

}  // namespace
}  // namespace ladder::trainer
