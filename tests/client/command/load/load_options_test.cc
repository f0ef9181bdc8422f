#include "client/command/load/load_options.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace ladder::client {
namespace {

std::string MessageOf(const LoadOptions& options) {
  return std::string(options.Validate().message());
}

TEST(LoadOptionsTest, DefaultsAreValid) { EXPECT_EQ(MessageOf({}), ""); }

TEST(LoadOptionsTest, ErrorsNameTheOption) {
  EXPECT_EQ(MessageOf({.protocol = LoadProtocol::kInference}),
            "model: expected a name, which the protocol oip needs, got none");
  EXPECT_EQ(MessageOf({.version = "stable"}),
            "version: expected a number, got stable");
  EXPECT_EQ(MessageOf({.samples = 0}), "samples: expected 1 or more, got 0");
  EXPECT_EQ(MessageOf({.dynamic_size = -1}),
            "dynamic size: expected 1 or more, got -1");
  EXPECT_EQ(MessageOf({.rate = -2}),
            "rate: expected requests per second, got -2");
  EXPECT_EQ(MessageOf({.rate = std::nan("")}),
            "rate: expected requests per second, got nan");
  EXPECT_EQ(MessageOf({.concurrency = 0}),
            "concurrency: expected 1 or more, got 0");
  EXPECT_EQ(MessageOf({.max_in_flight = 0}),
            "max in flight: expected 1 or more, got 0");
  EXPECT_EQ(MessageOf({.duration = absl::ZeroDuration()}),
            "duration: expected more than 0 s, or a number of requests, got 0");
  EXPECT_EQ(MessageOf({.warm_up = absl::Seconds(-1)}),
            "warm-up: expected 0 s or more, got -1s");
  EXPECT_EQ(MessageOf({.timeout = absl::ZeroDuration()}),
            "timeout: expected more than 0 s, got 0");
}

}  // namespace
}  // namespace ladder::client
