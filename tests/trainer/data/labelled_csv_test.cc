#include <string>
#include <vector>

#include "base/files/fault.h"
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

DatasetOptions SmallPictures() {
  DatasetOptions options;
  options.image.height = 4;
  options.image.width = 4;
  return options;
}

TEST(LabelledCsvTest, ReadsColumnsInAnyOrder) {
  const DataFolder folder;
  const auto csv = folder.Write("lists/all.csv",
                                "split,extra,domain,path,label,region\r\n"
                                "train,1,north,\"a, b.jpg\",dog,east\r\n"
                                "test,2,south,../c.png,cat,\r\n");
  folder.WriteJpeg("lists/a, b.jpg", /*seed=*/1);
  folder.WritePng("c.png", /*seed=*/2);

  const auto loaded = LoadLabelledCsv(csv, SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Dataset& dataset = loaded->dataset;
  EXPECT_THAT(dataset.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(dataset.domains, ElementsAre("north", "south"));
  EXPECT_THAT(dataset.regions, ElementsAre("east"));
  ASSERT_EQ(dataset.samples.size(), 2u);
  EXPECT_EQ(dataset.samples[0].label, 1);
  EXPECT_EQ(dataset.samples[0].region, 0);
  EXPECT_EQ(dataset.samples[1].label, 0);
  EXPECT_EQ(dataset.samples[1].domain, 1);
  EXPECT_EQ(dataset.samples[1].region, -1);
  EXPECT_EQ(dataset.samples[1].split, Split::kTest);
  std::vector<float> x(48);
  EXPECT_TRUE(dataset.reader->Read(0, x).ok());
  EXPECT_TRUE(dataset.reader->Read(1, x).ok());
}

TEST(LabelledCsvTest, NumbersClassesAndDomainsWhateverTheOrderOfRows) {
  const DataFolder folder;
  const auto one = folder.Write("1.csv",
                                "path,label,domain,split\na,10,x,train\n"
                                "b,9,y,train\n");
  const auto two = folder.Write("2.csv",
                                "path,label,domain,split\nb,9,y,train\n"
                                "a,10,x,train\n");

  const auto first = LoadLabelledCsv(one, SmallPictures());
  const auto second = LoadLabelledCsv(two, SmallPictures());

  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_THAT(first->dataset.classes, ElementsAre("9", "10"));
  EXPECT_EQ(first->dataset.classes, second->dataset.classes);
  EXPECT_EQ(first->dataset.domains, second->dataset.domains);
  EXPECT_EQ(first->dataset.samples[0].label, second->dataset.samples[1].label);
}

TEST(LabelledCsvTest, SkipsBrokenRowsWithoutTraceOfTheirNames) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv",
                                "path,label,domain,split\n"
                                ",l1,d1,train\n"
                                "a,,d2,train\n"
                                "a,l3,,train\n"
                                "a,l4,d4,valid\n"
                                "a,l5\n"
                                "a,\"l\n6\",d6,train\n"
                                "a,l7,d7,train\n");

  const auto loaded = LoadLabelledCsv(csv, SmallPictures());

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->dataset.classes, ElementsAre("l7"));
  EXPECT_THAT(loaded->dataset.domains, ElementsAre("d7"));
  EXPECT_THAT(loaded->report.broken,
              ElementsAre(Pair("bad name", 1), Pair("malformed", 1),
                          Pair("missing value", 3), Pair("unknown split", 1)));
}

TEST(LabelledCsvTest, NamesTheLineOfAMissingPicture) {
  const DataFolder folder;
  const auto csv = folder.Write(
      "all.csv", "path,label,domain,split\n\nnone.jpg,l,d,train\n");
  const auto loaded = LoadLabelledCsv(csv, SmallPictures());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<float> x(48);

  const absl::Status status = loaded->dataset.reader->Read(0, x);

  EXPECT_EQ(base::FaultReason(status), "missing file");
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("all.csv:3: "), HasSubstr("none.jpg")));
}

}  // namespace
}  // namespace ladder::trainer
