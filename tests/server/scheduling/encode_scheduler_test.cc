#include "server/scheduling/encode_scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/scheduling/encode_call.h"
#include "tests/server/scheduling/encode_scheduler_fixture.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(EncodeSchedulerTest, PutsRowsOfManyStreamsTogether) {
  Start();
  Block();
  for (int stream = 0; stream < 4; ++stream) {
    Submit(stream, static_cast<float>(10 * stream), 2);
  }

  EXPECT_THAT(Drain(), ElementsAre(ElementsAre(0, 1, 10, 11, 20, 21, 30, 31)));
  for (EncodeCall& call : calls_) call.ExpectRight();
}

TEST_F(EncodeSchedulerTest, EveryChunkGetsItsOwnRowsHoweverTheyAreCut) {
  Start({.num_workers = 3, .max_batch_size = 7});
  std::vector<std::jthread> callers;
  for (int stream = 0; stream < 4; ++stream) {
    callers.emplace_back([this, stream] {
      std::deque<EncodeCall> calls;
      for (size_t i = 0; i < 40; ++i) {
        const auto first =
            static_cast<float>(10'000 * stream + 100 * static_cast<int>(i));
        calls.emplace_back(*scheduler_, model_, owners_[stream], first,
                           1 + (i * 13 + static_cast<size_t>(stream) * 5) % 30);
      }
      for (EncodeCall& call : calls) call.ExpectRight();
    });
  }
  callers.clear();

  for (const auto& batch : model_->batches()) EXPECT_LE(batch.size(), 7);
}

TEST_F(EncodeSchedulerTest, AHugeChunkDoesNotStarveASmallOne) {
  Start();
  Block();
  EncodeCall& huge = Submit(1, 0, 100);
  EncodeCall& small = Submit(2, 1000, 2);

  const auto batches = Drain();

  EXPECT_THAT(batches.front(), ElementsAre(0, 1, 2, 3, 4, 5, 1000, 1001));
  EXPECT_THAT(batches, SizeIs((100 + 2 + 7) / 8));
  huge.ExpectRight();
  small.ExpectRight();
}

TEST_F(EncodeSchedulerTest, WaitingStreamsShareABatchEqually) {
  Start();
  Block();
  for (int stream = 0; stream < 4; ++stream) {
    Submit(stream, static_cast<float>(100 * stream), 50);
  }

  EXPECT_THAT(Drain().front(), ElementsAre(0, 1, 100, 101, 200, 201, 300, 301));
}

TEST_F(EncodeSchedulerTest, TheManyCallsOfACallerHaveTheShareOfOne) {
  Start();
  Block();
  for (int stream = 0; stream < 6; ++stream) {
    Submit(stream, static_cast<float>(100 * stream), 50);
  }
  Submit(model_, WorkOwner(), 1000, 50);

  std::vector<float> first = Drain().front();

  EXPECT_EQ(std::count_if(first.begin(), first.end(),
                          [](float sample) { return sample >= 1000; }),
            4);
}

TEST_F(EncodeSchedulerTest, WhoWasServedALotLatelyComesLast) {
  Start();
  owners_[1].Charge(absl::Seconds(5));
  Block();
  Submit(1, 0, 8);
  Submit(2, 100, 8);

  EXPECT_THAT(Drain(),
              ElementsAre(ElementsAre(100, 101, 102, 103, 104, 105, 106, 107),
                          ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
}

TEST_F(EncodeSchedulerTest, AStreamsShareDoesNotDependOnTheSizeOfItsChunks) {
  Start();
  Block();
  for (int i = 0; i < 10; ++i) Submit(1, static_cast<float>(i), 1);
  Submit(2, 100, 50);

  EXPECT_THAT(Drain().front(), ElementsAre(0, 1, 2, 3, 100, 101, 102, 103));
}

TEST_F(EncodeSchedulerTest, WhatOneStreamDoesNotNeedIsForTheOthers) {
  Start();
  Block();
  Submit(1, 0, 1);
  Submit(2, 100, 50);
  Submit(3, 200, 50);

  EXPECT_THAT(Drain().front(),
              ElementsAre(0, 100, 101, 102, 103, 200, 201, 202));
}

TEST_F(EncodeSchedulerTest, ChunksOfOneStreamStayInOrder) {
  Start();
  Block();
  Submit(1, 0, 5);
  Submit(1, 5, 5);
  Submit(1, 10, 5);

  EXPECT_THAT(Drain(), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7),
                                   ElementsAre(8, 9, 10, 11, 12, 13, 14)));
}

TEST_F(EncodeSchedulerTest, ABatchIsNoLargerThanItMayBe) {
  Start({.max_batch_size = 3});
  Block();
  Submit(1, 0, 7);

  EXPECT_THAT(Drain(), ElementsAre(SizeIs(3), SizeIs(3), SizeIs(1)));
}

TEST_F(EncodeSchedulerTest, TheModelsLargestBatchCountsToo) {
  Start({.max_batch_size = 100});
  Block();
  Submit(1, 0, 17);

  EXPECT_THAT(Drain(), ElementsAre(SizeIs(8), SizeIs(8), SizeIs(1)));
}

TEST_F(EncodeSchedulerTest, WithoutADelayALoneSampleDoesNotWait) {
  Start();

  Submit(1, 5, 1).ExpectRight();

  EXPECT_THAT(model_->batches(), ElementsAre(ElementsAre(5)));
}

TEST_F(EncodeSchedulerTest, WithADelayABatchWaitsUntilItIsFull) {
  Start({.max_delay = absl::InfiniteDuration()});
  Submit(1, 0, 3);
  Submit(2, 10, 4);
  Submit(3, 20, 1).ExpectRight();

  EXPECT_THAT(model_->batches(),
              ElementsAre(ElementsAre(0, 1, 2, 10, 11, 12, 13, 20)));
}

TEST_F(EncodeSchedulerTest, WithADelayABatchThatNobodyFillsRunsInTheEnd) {
  Start({.max_delay = absl::Milliseconds(1)});

  Submit(1, 0, 3).ExpectRight();

  EXPECT_THAT(model_->batches(), ElementsAre(SizeIs(3)));
}

TEST_F(EncodeSchedulerTest, AFullBatchOfOneModelDoesNotWaitForAnother) {
  Start({.max_delay = absl::InfiniteDuration()});
  const auto other = std::make_shared<BatchModel>("other");
  Submit(1, 0, 7);

  Submit(other, 2, 100, 8).ExpectRight();

  EXPECT_THAT(model_->batches(), IsEmpty());
  Submit(3, 50, 1).ExpectRight();
}

TEST_F(EncodeSchedulerTest, ModelsHaveBatchesOfTheirOwnAndTakeTurns) {
  Start();
  const auto other = std::make_shared<BatchModel>("other");
  Block();
  EncodeCall& huge = Submit(1, 0, 80);
  EncodeCall& small = Submit(other, 1, 500, 1);

  Drain();

  huge.ExpectRight();
  small.ExpectRight();
  EXPECT_THAT(other->batches(), ElementsAre(ElementsAre(500)));
  // The first is of Block.
  const std::vector<RecordingObserver::Batch> order = observer_.batches();
  const auto at = std::find(order.begin(), order.end(),
                            RecordingObserver::Batch("other", 1));
  EXPECT_LE(at - order.begin(), 2);
}

TEST_F(EncodeSchedulerTest, AModelIsLetGoOnceNobodyWaitsForIt) {
  std::mutex mutex;
  std::condition_variable changed;
  bool freed = false;
  const auto held = std::make_shared<BatchModel>();
  std::shared_ptr<BatchModel> handle(held.get(), [&](BatchModel*) {
    const std::lock_guard lock(mutex);
    freed = true;
    changed.notify_all();
  });
  Start();

  Submit(std::exchange(handle, nullptr), 1, 0, 20).ExpectRight();

  // Would never return if the scheduler kept it.
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return freed; });
  EXPECT_TRUE(freed);
}

