#include "server/scheduling/work_account.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

const absl::Time kStart = absl::UnixEpoch() + absl::Hours(1);

WorkAccount& Charged(WorkAccount& account, absl::Duration work,
                     absl::Time now = kStart) {
  account.Charge(work, now);
  return account;
}

TEST(WorkAccountTest, MoreWorkIsAHigherLevel) {
  WorkAccount none;
  WorkAccount little;
  WorkAccount much;

  EXPECT_LT(none.level(), Charged(little, absl::Milliseconds(1)).level());
  EXPECT_LT(little.level(), Charged(much, absl::Seconds(1)).level());
}

TEST(WorkAccountTest, WorkAddsUp) {
  WorkAccount pieces;
  for (int i = 0; i < 8; ++i) pieces.Charge(absl::Milliseconds(250), kStart);
  WorkAccount whole;

  EXPECT_NEAR(pieces.level(), Charged(whole, absl::Seconds(2)).level(), 1e-9);
}

TEST(WorkAccountTest, HalfIsForgottenInAHalfLife) {
  WorkAccount before;
  WorkAccount after;
  before.Charge(absl::Seconds(2), kStart);
  after.Charge(absl::Seconds(1), kStart + WorkAccount::kHalfLife);

  EXPECT_NEAR(before.level(), after.level(), 1e-9);
}

TEST(WorkAccountTest, IsForgottenInTheEnd) {
  WorkAccount account;
  EXPECT_TRUE(account.IsForgotten(kStart));
  account.Charge(absl::Seconds(1), kStart);

  EXPECT_FALSE(account.IsForgotten(kStart + 9 * WorkAccount::kHalfLife));
  EXPECT_TRUE(account.IsForgotten(kStart + 11 * WorkAccount::kHalfLife));
}

TEST(WorkAccountTest, NoWorkIsNoWork) {
  WorkAccount account;
  account.Charge(absl::ZeroDuration(), kStart);
  account.Charge(-absl::Seconds(1), kStart);

  EXPECT_TRUE(account.IsForgotten(kStart));
}

TEST(WorkAccountTest, YearsDoNotOverflow) {
  WorkAccount account;
  WorkAccount later;
  account.Charge(absl::Seconds(1), kStart + absl::Hours(24 * 3650));
  later.Charge(absl::Seconds(1),
               kStart + absl::Hours(24 * 3650) + absl::Seconds(1));

  EXPECT_LT(account.level(), later.level());
}

TEST(WorkAccountTest, ManyThreadsLoseNothing) {
  WorkAccount account;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) {
          account.Charge(absl::Milliseconds(1), kStart);
        }
      });
    }
  }
  WorkAccount whole;

  EXPECT_NEAR(account.level(), Charged(whole, absl::Seconds(4)).level(), 1e-6);
}

}  // namespace
}  // namespace ladder::server
