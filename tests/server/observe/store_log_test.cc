#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/event_log.h"
#include "tests/server/observe/log_capture.h"

namespace ladder::server {
namespace {

using model_store::VersionEvent;
using model_store::VersionState;
using ::testing::HasSubstr;

std::string LogEvent(VersionState from, VersionState to, absl::Status status,
                     LogLevel level = LogLevel::kInfo) {
  LogCapture capture(LogFormat::kText, level);
  StoreLog log(capture.logger());
  log.OnVersionState({.model = "cameras",
                      .version = 3,
                      .from = from,
                      .to = to,
                      .status = std::move(status),
                      .duration = absl::Milliseconds(1500)});
  return capture.Text();
}

TEST(StoreLogTest, TellsWhatIsServed) {
  EXPECT_EQ(
      LogEvent(VersionState::kLoading, VersionState::kServing,
               absl::OkStatus()),
      "1970-01-01T00:00:00.000000Z INFO model version served model=cameras "
      "version=3 from=LOADING to=SERVING after_seconds=1.5\n");
}

TEST(StoreLogTest, TellsWhyAVersionFailed) {
  const std::string line =
      LogEvent(VersionState::kLoading, VersionState::kFailed,
               absl::DataLossError("heads.onnx: bad\nchecksum"));

  EXPECT_THAT(line, HasSubstr(" ERROR model version failed to load "));
  EXPECT_THAT(line, HasSubstr(" error=\"heads.onnx: bad\\nchecksum\"\n"));
}

TEST(StoreLogTest, TellsWhatWasUnloaded) {
  EXPECT_THAT(LogEvent(VersionState::kDraining, VersionState::kUnloaded,
                       absl::OkStatus()),
              HasSubstr(" INFO model version unloaded "));
}

TEST(StoreLogTest, WarnsOfFilesThatChange) {
  EXPECT_THAT(LogEvent(VersionState::kServing, VersionState::kServing,
                       absl::FailedPreconditionError("replaced in place")),
              HasSubstr(" WARN model version's files changed "));
  EXPECT_THAT(LogEvent(VersionState::kServing, VersionState::kServing,
                       absl::OkStatus()),
              HasSubstr(" INFO model version's files are back "));
}

TEST(StoreLogTest, StepsInBetweenAreForDebugging) {
  EXPECT_EQ(LogEvent(VersionState::kDiscovered, VersionState::kLoading,
                     absl::OkStatus()),
            "");
  EXPECT_THAT(LogEvent(VersionState::kDiscovered, VersionState::kLoading,
                       absl::OkStatus(), LogLevel::kDebug),
              HasSubstr(" DEBUG model version moved on "));
}

TEST(StoreLogTest, TellsOfAStoreThatCannotBeRead) {
  LogCapture capture(LogFormat::kText);
  StoreLog log(capture.logger());

  log.OnStoreStatus(absl::UnavailableError("unmounted"));
  log.OnStoreStatus(absl::OkStatus());

  EXPECT_EQ(capture.Text(),
            "1970-01-01T00:00:00.000000Z ERROR model store cannot be read "
            "error=unmounted\n"
            "1970-01-01T00:00:00.000000Z INFO model store is readable again\n");
}

}  // namespace
}  // namespace ladder::server
