#include <cstdint>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/scheduling/encode_scheduler_fixture.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

using EncodeSchedulerErrorsTest = EncodeSchedulerTest;

TEST_F(EncodeSchedulerErrorsTest, AnErrorGoesToAllOfItsBatchAndToNoOther) {
  Start();
  Block();
  EncodeCall& first = Submit(1, 0, 4);
  EncodeCall& second = Submit(2, 10, 10);
  EncodeCall& third = Submit(3, 20, 12);
  calls_.front().Cancel();  // So that the error meets the next batch.
  calls_.front().Wait();
  model_->FailNext(absl::InternalError("a broken graph"));

  Drain();

  EXPECT_EQ(first.Wait().status(), absl::InternalError("a broken graph"));
  EXPECT_EQ(second.Wait().status(), absl::InternalError("a broken graph"));
  EXPECT_EQ(third.Wait().status(), absl::InternalError("a broken graph"));
  EXPECT_THAT(observer_.batches(), SizeIs(3));
  Submit(4, 30, 20).ExpectRight();
}

TEST_F(EncodeSchedulerErrorsTest, ACancelledChunkDoesNotRun) {
  Start();
  Block();
  EncodeCall& cancelled = Submit(1, 0, 4);
  EncodeCall& other = Submit(2, 100, 4);
  cancelled.Cancel();

  EXPECT_THAT(Drain(), ElementsAre(ElementsAre(100, 101, 102, 103)));
  EXPECT_EQ(cancelled.Wait().status().code(), absl::StatusCode::kCancelled);
  other.ExpectRight();
  EXPECT_EQ(scheduler_->num_waiting(), 0);
}

TEST_F(EncodeSchedulerErrorsTest, TheRestOfACancelledChunkDoesNotRun) {
  Start();
  model_->Hold();
  EncodeCall& huge = Submit(1, 0, 100);
  model_->WaitForBatches(1);
  huge.Cancel();

  EXPECT_EQ(huge.Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(model_->batches(), ElementsAre(SizeIs(8)));
  model_->Release();
  Submit(2, 500, 1).ExpectRight();
  EXPECT_EQ(scheduler_->num_waiting(), 0);
}

TEST_F(EncodeSchedulerErrorsTest, ABatchIsStoppedOnceAllInItAreCancelled) {
  Start();
  Block();
  EncodeCall& first = Submit(1, 0, 4);
  EncodeCall& second = Submit(2, 10, 4);
  calls_.front().Cancel();
  calls_.front().Wait();
  while (model_->batches().size() < 2) std::this_thread::yield();

  first.Cancel();
  second.Cancel();

  // Would never return if the batch went on, because the model is held.
  EXPECT_EQ(first.Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(second.Wait().status().code(), absl::StatusCode::kCancelled);
  model_->Release();
}

TEST_F(EncodeSchedulerErrorsTest, ABatchGoesOnWhileSomebodyWantsIt) {
  Start();
  Block();
  EncodeCall& cancelled = Submit(1, 0, 4);
  EncodeCall& wanted = Submit(2, 10, 4);
  calls_.front().Cancel();
  calls_.front().Wait();
  while (model_->batches().size() < 2) std::this_thread::yield();

  cancelled.Cancel();
  model_->Release();

  wanted.ExpectRight();
}

TEST_F(EncodeSchedulerErrorsTest, ManyCancelledChunksEndOnceEach) {
  Start({.num_workers = 3});
  std::vector<std::jthread> callers;
  for (int stream = 0; stream < 3; ++stream) {
    callers.emplace_back([this, stream] {
      for (int i = 0; i < 100; ++i) {
        EncodeCall call(*scheduler_, model_, owners_[stream], 0, 20);
        EncodeCall kept(*scheduler_, model_, owners_[stream + 10], 0, 5);
        call.Cancel();
        kept.ExpectRight();
        const absl::Status status = call.Wait().status();
        EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
      }
    });
  }
  callers.clear();

  EXPECT_EQ(scheduler_->num_waiting(), 0);
}

}  // namespace
}  // namespace ladder::server
