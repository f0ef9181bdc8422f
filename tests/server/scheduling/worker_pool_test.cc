#include "server/scheduling/worker_pool.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

TEST(WorkerPoolTest, RunsEveryTaskOnce) {
  for (const size_t threads : {0, 1, 4}) {
    std::vector<std::atomic<int>> runs(100);
    {
      WorkerPool pool(threads);
      for (size_t i = 0; i < runs.size(); ++i) {
        pool.Post(i % 7, [&runs, i] { ++runs[i]; });
      }
    }
    for (const auto& each : runs) EXPECT_EQ(each, 1);
  }
}

// Posts a task that posts two more, and so on.
void PostTree(WorkerPool& pool, int depth, std::atomic<int>& runs) {
  pool.Post(1, [&pool, depth, &runs] {
    ++runs;
    for (int i = 0; depth > 1 && i < 2; ++i) PostTree(pool, depth - 1, runs);
  });
}

TEST(WorkerPoolTest, RunsTasksOfTasksBeforeItEnds) {
  for (const size_t threads : {1, 3}) {
    std::atomic<int> runs = 0;
    {
      WorkerPool pool(threads);
      PostTree(pool, 7, runs);
    }
    EXPECT_EQ(runs, (1 << 7) - 1);
  }
}

TEST(WorkerPoolTest, StreamsTakeTurns) {
  std::vector<std::string> order;
  std::latch posted(1);
  {
    WorkerPool pool(1);
    pool.Post(9, [&] { posted.wait(); });
    const auto post = [&](uint64_t stream, const char* name) {
      pool.Post(stream, [&order, name] { order.push_back(name); });
    };
    for (const char* name : {"a1", "a2", "a3"}) post(1, name);
    post(2, "b1");
    post(3, "c1");
    posted.count_down();
  }
  EXPECT_THAT(order, ElementsAre("a1", "b1", "c1", "a2", "a3"));
}

TEST(WorkerPoolTest, UsesAllItsThreadsAtOnce) {
  std::barrier all_arrived(3);
  std::atomic<int> runs = 0;
  {
    WorkerPool pool(3);
    // Would never end if fewer than three threads worked at the same time.
    for (int i = 0; i < 3; ++i) {
      pool.Post(1, [&] {
        all_arrived.arrive_and_wait();
        ++runs;
      });
    }
  }
  EXPECT_EQ(runs, 3);
}

TEST(WorkerPoolTest, TakesTasksFromManyThreads) {
  std::atomic<int> runs = 0;
  {
    WorkerPool pool(2);
    std::vector<std::jthread> posters;
    for (uint64_t stream = 0; stream < 4; ++stream) {
      posters.emplace_back([&pool, &runs, stream] {
        for (int i = 0; i < 100; ++i) pool.Post(stream, [&] { ++runs; });
      });
    }
  }
  EXPECT_EQ(runs, 400);
}

TEST(WorkerPoolTest, FreesWhatATaskHoldsBeforeTheNextOne) {
  const auto held = std::make_shared<int>(0);
  std::latch posted(1);
  bool freed = false;
  {
    WorkerPool pool(1);
    pool.Post(1, [&posted, mine = held] { posted.wait(); });
    pool.Post(1, [&] { freed = held.use_count() == 1; });
    posted.count_down();
  }
  EXPECT_TRUE(freed);
}

}  // namespace
}  // namespace ladder::server
