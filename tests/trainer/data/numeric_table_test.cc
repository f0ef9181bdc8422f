#include <limits>
#include <string>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "tests/write_npy.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::vector<float> Read(const Dataset& dataset, size_t sample) {
  std::vector<float> x(dataset.sample_size());
  const absl::Status status = dataset.reader->Read(sample, x);
  EXPECT_TRUE(status.ok()) << status;
  return x;
}

TEST(CsvTableLayoutTest, TakesEveryOtherColumnAsANumber) {
  const DataFolder folder;
  const auto csv = folder.Write("t.csv",
                                "x2,label,x1,domain,split,region\r\n"
                                "1.5,a,-2e3,d,train,r\r\n"
                                "\"3\",b, 4 ,d,val,r\r\n");

  const auto loaded = LoadCsvTable(csv, {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Dataset& dataset = loaded->dataset;
  EXPECT_THAT(model_store::SampleShape(dataset.input), ElementsAre(2));
  EXPECT_THAT(dataset.classes, ElementsAre("a", "b"));
  EXPECT_THAT(dataset.regions, ElementsAre("r"));
  EXPECT_EQ(dataset.samples[1].split, Split::kVal);
  EXPECT_THAT(Read(dataset, 1), ElementsAre(3, 4));
  EXPECT_THAT(Read(dataset, 0), ElementsAre(1.5, -2000));
}

TEST(CsvTableLayoutTest, SkipsRowsWithBadNumbers) {
  const DataFolder folder;
  const auto csv = folder.Write("t.csv",
                                "x,label,domain,split\n"
                                "one,a,d,train\n"
                                "nan,a,d,train\n"
                                ",a,d,train\n"
                                "1e99,a,d,train\n"
                                "5,a,d,train\n");

  const auto loaded = LoadCsvTable(csv, {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Read(loaded->dataset, 0), ElementsAre(5));
  EXPECT_THAT(loaded->report.broken, ElementsAre(Pair("bad number", 4)));
  EXPECT_THAT(loaded->report.messages[0],
              AllOf(HasSubstr("t.csv:2: x: expected a finite number"),
                    HasSubstr("found \"one\"")));
}

TEST(CsvTableLayoutTest, RejectsANamelessColumn) {
  const DataFolder folder;
  const auto csv =
      folder.Write("t.csv", ",x,label,domain,split\n0,1,a,d,val\n");

  const auto loaded = LoadCsvTable(csv, {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("t.csv"), HasSubstr("a name for column 1")));
}

TEST(CsvTableLayoutTest, RejectsATableWithoutNumbers) {
  const DataFolder folder;
  const auto csv = folder.Write("t.csv", "label,domain,split\na,d,val\n");

  const auto loaded = LoadCsvTable(csv, {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("expected columns of numbers"));
}

TEST(CsvTableLayoutTest, NoticesThatTheFileHasChanged) {
  const DataFolder folder;
  const auto csv =
      folder.Write("t.csv", "x,label,domain,split\n12345,a,d,train\n");
  const auto loaded = LoadCsvTable(csv, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<float> x(1);

  folder.Write("t.csv", "x,label,domain,split\n123x5,a,d,train\n");
  EXPECT_EQ(base::FaultReason(loaded->dataset.reader->Read(0, x)),
            "bad number");
  folder.Write("t.csv", "x,label,domain,split\n");
  EXPECT_EQ(base::FaultReason(loaded->dataset.reader->Read(0, x)), "cut short");
}

void WriteArray(const DataFolder& folder, const std::vector<int64_t>& shape,
                const std::vector<float>& values) {
  ASSERT_TRUE(WriteNpy(folder / "x.npy", shape, values).ok());
}

TEST(NpyTableLayoutTest, PairsTheRowsOfArrayAndList) {
  const DataFolder folder;
  WriteArray(folder, {3, 1, 2}, {1, 2, 3, 4, 5, 6});
  folder.Write("samples.csv",
               "label,domain,split\na,d,train\nb,d,oops\nb,e,test\n");

  const auto loaded = LoadNpyTable(folder.path(), {});

  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Dataset& dataset = loaded->dataset;
  EXPECT_THAT(model_store::SampleShape(dataset.input), ElementsAre(1, 2));
  ASSERT_EQ(dataset.samples.size(), 2u);
  EXPECT_THAT(Read(dataset, 0), ElementsAre(1, 2));
  EXPECT_THAT(Read(dataset, 1), ElementsAre(5, 6));
  EXPECT_EQ(dataset.samples[1].label, 1);
  EXPECT_THAT(loaded->report.broken, ElementsAre(Pair("unknown split", 1)));
}

TEST(NpyTableLayoutTest, RejectsAnotherNumberOfRows) {
  const DataFolder folder;
  WriteArray(folder, {2, 1}, {1, 2});
  folder.Write("samples.csv", "label,domain,split\na,d,train\n");

  const auto loaded = LoadNpyTable(folder.path(), {});

  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("samples.csv"), HasSubstr("expected 2 rows"),
                    HasSubstr("x.npy"), HasSubstr("found 1")));
}

TEST(NpyTableLayoutTest, RejectsSamplesWithoutNumbers) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{2}, std::vector<int64_t>{2, 0}}) {
    const DataFolder folder;
    WriteArray(folder, shape, std::vector<float>(shape.size() == 1 ? 2 : 0));
    folder.Write("samples.csv", "label,domain,split\n");

    const auto loaded = LoadNpyTable(folder.path(), {});

    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(loaded.status().message()),
                AllOf(HasSubstr("x.npy"), HasSubstr("shape (2")));
  }
}

TEST(NpyTableLayoutTest, FindsNumbersThatAreNotFiniteWhenTheyAreRead) {
  const DataFolder folder;
  WriteArray(folder, {2, 2}, {1, std::numeric_limits<float>::infinity(), 3, 4});
  folder.Write("samples.csv", "label,domain,split\na,d,train\na,d,train\n");
  const auto loaded = LoadNpyTable(folder.path(), {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<float> x(2);

  const absl::Status status = loaded->dataset.reader->Read(0, x);

  EXPECT_EQ(base::FaultReason(status), "bad number");
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("samples.csv:2: "), HasSubstr("x.npy"),
                    HasSubstr("found inf in row 0")));
  EXPECT_THAT(Read(loaded->dataset, 1), ElementsAre(3, 4));
}

}  // namespace
}  // namespace ladder::trainer
