#include "server/scheduling/memory_budget.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MemoryBudgetTest, GrantsExactlyTheLimit) {
  MemoryBudget budget(100);
  MemoryBudget::Lease lease(budget);

  EXPECT_TRUE(lease.Grow(100).ok());
  EXPECT_EQ(budget.used(), 100);
  EXPECT_EQ(lease.Grow(1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(lease.Grow(0).ok());
  lease.Shrink(1);
  EXPECT_TRUE(lease.Grow(1).ok());
}

TEST(MemoryBudgetTest, SaysWhenToComeAgainIfThatMayHelp) {
  MemoryBudget budget(100);
  MemoryBudget::Lease others(budget);
  ASSERT_TRUE(others.Grow(60).ok());
  MemoryBudget::Lease lease(budget);

  EXPECT_TRUE(RetryAfter(lease.Grow(41)).has_value());
  EXPECT_FALSE(RetryAfter(lease.Grow(101)).has_value());
  EXPECT_FALSE(RetryAfter(others.Grow(41)).has_value());
}

TEST(MemoryBudgetTest, ARefusalNamesTheFlagAndChangesNothing) {
  MemoryBudget budget(100);
  MemoryBudget::Lease lease(budget);
  ASSERT_TRUE(lease.Grow(60).ok());

  const absl::Status status = lease.Grow(41);

  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("--max-inflight-bytes"), HasSubstr("100"),
                    HasSubstr("41"), HasSubstr("60")));
  EXPECT_EQ(lease.bytes(), 60);
  EXPECT_EQ(budget.used(), 60);
}

TEST(MemoryBudgetTest, RefusesMoreThanCanBeCounted) {
  MemoryBudget budget(100);
  MemoryBudget::Lease lease(budget);
  ASSERT_TRUE(lease.Grow(60).ok());

  EXPECT_FALSE(lease.Grow(UINT64_MAX).ok());
  EXPECT_FALSE(lease.Grow(UINT64_MAX - 59).ok());
  EXPECT_EQ(budget.used(), 60);
}

TEST(MemoryBudgetTest, LeasesShareTheLimitAndGiveBackInTheEnd) {
  MemoryBudget budget(100);
  MemoryBudget::Lease first(budget);
  ASSERT_TRUE(first.Grow(30).ok());
  {
    MemoryBudget::Lease second(budget);
    ASSERT_TRUE(second.Grow(70).ok());
    EXPECT_FALSE(first.Grow(1).ok());
  }
  EXPECT_EQ(budget.used(), 30);
  EXPECT_TRUE(first.Grow(70).ok());
}

TEST(MemoryBudgetTest, ALeaseMovesWithWhatItHolds) {
  MemoryBudget budget(100);
  {
    MemoryBudget::Lease first(budget);
    ASSERT_TRUE(first.Grow(30).ok());

    MemoryBudget::Lease second(std::move(first));
    EXPECT_EQ(second.bytes(), 30);
    EXPECT_EQ(budget.used(), 30);

    MemoryBudget::Lease third(budget);
    ASSERT_TRUE(third.Grow(5).ok());
    third = std::move(second);
    EXPECT_EQ(third.bytes(), 30);
    EXPECT_EQ(budget.used(), 35);
  }
  EXPECT_EQ(budget.used(), 0);
}

TEST(MemoryBudgetTest, GrowthOnManyThreadsStaysWithinTheLimit) {
  constexpr uint64_t kLimit = 1000;
  constexpr uint64_t kPiece = 7;
  MemoryBudget budget(kLimit);
  std::vector<MemoryBudget::Lease> leases;
  for (int i = 0; i < 4; ++i) leases.emplace_back(budget);
  std::atomic<bool> exceeded = false;
  {
    std::vector<std::jthread> threads;
    for (MemoryBudget::Lease& lease : leases) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5000; ++i) {
          if (!lease.Grow(kPiece).ok()) lease.Shrink(lease.bytes() / 2);
          if (budget.used() > kLimit) exceeded = true;
        }
        while (lease.Grow(1).ok()) {
        }
      });
    }
  }
  EXPECT_FALSE(exceeded);
  uint64_t held = 0;
  for (const MemoryBudget::Lease& lease : leases) held += lease.bytes();
  EXPECT_EQ(held, budget.used());

  leases.clear();
  EXPECT_EQ(budget.used(), 0);
}

}  // namespace
}  // namespace ladder::server
