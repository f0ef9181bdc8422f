#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "server/rpc/call.h"

namespace ladder::server {
namespace {

TEST(RandomIdsTest, AreAllDifferentOnAllThreads) {
  constexpr size_t kThreads = 4;
  constexpr size_t kIds = 1000;
  RandomIds ids(/*seed=*/1);
  std::vector<std::vector<uint64_t>> drawn(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : drawn) {
    threads.emplace_back([&ids, &mine] {
      for (size_t i = 0; i < kIds; ++i) mine.push_back(ids.Next());
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::set<uint64_t> all;
  for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), kThreads * kIds);
  EXPECT_FALSE(all.contains(RandomIds(/*seed=*/2).Next()));
}

}  // namespace
}  // namespace ladder::server
