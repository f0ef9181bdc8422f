#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

TEST(SecurityMetricsTest, FollowTheCertificateInUse) {
  absl::Time expires = absl::FromUnixSeconds(2'000'000'000);
  const SecurityMetrics metrics(
      {.certificate_expires = [&expires] { return expires; }});
  const auto shown = [&metrics] {
    return Scrape({&metrics})
        .Find("ladder_tls_certificate_expiry_timestamp_seconds", {});
  };
  EXPECT_EQ(shown(), 2'000'000'000);

  expires += absl::Hours(24);

  EXPECT_EQ(shown(), 2'000'086'400);
}

TEST(SecurityMetricsTest, CountFilesThatCouldNotBeUsed) {
  const SecurityMetrics metrics({.num_certificate_failures = [] { return 2; },
                                 .num_token_failures = [] { return 0; }});

  const Exposition e = Scrape({&metrics});

  EXPECT_EQ(e.Find("ladder_tls_reload_failures_total", {}), 2);
  EXPECT_EQ(e.Find("ladder_token_reload_failures_total", {}), 0);
}

TEST(SecurityMetricsTest, SayNothingOfWhatTheServerDoesNotHave) {
  const SecurityMetrics metrics({});

  EXPECT_TRUE(Scrape({&metrics}).families.empty());
}

}  // namespace
}  // namespace ladder::server
