// Options that cannot be used.

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/client.h"
#include "tests/temporary_directory.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ConnectionTest, AnAddressIsNeeded) {
  EXPECT_TRUE(absl::IsInvalidArgument(Client::Open({.address = ""}).status()));
}

TEST(ConnectionTest, OpenDoesNotConnect) {
  EXPECT_TRUE(Client::Open({.address = "nowhere.invalid:1"}).ok());
}

TEST(ConnectionTest, ATokenMayNotHaveWhatAHeaderMayNot) {
  for (const std::string token : {"secret\n", "two words", "sch\xc3\xbcssel"}) {
    const absl::Status status = Client::Open({.token = token}).status();

    EXPECT_TRUE(absl::IsInvalidArgument(status)) << token;
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("token"), Not(HasSubstr(token))));
  }
}

TEST(ConnectionTest, AMissingFileIsNamed) {
  const absl::Status status =
      Client::Open({.tls = TlsOptions{.ca_file = "/nowhere/ca.pem"}}).status();

  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("/nowhere/ca.pem"));
}

TEST(ConnectionTest, AFileWithoutPemIsNamed) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "ca.pem";
  std::ofstream(path) << "no certificate";

  const absl::Status status =
      Client::Open({.tls = TlsOptions{.ca_file = path}}).status();

  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr(path));
}

TEST(ConnectionTest, ACertificateNeedsItsKey) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      Client::Open({.tls = TlsOptions{.certificate_file = "c.pem"}}).status()));
}

}  // namespace
}  // namespace ladder::client
