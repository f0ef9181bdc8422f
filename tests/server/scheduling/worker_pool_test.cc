#include "server/scheduling/worker_pool.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/scheduling/owners.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

constexpr auto kShort = WorkerPool::Length::kShort;
constexpr auto kLong = WorkerPool::Length::kLong;

TEST(WorkerPoolTest, RunsEveryTaskOnce) {
  Owners owners;
  for (const size_t threads : {0, 1, 4}) {
    std::vector<std::atomic<int>> runs(100);
    {
      WorkerPool pool(threads);
      for (size_t i = 0; i < runs.size(); ++i) {
        pool.Post(owners[static_cast<int>(i % 7)], kLong,
                  [&runs, i] { ++runs[i]; });
      }
    }
    for (const auto& each : runs) EXPECT_EQ(each, 1);
  }
}

// Posts a task that posts two more, and so on.
void PostTree(WorkerPool& pool, int depth, std::atomic<int>& runs) {
  pool.Post(WorkOwner(), kLong, [&pool, depth, &runs] {
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

TEST(WorkerPoolTest, CallsTakeTurns) {
  Owners owners;
  std::vector<std::string> order;
  std::latch posted(1);
  {
    WorkerPool pool(1);
    pool.Post(owners[9], kLong, [&] { posted.wait(); });
    const auto post = [&](int call, const char* name) {
      pool.Post(owners[call], kLong, [&order, name] { order.push_back(name); });
    };
    for (const char* name : {"a1", "a2", "a3"}) post(1, name);
    post(2, "b1");
    post(3, "c1");
    posted.count_down();
  }
  EXPECT_THAT(order, ElementsAre("a1", "b1", "c1", "a2", "a3"));
}

TEST(WorkerPoolTest, UsesAllItsThreadsAtOnce) {
  Owners owners;
  std::barrier all_arrived(3);
  std::atomic<int> runs = 0;
  {
    WorkerPool pool(3);
    // Would never end if fewer than three threads worked at the same time.
    for (int i = 0; i < 3; ++i) {
      pool.Post(owners[1], kLong, [&] {
        all_arrived.arrive_and_wait();
        ++runs;
      });
    }
  }
  EXPECT_EQ(runs, 3);
}

TEST(WorkerPoolTest, LongTasksLeaveAThreadForShortOnes) {
  Owners owners;
  std::latch ran(1);
  std::atomic<int> num_long = 0;
  {
    WorkerPool pool(2);
    // Would never end if the long ones had all threads.
    for (int i = 0; i < 5; ++i) {
      pool.Post(owners[1], kLong, [&] {
        ran.wait();
        ++num_long;
      });
    }
    pool.Post(owners[2], kShort, [&] { ran.count_down(); });
  }
  EXPECT_EQ(num_long, 5);
}

TEST(WorkerPoolTest, ChargesWhatATaskTakes) {
  const WorkOwner owner;
  {
    WorkerPool pool(1);
    pool.Post(owner, kShort, [] {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  }
  WorkAccount least;
  least.Charge(absl::Microseconds(100));

  EXPECT_GE(owner.call->level(), least.level() - 1);
  EXPECT_EQ(owner.call->level(), owner.caller->level());
}

TEST(WorkerPoolTest, TakesTasksFromManyThreads) {
  Owners owners;
  std::atomic<int> runs = 0;
  {
    WorkerPool pool(2);
    std::vector<std::jthread> posters;
    for (int call = 0; call < 4; ++call) {
      posters.emplace_back([&pool, &runs, owner = owners[call]] {
        for (int i = 0; i < 100; ++i) {
          pool.Post(owner, kShort, [&] { ++runs; });
        }
      });
    }
  }
  EXPECT_EQ(runs, 400);
}

TEST(WorkerPoolTest, FreesWhatATaskHoldsBeforeTheNextOne) {
  Owners owners;
  const auto held = std::make_shared<int>(0);
  std::latch posted(1);
  bool freed = false;
  {
    WorkerPool pool(1);
    pool.Post(owners[1], kLong, [&posted, mine = held] { posted.wait(); });
    pool.Post(owners[1], kLong, [&] { freed = held.use_count() == 1; });
    posted.count_down();
  }
  EXPECT_TRUE(freed);
}

}  // namespace
}  // namespace ladder::server
