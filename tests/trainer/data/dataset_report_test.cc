#include "trainer/data/dataset_report.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/csv.h"
#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kThreeOfFiveBroken[] = "a,b\n1,2\n3\n\n5,\"\n\"x\n6,no\n7,8\n";

// Faults every row whose second field is "no".
absl::Status CheckRow(const base::CsvTable& table) {
  if (table.field(1) != "no") return absl::OkStatus();
  return base::Fault("bad b", "b: expected yes");
}

TEST(ForEachRowTest, CountsBrokenRowsByReasonAndNamesTheirLines) {
  const DataFolder folder;
  base::CsvTable table =
      base::CsvTable::Open(folder.Write("t.csv", kThreeOfFiveBroken)).value();
  DatasetReport report;
  std::vector<int64_t> rows;

  const absl::Status status = ForEachRow(table, OnBroken::kSkip, report, [&] {
    rows.push_back(table.row());
    return CheckRow(table);
  });

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(rows, ElementsAre(0, 3, 4));
  EXPECT_EQ(report.num_rows, 5);
  EXPECT_EQ(report.num_broken(), 3);
  EXPECT_THAT(report.broken,
              ElementsAre(Pair("bad b", 1), Pair("malformed", 2)));
  EXPECT_THAT(report.messages,
              ElementsAre(HasSubstr("t.csv:3: expected 2 fields, found 1"),
                          HasSubstr("t.csv:5: text behind a closing quote"),
                          HasSubstr("t.csv:7: b: expected yes")));
}

TEST(ForEachRowTest, StopsAtTheFirstBrokenRowIfAsked) {
  const DataFolder folder;
  base::CsvTable table =
      base::CsvTable::Open(folder.Write("t.csv", kThreeOfFiveBroken)).value();
  DatasetReport report;

  const absl::Status status = ForEachRow(table, OnBroken::kFail, report,
                                         [&] { return CheckRow(table); });

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("t.csv:3: expected 2"));
}

TEST(ForEachRowTest, NeverSkipsWhatIsNoFaultOfTheRow) {
  const DataFolder folder;
  base::CsvTable table =
      base::CsvTable::Open(folder.Write("t.csv", "a\n1\n2\n")).value();
  DatasetReport report;

  const absl::Status status = ForEachRow(table, OnBroken::kSkip, report, [] {
    return absl::UnavailableError("disk on fire");
  });

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

TEST(ForEachRowTest, KeepsFewMessagesOfManyBrokenRows) {
  const DataFolder folder;
  std::string text = "a\n";
  for (int i = 0; i < 1000; ++i) text += "1,2\n";
  base::CsvTable table =
      base::CsvTable::Open(folder.Write("t.csv", text)).value();
  DatasetReport report;

  const absl::Status status = ForEachRow(table, OnBroken::kSkip, report,
                                         [] { return absl::OkStatus(); });

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(report.num_broken(), 1000);
  EXPECT_EQ(report.messages.size(), DatasetReport::kMaxMessages);
}

TEST(LoadReportTest, SumsUpInOneLine) {
  DatasetReport report;
  report.num_rows = 10;
  report.num_samples = 7;
  EXPECT_EQ(report.Summary(), "7 samples of 10 rows");

  report.broken = {{"bad label", 1}, {"malformed", 1}};
  report.left_out = {{"sequestered", 1}};
  EXPECT_EQ(report.Summary(),
            "7 samples of 10 rows; 2 broken (1 bad label, 1 malformed); 1 left "
            "out (1 sequestered)");
}

}  // namespace
}  // namespace ladder::trainer
