#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/observe/log.h"
#include "tests/server/observe/log_capture.h"

namespace ladder::server {
namespace {

using ::testing::SizeIs;

TEST(LoggerTest, WritesOneLinePerEvent) {
  LogCapture capture(LogFormat::kText);

  capture.logger().Log(LogLevel::kInfo, "started", {{"port", 8001}});
  capture.logger().Log(LogLevel::kError, "100 % {} done");

  EXPECT_EQ(capture.Text(),
            "1970-01-01T00:00:00.000000Z INFO started port=8001\n"
            "1970-01-01T00:00:00.000000Z ERROR 100 % {} done\n");
}

TEST(LoggerTest, LeavesOutWhatIsLessImportant) {
  LogCapture capture(LogFormat::kText, LogLevel::kWarn);

  EXPECT_FALSE(capture.logger().Enabled(LogLevel::kInfo));
  capture.logger().Log(LogLevel::kDebug, "debug");
  capture.logger().Log(LogLevel::kInfo, "info");
  capture.logger().Log(LogLevel::kWarn, "warn");

  EXPECT_EQ(capture.Text(), "1970-01-01T00:00:00.000000Z WARN warn\n");
}

TEST(LoggerTest, LinesOfManyThreadsStayWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  LogCapture capture(LogFormat::kJson);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&capture, t] {
      for (int i = 0; i < kLines; ++i) {
        capture.logger().Log(LogLevel::kInfo, "line",
                             {{"thread", t}, {"text", std::string(200, 'x')}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  const std::string text = capture.Text();

  const std::vector<std::string> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  ASSERT_THAT(lines, SizeIs(kThreads * kLines));
  for (const std::string& line : lines) {
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  }
}

}  // namespace
}  // namespace ladder::server
