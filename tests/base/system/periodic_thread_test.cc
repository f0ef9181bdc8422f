#include "base/system/periodic_thread.h"

#include <atomic>
#include <latch>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace ladder::base {
namespace {

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

}  // namespace
}  // namespace ladder::base
