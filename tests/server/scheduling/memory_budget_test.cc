#include "server/scheduling/memory_budget.h"

#include <atomic>
#include <cstdint>
#include <optional>
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

TEST(MemoryBudgetTest, WhoCanWaitIsServedInTurnWhenThereIsRoom) {
  MemoryBudget budget(100);
  std::optional<MemoryBudget::Lease> first =
      budget.TakeOrWait(80, [](MemoryBudget::Lease) { FAIL(); });
  ASSERT_TRUE(first.has_value());
  std::vector<MemoryBudget::Lease> granted;
  const auto wait = [&](uint64_t bytes) {
    return budget.TakeOrWait(bytes, [&](MemoryBudget::Lease lease) {
      granted.push_back(std::move(lease));
    });
  };

  EXPECT_FALSE(wait(50).has_value());
  EXPECT_FALSE(wait(10).has_value());  // There is room, but others came first.
  EXPECT_FALSE(wait(60).has_value());
  EXPECT_EQ(granted.size(), 0);
  first.reset();

  ASSERT_EQ(granted.size(), 2);
  EXPECT_EQ(granted[0].bytes(), 50);
  EXPECT_EQ(granted[1].bytes(), 10);
  EXPECT_EQ(budget.used(), 60);
  // Not into the vector that is being cleared.
  std::vector<MemoryBudget::Lease> old;
  old.swap(granted);
  old.clear();
  ASSERT_EQ(granted.size(), 1);
  EXPECT_EQ(granted[0].bytes(), 60);
}

TEST(MemoryBudgetTest, WhatIsLargerThanAllHasItsTurnWhenItIsAlone) {
  MemoryBudget budget(100);
  std::optional<MemoryBudget::Lease> small =
      budget.TakeOrWait(1, [](MemoryBudget::Lease) { FAIL(); });
  uint64_t huge = 0;

  EXPECT_FALSE(
      budget
          .TakeOrWait(1000,
                      [&](MemoryBudget::Lease lease) { huge = lease.bytes(); })
          .has_value());
  EXPECT_EQ(huge, 0);
  small.reset();

  EXPECT_EQ(huge, 1000);
  EXPECT_EQ(budget.used(), 0);
}

TEST(MemoryBudgetTest, WhatIsThereCountsWhetherItFitsOrNot) {
  MemoryBudget budget(100);
  MemoryBudget::Lease lease(budget);
  lease.Count(150);

  EXPECT_EQ(budget.used(), 150);
  EXPECT_FALSE(lease.Grow(1).ok());
  lease.Shrink(100);
  EXPECT_TRUE(lease.Grow(50).ok());
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
