#include "base/system/threads.h"

#include <atomic>
#include <latch>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::base {
namespace {

using ::testing::ElementsAre;

TEST(TaskQueueTest, RunsTasksInOrder) {
  TaskQueue queue;
  std::vector<int> ran;

  for (int i = 0; i < 3; ++i) queue.Post([&ran, i] { ran.push_back(i); });
  queue.Flush();

  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

TEST(TaskQueueTest, FlushWaitsForTasksOfTasks) {
  TaskQueue queue;
  bool ran = false;

  queue.Post([&] { queue.Post([&] { ran = true; }); });
  queue.Flush();

  EXPECT_TRUE(ran);
}

TEST(TaskQueueTest, StopRunsWhatWasPostedAndRefusesMore) {
  TaskQueue queue;
  std::latch go(1);
  bool ran = false;
  queue.Post([&] { go.wait(); });
  queue.Post([&] { ran = true; });

  go.count_down();
  queue.Stop();

  EXPECT_TRUE(ran);
  EXPECT_FALSE(queue.Post([] {}));
  queue.Flush();
}

TEST(TaskQueueTest, DropsWhatARefusedTaskHolds) {
  TaskQueue queue;
  queue.Stop();
  auto held = std::make_shared<int>(1);

  queue.Post([held] {});

  EXPECT_EQ(held.use_count(), 1);
}

TEST(PeriodicThreadTest, CallsAgainAndAgain) {
  constexpr int kCalls = 3;
  std::latch calls(kCalls);
  std::atomic<int> num_calls = 0;
  const PeriodicThread thread(absl::Milliseconds(1), [&] {
    if (++num_calls <= kCalls) calls.count_down();
  });

  calls.wait();

  EXPECT_GE(num_calls, kCalls);
}

TEST(PeriodicThreadTest, EndsWithoutWaitingForTheNextCall) {
  bool called = false;
  {
    const PeriodicThread thread(absl::Hours(10'000'000),
                                [&] { called = true; });
  }
  {
    const PeriodicThread thread(absl::InfiniteDuration(),
                                [&] { called = true; });
  }

  EXPECT_FALSE(called);
}

TEST(SleepForTest, ReturnsWhenTheTimeIsOver) {
  std::stop_source stop;

  EXPECT_TRUE(SleepFor(absl::Milliseconds(1), stop.get_token()));
}

TEST(SleepForTest, ReturnsAtOnceWhenStopped) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(SleepFor(absl::InfiniteDuration(), stop.get_token()));
}

}  // namespace
}  // namespace ladder::base