TEST_F(EncodeSchedulerTest, LetsAModelGoWithoutHoldingItsLock) {
  std::mutex mutex;
  std::condition_variable changed;
  bool freed = false;
  const auto held = std::make_shared<BatchModel>();
  Start();
  std::optional<EncodeCall> next;  // calls_ belongs to this thread alone.
  // Would wait for ever if the scheduler's lock were held.
  std::shared_ptr<BatchModel> handle(held.get(), [&](BatchModel*) {
    next.emplace(*scheduler_, model_, owners_[2], /*first=*/7, 1);
    const std::lock_guard lock(mutex);
    freed = true;
    changed.notify_all();
  });
  Submit(std::exchange(handle, nullptr), 1, 0, 1).Wait();

  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return freed; });
  next->ExpectRight();
}

TEST_F(EncodeSchedulerTest, WorkersEncodeAtTheSameTime) {
  Start({.num_workers = 2});
  model_->Hold();
  Submit(1, 0, 8);
  Submit(2, 100, 8);

  // Would never return with one worker.
  model_->WaitForBatches(2);

  model_->Release();
  for (EncodeCall& call : calls_) call.ExpectRight();
}

TEST_F(EncodeSchedulerTest, PartsOfOneChunkAreEncodedAtTheSameTime) {
  Start({.num_workers = 3});
  model_->Hold();
  EncodeCall& call = Submit(1, 0, 20);

  model_->WaitForBatches(3);

  model_->Release();
  call.ExpectRight();
}

