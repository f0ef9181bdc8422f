#include "client/library/retry.h"

#include <optional>
#include <stop_token>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/library/call_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;

const RetryPolicy kPolicy = {.max_attempts = 5,
                             .first_backoff = absl::Seconds(1),
                             .max_backoff = absl::Seconds(5)};
// Attempts that follow each other at once.
const RetryPolicy kQuick = {.max_attempts = 4,
                            .first_backoff = absl::ZeroDuration(),
                            .max_backoff = absl::ZeroDuration()};

absl::Status Unavailable() { return absl::UnavailableError("away"); }

absl::Status WithHint(absl::Status status, absl::Duration hint) {
  SetRetryHint(hint, status);
  return status;
}

absl::Status Ignore(const absl::Status&) { return absl::OkStatus(); }

TEST(NextDelayTest, DoublesFromAttemptToAttemptUpToItsLimit) {
  std::vector<std::optional<absl::Duration>> delays;
  for (int attempt = 1; attempt <= 5; ++attempt) {
    delays.push_back(NextDelay(kPolicy, attempt, Unavailable(), 1));
  }

  EXPECT_THAT(delays,
              ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4),
                          absl::Seconds(5), std::nullopt));
}

TEST(NextDelayTest, IsBetweenHalfAndAllOfThat) {
  EXPECT_EQ(NextDelay(kPolicy, 2, Unavailable(), 0), absl::Seconds(1));
  EXPECT_EQ(NextDelay(kPolicy, 2, Unavailable(), 0.5), absl::Seconds(1.5));
}

TEST(NextDelayTest, IsNeverShorterThanTheServerAsksFor) {
  for (const absl::Status& status :
       {Unavailable(), absl::ResourceExhaustedError("full")}) {
    const absl::Status hinted = WithHint(status, absl::Seconds(8));

    EXPECT_EQ(NextDelay(kPolicy, 1, hinted, 0), absl::Seconds(8));
    EXPECT_EQ(NextDelay(kPolicy, 1, hinted, 1), absl::Seconds(10));
  }
}

TEST(NextDelayTest, AShortHintDoesNotUseUpTheAttemptsAtOnce) {
  const absl::Status hinted = WithHint(Unavailable(), absl::Milliseconds(50));

  EXPECT_EQ(NextDelay(kPolicy, 3, hinted, 1), absl::Seconds(4));
}

TEST(NextDelayTest, ANegativeHintMeansNever) {
  EXPECT_EQ(
      NextDelay(kPolicy, 1, WithHint(Unavailable(), -absl::Seconds(1)), 0.5),
      std::nullopt);
}

TEST(NextDelayTest, ALimitWithoutAHintStaysOne) {
  EXPECT_EQ(NextDelay(kPolicy, 1, absl::ResourceExhaustedError("too large"), 0),
            std::nullopt);
}

TEST(NextDelayTest, OtherErrorsAreFinal) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status =
        WithHint(absl::Status(static_cast<absl::StatusCode>(code), "wrong"),
                 absl::Seconds(1));
    const bool expected =
        absl::IsUnavailable(status) || absl::IsResourceExhausted(status);

    EXPECT_EQ(NextDelay(kPolicy, 1, status, 0).has_value(), expected) << status;
  }
}

TEST(RetryTest, TellsWhyThereIsAnotherAttempt) {
  int num_attempts = 0;
  std::vector<absl::Status> reasons;

  const absl::Status status = Retry(
      kQuick, {},
      [&](const CallOptions&) {
        return Outcome{++num_attempts < 3 ? Unavailable() : absl::OkStatus()};
      },
      [&](const absl::Status& why) {
        reasons.push_back(why);
        return absl::OkStatus();
      });

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(num_attempts, 3);
  EXPECT_THAT(reasons, ElementsAre(Unavailable(), Unavailable()));
}

TEST(RetryTest, ReturnsTheLastErrorWhenItGivesUp) {
  int num_attempts = 0;

  const absl::Status status = Retry(
      kQuick, {},
      [&](const CallOptions&) {
        return Outcome{absl::UnavailableError(std::to_string(++num_attempts))};
      },
      Ignore);

  EXPECT_EQ(status, absl::UnavailableError("4"));
}

TEST(RetryTest, ErrorsOfOurOwnAreFinalWhateverTheirCode) {
  int num_attempts = 0;

  const absl::Status status = Retry(
      kQuick, {},
      [&](const CallOptions&) {
        ++num_attempts;
        return Outcome{Unavailable(), /*is_ours=*/true};
      },
      Ignore);

  EXPECT_EQ(status, Unavailable());
  EXPECT_EQ(num_attempts, 1);
}

TEST(RetryTest, AnErrorBeforeTheNextAttemptEndsAll) {
  int num_attempts = 0;

  const absl::Status status = Retry(
      kQuick, {},
      [&](const CallOptions&) {
        ++num_attempts;
        return Outcome{Unavailable()};
      },
      [](const absl::Status&) { return absl::DataLossError("no rewind"); });

  EXPECT_EQ(status, absl::DataLossError("no rewind"));
  EXPECT_EQ(num_attempts, 1);
}

TEST(RetryTest, AStopEndsTheWaitForTheNextAttempt) {
  std::stop_source stop;
  const RetryPolicy policy = {.first_backoff = absl::Hours(100'000),
                              .max_backoff = absl::InfiniteDuration()};

  const absl::Status status = Retry(
      policy, {.stop = stop.get_token()},
      [&](const CallOptions&) {
        stop.request_stop();
        return Outcome{Unavailable()};
      },
      Ignore);

  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST(RetryTest, DoesNotWaitForAnAttemptThatWouldComeTooLate) {
  int num_attempts = 0;
  const RetryPolicy policy = {.first_backoff = absl::Hours(2),
                              .max_backoff = absl::Hours(2)};

  const absl::Status status = Retry(
      policy, {.timeout = absl::Hours(1)},
      [&](const CallOptions&) {
        ++num_attempts;
        return Outcome{Unavailable()};
      },
      Ignore);

  EXPECT_EQ(status, Unavailable());
  EXPECT_EQ(num_attempts, 1);
}

TEST(RetryTest, AttemptsShareTheTimeOfTheCall) {
  std::vector<absl::Duration> left;

  const absl::Status status = Retry(
      kQuick, {.timeout = absl::Hours(1)},
      [&](const CallOptions& call) {
        left.push_back(call.timeout);
        return Outcome{Unavailable()};
      },
      Ignore);

  ASSERT_EQ(left.size(), 4);
  for (size_t i = 1; i < left.size(); ++i) EXPECT_LT(left[i], left[i - 1]);
  EXPECT_EQ(status, Unavailable());
}

TEST(RetryTest, WithoutATimeoutAttemptsHaveAllTheTime) {
  std::optional<absl::Duration> left;

  EXPECT_TRUE(Retry(
                  kQuick, {},
                  [&](const CallOptions& call) {
                    left = call.timeout;
                    return Outcome{absl::OkStatus()};
                  },
                  Ignore)
                  .ok());

  EXPECT_THAT(left, Eq(absl::InfiniteDuration()));
}

}  // namespace
}  // namespace ladder::client
