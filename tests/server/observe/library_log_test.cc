#include "server/observe/library_log.h"

#include <google/protobuf/wrappers.pb.h>
#include <grpc/support/log.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/server/observe/log_capture.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<nlohmann::json> LinesOf(LogCapture& capture) {
  const std::string text = capture.Text();
  std::vector<nlohmann::json> lines;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    lines.push_back(nlohmann::json::parse(line.begin(), line.end()));
  }
  return lines;
}

TEST(LibraryLogTest, WhatGrpcSaysIsALineLikeAllOthers) {
  LogCapture capture(LogFormat::kJson, LogLevel::kDebug);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
  {
    const LibraryLog log(capture.logger());
    gpr_log("dir/file.cc", 7, GPR_LOG_SEVERITY_ERROR, "a \"%s\"\nand more",
            "word");
    gpr_log("dir/file.cc", 8, GPR_LOG_SEVERITY_ERROR, "assertion failed: x");
  }

  const std::vector<nlohmann::json> lines = LinesOf(capture);

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["level"], "warn");
  EXPECT_EQ(lines[0]["message"], "gRPC");
  EXPECT_EQ(lines[0]["says"], "a \"word\"\nand more");
  EXPECT_THAT(lines[0]["at"].get<std::string>(), EndsWith("file.cc:7"));
  EXPECT_EQ(lines[1]["level"], "error");
}

TEST(LibraryLogTest, WhatProtobufSaysIsALineLikeAllOthers) {
  LogCapture capture(LogFormat::kJson);
  {
    const LibraryLog log(capture.logger());
    google::protobuf::StringValue text;
    text.set_value("\xFF");  // No UTF-8, which it says when it is serialised.
    text.SerializeAsString();
  }

  const std::vector<nlohmann::json> lines = LinesOf(capture);

  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0]["level"], "warn");
  EXPECT_EQ(lines[0]["message"], "protobuf");
  EXPECT_THAT(lines[0]["says"].get<std::string>(),
              AllOf(HasSubstr("StringValue.value"), HasSubstr("UTF-8")));
}

TEST(LibraryLogTest, AfterTheEndNothingIsWritten) {
  LogCapture capture(LogFormat::kJson);
  { const LibraryLog log(capture.logger()); }
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);

  ::testing::internal::CaptureStderr();
  gpr_log("file.cc", 7, GPR_LOG_SEVERITY_ERROR, "late");

  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
  EXPECT_THAT(LinesOf(capture), IsEmpty());
}

}  // namespace
}  // namespace ladder::server
