#include "trainer/data/batch_loader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/data/fake_reader.h"
#include "trainer/data/domain_sampler.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Samples 4 * step to 4 * step + 3.
std::vector<size_t> FourInTurn(uint64_t step) {
  return {4 * step, 4 * step + 1, 4 * step + 2, 4 * step + 3};
}

std::unique_ptr<BatchLoader> Start(const Dataset& dataset, BatchPlan plan,
                                   uint64_t end_step,
                                   const LoaderOptions& options = {},
                                   std::stop_token stop = {}) {
  return BatchLoader::Start(dataset, std::move(plan), /*first_step=*/0,
                            end_step, options, std::move(stop))
      .value();
}

TEST(BatchLoaderTest, HandsOutBatchesInOrder) {
  const Dataset dataset = FakeDataset(400, /*sample_size=*/2);
  const auto loader = Start(dataset, FourInTurn, 100, {.num_threads = 3});

  Batch batch;
  for (uint64_t step = 0; step < 100; ++step) {
    auto next = loader->Next(std::move(batch));
    ASSERT_TRUE(next.ok()) << next.status();
    batch = *std::move(next);
    EXPECT_EQ(batch.step, step);
    EXPECT_EQ(batch.samples, FourInTurn(step));
    for (size_t row = 0; row < 4; ++row) {
      const size_t sample = 4 * step + row;
      EXPECT_EQ(batch.x[2 * row], static_cast<float>(sample));
      EXPECT_EQ(batch.x[2 * row + 1], static_cast<float>(sample));
      EXPECT_EQ(batch.labels[row], static_cast<int64_t>(sample % 3));
      EXPECT_EQ(batch.domains[row], static_cast<int64_t>(sample % 5));
    }
    EXPECT_THAT(batch.broken, IsEmpty());
  }
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kOutOfRange);
}

TEST(BatchLoaderTest, GivesTheSameBatchesOnAnyNumberOfThreads) {
  const Dataset dataset = FakeDataset(64, /*sample_size=*/3, [](size_t i) {
    return i % 7 == 0 ? base::Fault("corrupt", "broken") : absl::OkStatus();
  });
  std::vector<std::vector<size_t>> sources(8);
  for (size_t i = 0; i < 64; ++i) sources[i % 8].push_back(i);
  const DomainSampler sampler = DomainSampler::Create(sources, {}).value();
  const auto plan = [&](uint64_t step) { return sampler.Batch(step); };
  const auto run = [&](int num_threads, uint64_t first_step) {
    const auto loader = BatchLoader::Start(dataset, plan, first_step, 30,
                                           {.num_threads = num_threads})
                            .value();
    std::vector<Batch> batches;
    for (uint64_t step = first_step; step < 30; ++step) {
      batches.push_back(loader->Next().value());
    }
    return batches;
  };

  const std::vector<Batch> expected = run(/*num_threads=*/1, /*first_step=*/0);
  for (const int num_threads : {2, 5}) {
    for (const uint64_t first_step : {0u, 11u}) {
      const std::vector<Batch> batches = run(num_threads, first_step);
      for (size_t i = 0; i < batches.size(); ++i) {
        const Batch& whole = expected[first_step + i];
        EXPECT_EQ(batches[i].step, whole.step);
        EXPECT_EQ(batches[i].x, whole.x);
        EXPECT_EQ(batches[i].labels, whole.labels);
        EXPECT_EQ(batches[i].domains, whole.domains);
        EXPECT_EQ(batches[i].samples, whole.samples);
        EXPECT_EQ(batches[i].broken.size(), whole.broken.size());
      }
    }
  }
}

TEST(BatchLoaderTest, LeavesBrokenSamplesOutAndReportsThem) {
  const Dataset dataset = FakeDataset(8, /*sample_size=*/2, [](size_t i) {
    return i == 0 || i == 2 ? base::Fault("corrupt", "list.csv:3: a.jpg")
                            : absl::OkStatus();
  });
  const auto loader = Start(dataset, FourInTurn, 2);

  const auto first = loader->Next();
  const auto second = loader->Next();

  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->size(), 2u);
  EXPECT_THAT(first->samples, ElementsAre(1, 3));
  EXPECT_THAT(first->x, ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(first->labels, ElementsAre(1, 0));
  EXPECT_THAT(first->domains, ElementsAre(1, 3));
  ASSERT_EQ(first->broken.size(), 2u);
  EXPECT_EQ(first->broken[0].sample, 0u);
  EXPECT_EQ(first->broken[1].sample, 2u);
  EXPECT_EQ(base::FaultReason(first->broken[1].error), "corrupt");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->size(), 4u);
}

TEST(BatchLoaderTest, HandsOutEmptyBatches) {
  const Dataset dataset = FakeDataset(4, /*sample_size=*/1, [](size_t) {
    return base::Fault("corrupt", "all");
  });
  const auto none_left = Start(dataset, FourInTurn, 1)->Next();
  ASSERT_TRUE(none_left.ok()) << none_left.status();
  EXPECT_EQ(none_left->size(), 0u);
  EXPECT_EQ(none_left->broken.size(), 4u);

  const auto none_planned =
      Start(dataset, InOrder({}, /*batch_size=*/4), 10)->Next();
  ASSERT_TRUE(none_planned.ok()) << none_planned.status();
  EXPECT_EQ(none_planned->size(), 0u);
}

