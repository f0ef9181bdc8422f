#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

TEST(SecurityMetricsTest, FollowTheCertificateInUse) {
  absl::Time expires = absl::FromUnixSeconds(2'000'000'000);
  const auto shown = [&expires] {
    return Scrape(SecurityMetrics({.certificate_expires = expires}))
        .Find("ladder_tls_certificate_expiry_timestamp_seconds", {});
  };
  EXPECT_EQ(shown(), 2'000'000'000);

  expires += absl::Hours(24);

  EXPECT_EQ(shown(), 2'000'086'400);
}

TEST(SecurityMetricsTest, CountFilesThatCouldNotBeUsed) {
  const ScrapedMetrics e = Scrape(SecurityMetrics(
      {.num_certificate_failures = 2, .num_token_failures = 0}));

  EXPECT_EQ(e.Find("ladder_tls_reload_failures_total", {}), 2);
  EXPECT_EQ(e.Find("ladder_token_reload_failures_total", {}), 0);
}

TEST(SecurityMetricsTest, SayNothingOfWhatTheServerDoesNotHave) {
  EXPECT_TRUE(Scrape(SecurityMetrics({})).families.empty());
}

}  // namespace
}  // namespace ladder::server
