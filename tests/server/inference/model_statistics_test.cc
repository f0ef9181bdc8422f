#include "server/inference/model_statistics.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);

absl::Time At(int64_t milliseconds) {
  return absl::FromUnixMillis(milliseconds);
}

void ExpectDuration(const inference::StatisticDuration& duration,
                    uint64_t count, uint64_t ns) {
  EXPECT_EQ(duration.count(), count);
  EXPECT_EQ(duration.ns(), ns);
}

TEST(ModelStatisticsTest, StartsWithNothing) {
  const ModelStatistics statistics;

  const inference::ModelStatistics proto = statistics.ToProto();

  EXPECT_EQ(proto.last_inference(), 0);
  EXPECT_EQ(proto.inference_count(), 0);
  EXPECT_EQ(proto.execution_count(), 0);
  ExpectDuration(proto.inference_stats().success(), 0, 0);
  EXPECT_EQ(proto.batch_stats_size(), 0);
}

TEST(ModelStatisticsTest, AddsRequestsUp) {
  ModelStatistics statistics;
  statistics.RecordSuccess(
      {.total = 20 * kMs,
       .queue = kMs,
       .compute = {.input = 2 * kMs, .infer = 3 * kMs, .output = 4 * kMs}},
      /*num_rows=*/3, At(1000));
  statistics.RecordSuccess(
      {.total = 10 * kMs,
       .queue = 5 * kMs,
       .compute = {.input = kMs, .infer = kMs, .output = kMs}},
      /*num_rows=*/2, At(2000));

  const inference::ModelStatistics proto = statistics.ToProto();

  EXPECT_EQ(proto.inference_count(), 5);
  EXPECT_EQ(proto.last_inference(), 2000);
  const inference::InferStatistics& requests = proto.inference_stats();
  ExpectDuration(requests.success(), 2, 30'000'000);
  ExpectDuration(requests.fail(), 0, 0);
  ExpectDuration(requests.queue(), 2, 6'000'000);
  ExpectDuration(requests.compute_input(), 2, 3'000'000);
  ExpectDuration(requests.compute_infer(), 2, 4'000'000);
  ExpectDuration(requests.compute_output(), 2, 5'000'000);
}

TEST(ModelStatisticsTest, KeepsFailuresApart) {
  ModelStatistics statistics;
  statistics.RecordFailure(7 * kMs, At(3000));

  const inference::ModelStatistics proto = statistics.ToProto();

  ExpectDuration(proto.inference_stats().fail(), 1, 7'000'000);
  ExpectDuration(proto.inference_stats().success(), 0, 0);
  ExpectDuration(proto.inference_stats().queue(), 0, 0);
  EXPECT_EQ(proto.inference_count(), 0);
  EXPECT_EQ(proto.last_inference(), 3000);
}

TEST(ModelStatisticsTest, CountsExecutionsByBatchSize) {
  ModelStatistics statistics;
  statistics.RecordExecution({.infer = 3 * kMs}, /*batch_size=*/8);
  statistics.RecordExecution({.input = kMs, .output = 2 * kMs},
                             /*batch_size=*/1);
  statistics.RecordExecution({.infer = 4 * kMs}, /*batch_size=*/8);

  const inference::ModelStatistics proto = statistics.ToProto();

  EXPECT_EQ(proto.execution_count(), 3);
  ASSERT_EQ(proto.batch_stats_size(), 2);
  EXPECT_EQ(proto.batch_stats(0).batch_size(), 1);
  ExpectDuration(proto.batch_stats(0).compute_input(), 1, 1'000'000);
  ExpectDuration(proto.batch_stats(0).compute_infer(), 1, 0);
  ExpectDuration(proto.batch_stats(0).compute_output(), 1, 2'000'000);
  EXPECT_EQ(proto.batch_stats(1).batch_size(), 8);
  ExpectDuration(proto.batch_stats(1).compute_infer(), 2, 7'000'000);
}

TEST(ModelStatisticsTest, NeverGoesBackwards) {
  ModelStatistics statistics;
  statistics.RecordFailure(kMs, At(3000));
  statistics.RecordFailure(-5 * kMs, At(2000));

  const inference::ModelStatistics proto = statistics.ToProto();

  ExpectDuration(proto.inference_stats().fail(), 2, 1'000'000);
  EXPECT_EQ(proto.last_inference(), 3000);
}

TEST(ModelStatisticsTest, CountsEverythingFromManyThreads) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kCalls = 500;
  ModelStatistics statistics;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (uint64_t call = 0; call < kCalls; ++call) {
          statistics.RecordSuccess({.total = kMs}, /*num_rows=*/2, At(1));
          statistics.RecordFailure(kMs, At(1));
          statistics.RecordExecution({.infer = kMs}, /*batch_size=*/2);
          // At any moment, a success has its rows.
          const inference::ModelStatistics proto = statistics.ToProto();
          EXPECT_EQ(proto.inference_count(),
                    2 * proto.inference_stats().success().count());
        }
      });
    }
  }

  const inference::ModelStatistics proto = statistics.ToProto();

  EXPECT_EQ(proto.inference_count(), 2 * kThreads * kCalls);
  EXPECT_EQ(proto.execution_count(), kThreads * kCalls);
  ExpectDuration(proto.inference_stats().success(), kThreads * kCalls,
                 kThreads * kCalls * 1'000'000);
  ExpectDuration(proto.inference_stats().fail(), kThreads * kCalls,
                 kThreads * kCalls * 1'000'000);
}

}  // namespace
}  // namespace ladder::server
