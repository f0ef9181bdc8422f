#include "client/command/load/load_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::SizeIs;

TEST(LoadRecorderTest, LatencyCountsFromWhenARequestWasDue) {
  LoadRecorder recorder(absl::ZeroDuration());

  recorder.Record(absl::Seconds(1), absl::Seconds(4), {}, /*stopped=*/false);

  const LoadReport report = recorder.Report();
  EXPECT_EQ(report.succeeded, 1);
  EXPECT_EQ(report.latency.Max(), absl::Seconds(3));
  EXPECT_EQ(report.elapsed, absl::Seconds(4));
  EXPECT_EQ(report.RequestsPerSecond(), 0.25);
}

TEST(LoadRecorderTest, TheWarmUpIsLeftOut) {
  LoadRecorder recorder(absl::Seconds(5));

  recorder.Record(absl::Seconds(4), absl::Seconds(90), {}, /*stopped=*/false);
  recorder.Record(absl::Seconds(4), absl::Seconds(9),
                  {.status = absl::InternalError("a")}, /*stopped=*/false);
  recorder.RecordUnsent(absl::Seconds(4));
  recorder.Record(absl::Seconds(5), absl::Seconds(7), {}, /*stopped=*/false);
  recorder.RecordUnsent(absl::Seconds(6));

  const LoadReport report = recorder.Report();
  EXPECT_EQ(report.succeeded, 1);
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(report.unsent, 1);
  EXPECT_EQ(report.elapsed, absl::Seconds(2));
}

TEST(LoadRecorderTest, KeepsTheFirstMessageOfEachCode) {
  LoadRecorder recorder(absl::ZeroDuration());
  for (const char* message : {"first", "second"}) {
    recorder.Record(absl::Seconds(1), absl::Seconds(2),
                    {.status = absl::UnavailableError(message)},
                    /*stopped=*/false);
  }
  recorder.Record(absl::Seconds(1), absl::Seconds(2),
                  {.status = absl::InternalError("other")}, /*stopped=*/false);

  const LoadReport report = recorder.Report();
  EXPECT_EQ(report.failed, 3);
  ASSERT_THAT(report.errors, SizeIs(2));
  const auto& unavailable = report.errors.at(absl::StatusCode::kUnavailable);
  EXPECT_EQ(unavailable.count, 2);
  EXPECT_EQ(unavailable.first_message, "first");
  EXPECT_EQ(report.latency.count(), 0);
}

TEST(LoadRecorderTest, OnlyOurOwnCancellationsAreAbandoned) {
  LoadRecorder recorder(absl::ZeroDuration());
  const LoadOutcome cancelled = {.status = absl::CancelledError("")};

  recorder.Record(absl::Seconds(1), absl::Seconds(2), cancelled,
                  /*stopped=*/false);
  recorder.Record(absl::Seconds(1), absl::Seconds(2), cancelled,
                  /*stopped=*/true);
  recorder.Record(absl::Seconds(1), absl::Seconds(2), {}, /*stopped=*/true);

  const LoadReport report = recorder.Report();
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(report.abandoned, 1);
  EXPECT_EQ(report.succeeded, 1);
}

TEST(LoadRecorderTest, CollectsTheServersStagesInTheirOrder) {
  LoadRecorder recorder(absl::ZeroDuration());
  for (int i = 1; i <= 2; ++i) {
    recorder.Record(
        absl::Seconds(1), absl::Seconds(2),
        {.status = absl::OkStatus(),
         .stages = {{"queue", absl::Seconds(i)}, {"encode", absl::Seconds(3)}}},
        /*stopped=*/false);
  }

  const LoadReport report = recorder.Report();
  ASSERT_THAT(report.stages, SizeIs(2));
  EXPECT_EQ(report.stages[0].first, "queue");
  EXPECT_EQ(report.stages[0].second.Max(), absl::Seconds(2));
  EXPECT_EQ(report.stages[1].first, "encode");
  EXPECT_EQ(report.stages[1].second.count(), 2);
}

}  // namespace
}  // namespace ladder::client
