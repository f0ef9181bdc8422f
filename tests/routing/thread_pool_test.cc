#include "routing/thread_pool.h"

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::routing {
namespace {

TEST(ThreadPoolTest, CallsTheBodyOncePerIndex) {
  for (const int threads : {0, 1, 2, 4}) {
    ThreadPool pool(threads);
    for (const size_t count : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> calls(count);

      pool.ParallelFor(count, [&](size_t i) { ++calls[i]; });

      for (const auto& each : calls) EXPECT_EQ(each, 1);
    }
  }
}

TEST(ThreadPoolTest, RunsOnAllItsThreadsAtOnce) {
  ThreadPool pool(3);
  std::barrier all_arrived(3);

  // Would never return if fewer than three threads worked at the same time.
  pool.ParallelFor(3, [&](size_t) { all_arrived.arrive_and_wait(); });

  EXPECT_EQ(pool.num_threads(), 3);
}

TEST(ThreadPoolTest, ServesManyCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> total = 0;
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 50; ++loop) {
        pool.ParallelFor(7, [&](size_t) { ++total; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(total, 4 * 50 * 7);
}

TEST(ThreadPoolTest, ABodyMayStartALoopOfItsOwn) {
  ThreadPool pool(2);
  std::atomic<int> total = 0;

  pool.ParallelFor(
      4, [&](size_t) { pool.ParallelFor(5, [&](size_t) { ++total; }); });

  EXPECT_EQ(total, 20);
}

}  // namespace
}  // namespace ladder::routing
