#include "server/security/call_guard.h"

#include <fstream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

class CallGuardTest : public ::testing::Test {
 protected:
  CallGuardTest() {
    const std::string path = directory_.path() / "tokens";
    std::ofstream(path) << "0123456789abcdef\n";
    tokens_ = TokenFile::Open(path).value();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<TokenFile> tokens_;
};

TEST_F(CallGuardTest, WithoutTokensEveryCallPasses) {
  EXPECT_TRUE(CallGuard(nullptr).Check({}).ok());
  EXPECT_TRUE(CallGuard(nullptr).Check({{"authorization", "Basic x"}}).ok());
}

TEST_F(CallGuardTest, ACallWithATokenPasses) {
  EXPECT_TRUE(CallGuard(tokens_.get())
                  .Check({{"accept", "any"},
                          {"authorization", "Bearer 0123456789abcdef"},
                          {"user-agent", "test"}})
                  .ok());
}

TEST_F(CallGuardTest, ACallWithoutTheRightTokenIsUnauthenticated) {
  const CallGuard guard(tokens_.get());
  const CallGuard::Metadata cases[] = {
      {},
      {{"x-authorization", "Bearer 0123456789abcdef"}},
      {{"authorization", "Bearer 0123456789abcdeF"}},
  };
  for (const CallGuard::Metadata& metadata : cases) {
    EXPECT_EQ(guard.Check(metadata).status().code(),
              absl::StatusCode::kUnauthenticated);
  }
}

TEST_F(CallGuardTest, TwoAuthorizationsAreOneTooMany) {
  const absl::Status status =
      CallGuard(tokens_.get())
          .Check({{"authorization", "Bearer 0123456789abcdef"},
                  {"authorization", "Bearer 0123456789abcdef"}})
          .status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("got 2"));
}

}  // namespace
}  // namespace ladder::server