TEST_F(EncodeSchedulerTest, CountsWhatWaits) {
  Start();
  EXPECT_EQ(scheduler_->num_waiting(), 0);
  EXPECT_EQ(scheduler_->ExpectedWait(), absl::ZeroDuration());
  Submit(1, 0, 8).Wait();
  Block();
  EXPECT_EQ(scheduler_->ExpectedWait(), absl::ZeroDuration());
  Submit(1, 0, 20);
  const absl::Duration twenty = scheduler_->ExpectedWait();
  Submit(2, 0, 20);

  EXPECT_EQ(scheduler_->num_waiting(), 40);
  EXPECT_GT(twenty, absl::ZeroDuration());
  EXPECT_EQ(scheduler_->ExpectedWait(), 2 * twenty);

  Drain();
  EXPECT_EQ(scheduler_->num_waiting(), 0);
  EXPECT_EQ(scheduler_->ExpectedWait(), absl::ZeroDuration());
}

TEST_F(EncodeSchedulerTest, FinishesWhatWasSubmittedBeforeItEnds) {
  Start({.num_workers = 2, .max_delay = absl::InfiniteDuration()});
  for (int stream = 0; stream < 5; ++stream) {
    Submit(stream, static_cast<float>(100 * stream), 1);
  }

  scheduler_.reset();

  for (EncodeCall& call : calls_) call.ExpectRight();
}

TEST_F(EncodeSchedulerTest, PartsKeepNoMoreThanTheirOwnRows) {
  Start();
  Block();
  Submit(1, 0, 3);
  Submit(2, 10, 3);
  Drain();
  Submit(3, 20, 2).Wait();  // Alone in a batch that the model pads.

  scheduler_.reset();

  EXPECT_EQ(model_->num_tensors_alive(), 0);
  for (EncodeCall& call : calls_) call.ExpectRight();
}

TEST_F(EncodeSchedulerTest, RowsOnADeviceAreCopiedByTheModel) {
  Start();
  const auto device =
      std::make_shared<BatchModel>("device", BatchModel::Place::kDevice);
  Block();
  EncodeCall& first = Submit(device, 1, 0, 3);
  EncodeCall& second = Submit(device, 2, 10, 7);
  Drain();
  scheduler_.reset();

  EXPECT_EQ(device->num_tensors_alive(), 0);
  first.ExpectRight();
  second.ExpectRight();
}

TEST_F(EncodeSchedulerTest, ReportsBatches) {
  Start();
  Block();
  Submit(1, 0, 3);
  Submit(2, 0, 8);
  Drain();
  scheduler_.reset();

  EXPECT_THAT(observer_.batches(),
              ElementsAre(RecordingObserver::Batch("fake", 1),
                          RecordingObserver::Batch("fake", 8),
                          RecordingObserver::Batch("fake", 3)));
  EXPECT_EQ(observer_.num(Stage::kEncode), 3);
}

}  // namespace
}  // namespace ladder::server
