#include "server/scheduling/retry_after.h"

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

TEST(RetryAfterTest, AStatusCanSayWhenToTryAgain) {
  const absl::Status busy = absl::ResourceExhaustedError("busy");

  EXPECT_EQ(RetryAfter(WithRetryAfter(busy, absl::Milliseconds(70))),
            absl::Milliseconds(70));
  EXPECT_EQ(RetryAfter(busy), std::nullopt);
}

}  // namespace
}  // namespace ladder::server
