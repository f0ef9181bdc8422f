#include "client/command/output/stream_output.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/output/answers.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::Status CommitTo(StreamOutput& output, const std::string& group, int n) {
  const auto spool = output.NewSpool(group);
  absl::Status status = spool->Add(SmallPredictions(0, n));
  if (!status.ok()) return status;
  return output.Commit(*spool, SmallRouting(), absl::Seconds(1));
}

TEST(StreamOutputTest, GroupsGoToTheStreamAsTheyAreFinished) {
  std::ostringstream out;
  auto output = StreamOutput::Open(SmallOptions("-"), OpenMode::kNew, out);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(out.str(), "group,index,id,label,class,probability,error\n");
  out.str("");

  ASSERT_TRUE(CommitTo(**output, "b", 2).ok());
  EXPECT_EQ(out.str(), "b,0,s0,0,cat,0.75,\nb,1,s1,1,dog,0.75,\n");
  EXPECT_FALSE(CommitTo(**output, "empty", 0).ok());
}

TEST(StreamOutputTest, TheRoutingGoesToAFileIfOneIsNamed) {
  const DataFolder folder;
  OutputFileOptions options = SmallOptions("-");
  options.routing = folder.Write("routing.csv", "precious");
  std::ostringstream out;

  EXPECT_THAT(
      std::string(
          StreamOutput::Open(options, OpenMode::kNew, out).status().message()),
      HasSubstr("--overwrite"));
  EXPECT_EQ(FileText(options.routing), "precious");
  EXPECT_EQ(out.str(), "");
  auto output = StreamOutput::Open(options, OpenMode::kOverwrite, out);
  ASSERT_TRUE(output.ok()) << output.status();
  ASSERT_TRUE(CommitTo(**output, "b", 2).ok());

  EXPECT_THAT(FileText(options.routing), StartsWith("group,n,rejected,"));
  EXPECT_THAT(FileText(options.routing), HasSubstr("\nb,2,0,m,3,ladder,"));
}

TEST(StreamOutputTest, ThereIsNothingToResume) {
  std::ostringstream out;

  const auto output =
      StreamOutput::Open(SmallOptions("-"), OpenMode::kResume, out);

  EXPECT_EQ(output.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(output.status().message()), HasSubstr("--resume"));
}

TEST(StreamOutputTest, AStreamThatTakesNoMoreIsAWriteError) {
  std::ostringstream out;
  auto output = StreamOutput::Open(SmallOptions("-"), OpenMode::kNew, out);
  ASSERT_TRUE(output.ok()) << output.status();
  out.setstate(std::ios::badbit);

  EXPECT_TRUE(IsWriteError(CommitTo(**output, "b", 2)));
}

}  // namespace
}  // namespace ladder::client
