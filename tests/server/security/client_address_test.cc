#include "server/security/client_address.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

bool Contains(const std::string& range, const std::string& address) {
  return AddressRange::Parse(range).value().Contains(
      ParseIpAddress(address).value());
}

TEST(AddressRangeTest, HoldsTheAddressesThatBeginAlike) {
  EXPECT_TRUE(Contains("10.0.0.0/8", "10.1.2.3"));
  EXPECT_FALSE(Contains("10.0.0.0/8", "11.1.2.3"));
  EXPECT_TRUE(Contains("10.0.0.128/25", "10.0.0.200"));
  EXPECT_FALSE(Contains("10.0.0.128/25", "10.0.0.100"));
  EXPECT_TRUE(Contains("127.0.0.1", "127.0.0.1"));
  EXPECT_FALSE(Contains("127.0.0.1", "127.0.0.2"));
  EXPECT_TRUE(Contains("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(Contains("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(Contains("2001:db8::/32", "2001:db8:1::7"));
  EXPECT_FALSE(Contains("2001:db8::/32", "2001:db9::7"));
  EXPECT_TRUE(Contains("::1", "::1"));
  EXPECT_TRUE(Contains("10.0.0.0/8", "::ffff:10.9.9.9"));
}

TEST(AddressRangeTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::1/129",
        "proxy.example", "10.0.0.0/x", "10.0.0.0/8/8"}) {
    const auto range = AddressRange::Parse(text);
    EXPECT_EQ(range.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_THAT(range.status().message(), HasSubstr(text));
  }
}

class ClientAddressTest : public ::testing::Test {
 protected:
  const std::vector<AddressRange> proxies_ = {
      AddressRange::Parse("10.0.0.0/8").value(),
      AddressRange::Parse("::1").value()};
};

TEST_F(ClientAddressTest, IsThatOfTheConnection) {
  EXPECT_EQ(ClientAddress("ipv4:203.0.113.9:4711", "", {}), "203.0.113.9");
  EXPECT_EQ(ClientAddress("ipv6:%5B::1%5D:4711", "", {}), "::/64");
  EXPECT_EQ(ClientAddress("ipv6:[2001:db8:1:2:3:4:5:6]:4711", "", {}),
            "2001:db8:1:2::/64");
  EXPECT_EQ(ClientAddress("unix:/run/ladder", "", {}), "unix:/run/ladder");
}

TEST_F(ClientAddressTest, StrangersCannotSayWhoTheyAre) {
  EXPECT_EQ(ClientAddress("ipv4:203.0.113.9:4711", "198.51.100.1", proxies_),
            "203.0.113.9");
}

TEST_F(ClientAddressTest, AProxySaysWhomItForwardsFor) {
  EXPECT_EQ(ClientAddress("ipv4:10.0.0.1:80", "203.0.113.9", proxies_),
            "203.0.113.9");
  EXPECT_EQ(ClientAddress("ipv6:[::1]:80", " 203.0.113.9 ", proxies_),
            "203.0.113.9");
  // What the client itself has put in front does not count.
  EXPECT_EQ(
      ClientAddress("ipv4:10.0.0.1:80", "198.51.100.1, 203.0.113.9", proxies_),
      "203.0.113.9");
  // One proxy behind the other.
  EXPECT_EQ(ClientAddress("ipv4:10.0.0.1:80",
                          "198.51.100.1,203.0.113.9,10.7.7.7", proxies_),
            "203.0.113.9");
}

TEST_F(ClientAddressTest, AProxyThatSaysNothingUsableIsTheClient) {
  EXPECT_EQ(ClientAddress("ipv4:10.0.0.1:80", "", proxies_), "10.0.0.1");
  EXPECT_EQ(ClientAddress("ipv4:10.0.0.1:80", "unknown", proxies_), "10.0.0.1");
  EXPECT_EQ(ClientAddress("ipv4:10.0.0.1:80", "10.0.0.2", proxies_),
            "10.0.0.2");
}

}  // namespace
}  // namespace ladder::server
