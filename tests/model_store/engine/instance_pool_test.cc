#include "model_store/engine/instance_pool.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;

TEST(InstancePoolTest, HandsOutEveryInstanceOnce) {
  InstancePool pool(3);

  const auto a = pool.Acquire({});
  const auto b = pool.Acquire({});
  const auto c = pool.Acquire({});

  EXPECT_THAT((std::set<size_t>{a->instance(), b->instance(), c->instance()}),
              ElementsAre(0, 1, 2));
}

TEST(InstancePoolTest, HandsOutWhatComesBack) {
  InstancePool pool(1);
  { const auto lease = pool.Acquire({}); }

  const auto lease = pool.Acquire({});

  EXPECT_EQ(lease->instance(), 0);
}

TEST(InstancePoolTest, StopsWaitingWhenAsked) {
  InstancePool pool(1);
  const auto held = pool.Acquire({});
  std::stop_source source;
  absl::Status status;
  std::thread waiting(
      [&] { status = pool.Acquire(source.get_token()).status(); });

  source.request_stop();
  waiting.join();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST(InstancePoolTest, GoesOnAfterAWaitThatWasStopped) {
  InstancePool pool(1);
  std::stop_source stopped;
  stopped.request_stop();
  {
    const auto held = pool.Acquire({});
    EXPECT_FALSE(pool.Acquire(stopped.get_token()).ok());
  }

  EXPECT_TRUE(pool.Acquire({}).ok());
}

TEST(InstancePoolTest, NeverLetsMoreInThanItHas) {
  constexpr size_t kInstances = 2;
  InstancePool pool(kInstances);
  std::atomic<size_t> inside = 0;
  std::atomic<size_t> most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto lease = pool.Acquire({});
        const size_t now = ++inside;
        size_t seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(most, kInstances);
}

// Each waiter is started when the one before it can be seen to wait.
TEST(InstancePoolTest, ServesInTheOrderOfArrival) {
  InstancePool pool(1);
  std::optional<InstancePool::Lease> held = *pool.Acquire({});
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto lease = pool.Acquire({});
      const std::lock_guard lock(mutex);
      order.push_back(t);
    });
    while (pool.num_waiting() != static_cast<size_t>(t) + 1) {
      std::this_thread::yield();
    }
  }

  held.reset();
  for (std::thread& thread : threads) thread.join();

  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace ladder::model_store
