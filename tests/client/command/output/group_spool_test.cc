#include "client/command/output/group_spool.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/output/answers.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;

std::string Copied(const GroupSpool& spool, const DataFolder& folder) {
  auto file = DataFile::Open(folder / "copy", DataFile::Mode::kAny);
  EXPECT_TRUE(file.ok() && file->Truncate(0).ok());
  EXPECT_TRUE(
      spool.CopyTo([&](absl::string_view rows) { return file->Append(rows); })
          .ok());
  return FileText(folder / "copy");
}

TEST(GroupSpoolTest, KeepsRowsInOrderInMemoryAndInAFile) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  std::string expected;
  for (uint64_t i = 0; i < 100; i += 2) {
    ASSERT_TRUE(rows.Append("g", SmallPredictions(i, 2), expected).ok());
  }

  for (const size_t max_memory : {size_t{0}, size_t{100}, size_t{1} << 20}) {
    GroupSpool spool("g", rows, folder / "out.csv", max_memory);
    for (uint64_t i = 0; i < 100; i += 2) {
      ASSERT_TRUE(spool.Add(SmallPredictions(i, 2)).ok());
    }
    EXPECT_TRUE(spool.CheckComplete().ok());
    EXPECT_EQ(spool.num_samples(), 100u);
    EXPECT_EQ(Copied(spool, folder), expected) << max_memory;
  }
}

TEST(GroupSpoolTest, LeavesNoFileBehindEvenWhileItIsInUse) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  GroupSpool spool("g", rows, folder / "out.csv", /*max_memory=*/0);

  ASSERT_TRUE(spool.Add(SmallPredictions(0, 2)).ok());

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(GroupSpoolTest, IsEmptyAfterDiscard) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  GroupSpool spool("g", rows, folder / "out.csv", /*max_memory=*/30);
  ASSERT_TRUE(spool.Add(SmallPredictions(0, 20)).ok());
  ASSERT_TRUE(spool.Add(SmallPredictions(20, 1)).ok());

  spool.Discard();
  EXPECT_EQ(spool.num_samples(), 0u);
  ASSERT_TRUE(spool.Add(SmallPredictions(0, 1)).ok());

  EXPECT_TRUE(spool.CheckComplete().ok());
  EXPECT_EQ(Copied(spool, folder), "g,0,s0,0,cat,0.75,\n");
}

TEST(GroupSpoolTest, RefusesASampleThatComesTwice) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  GroupSpool spool("g", rows, folder / "out.csv");
  v1::Predictions rejected;
  rejected.add_rejected()->set_index(1);

  ASSERT_TRUE(spool.Add(SmallPredictions(0, 2)).ok());
  const absl::Status status = spool.Add(rejected);

  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("twice for sample 1"));
}

TEST(GroupSpoolTest, CountsWhatWasRejected) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  GroupSpool spool("g", rows, folder / "out.csv");
  v1::Predictions predictions = SmallPredictions(0, 2);
  predictions.add_rejected()->set_index(2);

  ASSERT_TRUE(spool.Add(predictions).ok());

  EXPECT_EQ(spool.num_samples(), 3u);
  EXPECT_EQ(spool.num_rejected(), 1u);
  spool.Discard();
  EXPECT_EQ(spool.num_rejected(), 0u);
}

TEST(GroupSpoolTest, IsCompleteOnlyWithoutGaps) {
  const DataFolder folder;
  const PredictionRows rows(SmallOptions("unused"));
  GroupSpool spool("g", rows, folder / "out.csv");
  v1::Predictions rejected;
  rejected.add_rejected()->set_index(2);

  EXPECT_FALSE(spool.CheckComplete().ok());
  ASSERT_TRUE(spool.Add(SmallPredictions(3, 2)).ok());
  ASSERT_TRUE(spool.Add(SmallPredictions(0, 2)).ok());
  EXPECT_THAT(std::string(spool.CheckComplete().message()),
              HasSubstr("4 of 5 and none for 2"));
  ASSERT_TRUE(spool.Add(rejected).ok());
  EXPECT_TRUE(spool.CheckComplete().ok());
  EXPECT_FALSE(spool.Add(SmallPredictions(uint64_t{1} << 60, 1)).ok());
}

}  // namespace
}  // namespace ladder::client
