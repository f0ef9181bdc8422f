#include "client/command/watch/watch.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/watch/server_metrics.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A server whose answers are given, one second apart. After the last one the
// watch is stopped.
class WatchTest : public ::testing::Test {
 protected:
  absl::Status Run(std::vector<absl::StatusOr<std::string>> answers,
                   WatchOptions options, base::Terminal terminal = {}) {
    size_t next = 0;
    const WatchSources sources = {.scrape =
                                      [&](std::stop_token) {
                                        now_ += absl::Seconds(1);
                                        return answers.at(next++);
                                      },
                                  .now = [&] { return now_; },
                                  .terminal =
                                      [&] {
                                        // The last thing that is asked before a
                                        // view is written.
                                        if (next == answers.size())
                                          stop_.request_stop();
                                        return terminal;
                                      }};
    return Watch(options, sources, out_, stop_.get_token());
  }

  WatchOptions Options() const {
    return {.address = "here", .interval = absl::Milliseconds(100)};
  }

  std::stop_source stop_;
  absl::Time now_ = absl::FromUnixSeconds(kServerStart + 100);
  std::ostringstream out_;
};

TEST_F(WatchTest, OncePrintsOneTable) {
  WatchOptions options = Options();
  options.once = true;

  const absl::Status status = Run({ServerMetrics(1000), ServerMetrics(1000)},
                                  options, {.columns = 100, .rows = 5});

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(out_.str(), AllOf(StartsWith("ladder-server 0.1.0 at here"),
                                HasSubstr("\nold "), Not(HasSubstr("\x1b"))));
}

TEST_F(WatchTest, OnceReturnsWhatIsWrong) {
  WatchOptions options = Options();
  options.once = true;

  EXPECT_EQ(Run({absl::UnavailableError("gone")}, options).code(),
            absl::StatusCode::kUnavailable);
  const absl::Status html = Run({"<html>"}, options);
  EXPECT_EQ(html.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(html.message()),
              HasSubstr("here: not Prometheus' text format: line 1"));
  EXPECT_THAT(std::string(Run({"other 1\n"}, options).message()),
              HasSubstr("is this its metrics port?"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(WatchTest, APipeGetsOneViewBelowTheOther) {
  const absl::Status status =
      Run({ServerMetrics(1000), ServerMetrics(1400)}, Options());

  EXPECT_TRUE(status.ok()) << status;
  const std::vector<std::string> views =
      absl::StrSplit(out_.str(), "ladder-server");
  ASSERT_THAT(views, SizeIs(3));
  EXPECT_THAT(views[1], HasSubstr("rates, times and verdicts since its start"));
  EXPECT_THAT(views[2], HasSubstr("rates and times of the last 1 s"));
  EXPECT_THAT(views[2], HasSubstr("OK 400"));
}

TEST_F(WatchTest, ATerminalGetsItsScreenBack) {
  const absl::Status status = Run({ServerMetrics(1000), ServerMetrics(1400)},
                                  Options(), {.columns = 80, .rows = 24});

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(out_.str(),
              StartsWith("\x1b[?1049h\x1b[?25l\x1b[Hladder-server"));
  EXPECT_THAT(out_.str(), EndsWith("\x1b[J\x1b[?25h\x1b[?1049l"));
}

TEST_F(WatchTest, AServerThatGoesAwayIsShownAndAskedAgain) {
  const absl::Status status =
      Run({ServerMetrics(1000), absl::UnavailableError("refused"),
           absl::UnavailableError("refused"), ServerMetrics(1600)},
          Options(), {.columns = 80, .rows = 24});

  EXPECT_TRUE(status.ok()) << status;
  const std::vector<std::string> frames = absl::StrSplit(out_.str(), "\x1b[H");
  ASSERT_THAT(frames, SizeIs(5));
  EXPECT_THAT(frames[3],
              AllOf(StartsWith("No answer, last heard 2 s ago, asking every "
                               "100 ms: refused"),
                    HasSubstr("ladder-server 0.1.0 at here")));
  EXPECT_THAT(frames[4],
              AllOf(StartsWith("ladder-server"), HasSubstr("of the last 3 s"),
                    HasSubstr("OK 200")));
}

TEST_F(WatchTest, AServerThatIsNotThereYetIsWaitedFor) {
  const absl::Status status =
      Run({absl::UnavailableError("refused"), ServerMetrics(10)}, Options());

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(out_.str(), StartsWith("No answer, asking every 100 ms: refused\n"
                                     "\nladder-server"));
}

TEST_F(WatchTest, OptionsAreChecked) {
  EXPECT_EQ(Run({}, {.address = "here", .interval = absl::Milliseconds(10)})
                .message(),
            "interval: expected at least 0.1 s, got 10ms");
  EXPECT_EQ(
      Run({}, {.address = "here", .timeout = absl::ZeroDuration()}).message(),
      "timeout: expected more than 0 s, got 0");
  EXPECT_EQ(Run({}, {.address = ""}).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::client
