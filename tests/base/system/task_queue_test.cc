#include "base/system/task_queue.h"

#include <latch>
#include <memory>
#include <vector>

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

}  // namespace
}  // namespace ladder::base