TEST(BatchLoaderTest, FailsAtTheFirstBrokenSampleOfThePlanIfAsked) {
  const Dataset dataset = FakeDataset(400, /*sample_size=*/1, [](size_t i) {
    return i >= 6 ? base::Fault("corrupt", "sample " + std::to_string(i))
                  : absl::OkStatus();
  });
  const auto loader = Start(dataset, FourInTurn, 100,
                            {.num_threads = 3, .on_broken = OnBroken::kFail});

  EXPECT_TRUE(loader->Next().ok());
  for (int i = 0; i < 2; ++i) {
    const auto batch = loader->Next();
    EXPECT_EQ(batch.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(batch.status().message(), "sample 6");
  }
}

TEST(BatchLoaderTest, NeverSkipsWhatIsNoFaultOfTheSample) {
  const Dataset dataset = FakeDataset(4, /*sample_size=*/1, [](size_t i) {
    return i == 2 ? absl::ResourceExhaustedError("too many open files")
                  : absl::OkStatus();
  });

  const auto batch = Start(dataset, FourInTurn, 1)->Next();

  EXPECT_EQ(batch.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(BatchLoaderTest, ReportsAPlanBeyondTheDataSet) {
  const Dataset dataset = FakeDataset(5, /*sample_size=*/1);
  const auto loader = Start(dataset, FourInTurn, 2);

  EXPECT_TRUE(loader->Next().ok());
  const auto batch = loader->Next();

  EXPECT_EQ(batch.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(batch.status().message()),
              HasSubstr("step 1: expected a sample below 5"));
}

TEST(BatchLoaderTest, ReadsNoFurtherAheadThanItMay) {
  std::atomic<uint64_t> num_asked = 0;
  std::atomic<bool> was_too_far = false;
  const Dataset dataset =
      FakeDataset(400, /*sample_size=*/10'000, [&](size_t sample) {
        if (sample / 4 >= num_asked + 2) was_too_far = true;
        return absl::OkStatus();
      });
  const auto loader =
      Start(dataset, FourInTurn, 100, {.num_threads = 4, .batches_ahead = 2});

  for (uint64_t step = 0; step < 100; ++step) {
    // A batch makes room as soon as it is taken, within Next.
    ++num_asked;
    ASSERT_TRUE(loader->Next().ok());
  }

  EXPECT_FALSE(was_too_far);
}

TEST(BatchLoaderTest, UsesTheMemoryOfOldBatchesAgain) {
  const Dataset dataset = FakeDataset(400, /*sample_size=*/10'000);
  const auto loader =
      Start(dataset, FourInTurn, 100, {.num_threads = 2, .batches_ahead = 2});
  std::vector<const float*> buffers;

  Batch batch;
  for (uint64_t step = 0; step < 100; ++step) {
    batch = loader->Next(std::move(batch)).value();
    buffers.push_back(batch.x.data());
  }

  std::sort(buffers.begin(), buffers.end());
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  // Two ahead, the caller's, and the one that was exchanged for it.
  EXPECT_LE(buffers.size(), 4u);
}

// Holds readers back until it is opened.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    ++num_waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void AwaitReader() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return num_waiting_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int num_waiting_ = 0;
};

TEST(BatchLoaderTest, StopsWaitingWhenAskedTo) {
  Gate gate;
  const Dataset dataset = FakeDataset(400, /*sample_size=*/1, [&](size_t) {
    gate.Pass();
    return absl::OkStatus();
  });
  std::stop_source source;
  const auto loader =
      Start(dataset, FourInTurn, 100, {.num_threads = 2}, source.get_token());
  std::thread stopper([&] {
    gate.AwaitReader();
    source.request_stop();
  });

  const auto batch = loader->Next();  // While no sample can be read.

  EXPECT_EQ(batch.status().code(), absl::StatusCode::kCancelled);
  stopper.join();
  gate.Open();
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kCancelled);
}

TEST(BatchLoaderTest, ObeysAStopRequestedBeforeItStarted) {
  const Dataset dataset = FakeDataset(4, /*sample_size=*/1);
  std::stop_source source;
  source.request_stop();

  const auto loader = Start(dataset, FourInTurn, 1, {}, source.get_token());

  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kCancelled);
}

TEST(BatchLoaderTest, CanBeDroppedWithBatchesLeft) {
  std::stop_source source;
  const Dataset dataset = FakeDataset(400, /*sample_size=*/100);
  for (int i = 0; i < 20; ++i) {
    const auto loader =
        Start(dataset, FourInTurn, 100, {.num_threads = 3}, source.get_token());
    if (i % 2 == 0) {
      EXPECT_TRUE(loader->Next().ok());
    }
  }
  source.request_stop();  // Must not reach a loader that is gone.
}

TEST(BatchLoaderTest, RejectsOptionsOutOfRange) {
  const Dataset dataset = FakeDataset(4, /*sample_size=*/1);

  const auto threads =
      BatchLoader::Start(dataset, FourInTurn, 0, 1, {.num_threads = -1});
  EXPECT_EQ(threads.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(threads.status().message()),
              HasSubstr("num_threads must not be negative, got -1"));

  const auto ahead =
      BatchLoader::Start(dataset, FourInTurn, 0, 1, {.batches_ahead = 0});
  EXPECT_EQ(ahead.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ahead.status().message()),
              HasSubstr("batches_ahead must be at least 1, got 0"));

  const Dataset empty = FakeDataset(4, /*sample_size=*/0);
  const auto no_numbers = BatchLoader::Start(empty, FourInTurn, 0, 1, {});
  EXPECT_EQ(no_numbers.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::trainer
