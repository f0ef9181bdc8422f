#include "server/security/client_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ladder::server {
namespace {

constexpr int kIpv6Bits = 128;
constexpr int kIpv4Bits = 32;
constexpr int kSubscriberBits = 64;
// What IPv4 addresses begin with when they are written as IPv6 ones.
constexpr std::array<uint8_t, 12> kMappedIpv4 = {0, 0, 0, 0, 0,    0,
                                                 0, 0, 0, 0, 0xFF, 0xFF};

bool IsIpv4(const IpAddress& address) {
  return std::equal(kMappedIpv4.begin(), kMappedIpv4.end(), address.begin());
}

// "127.0.0.1", or "2001:db8:1:2::/64".
std::string SubscriberText(IpAddress address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (IsIpv4(address)) {
    inet_ntop(AF_INET, address.data() + kMappedIpv4.size(), text, sizeof(text));
    return text;
  }
  std::fill(address.begin() + kSubscriberBits / 8, address.end(), uint8_t{0});
  inet_ntop(AF_INET6, address.data(), text, sizeof(text));
  return absl::StrCat(text, "/", kSubscriberBits);
}

// The address in "ipv4:127.0.0.1:5001" or "ipv6:%5B::1%5D:5001".
std::optional<IpAddress> PeerAddress(absl::string_view peer) {
  if (!absl::ConsumePrefix(&peer, "ipv4:") &&
      !absl::ConsumePrefix(&peer, "ipv6:")) {
    return std::nullopt;
  }
  const size_t colon = peer.rfind(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  return ParseIpAddress(absl::StrReplaceAll(
      peer.substr(0, colon), {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}}));
}

}  // namespace

std::optional<IpAddress> ParseIpAddress(absl::string_view text) {
  const std::string address(text);
  IpAddress parsed = {};
  if (inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1) return parsed;
  std::copy(kMappedIpv4.begin(), kMappedIpv4.end(), parsed.begin());
  if (inet_pton(AF_INET, address.c_str(), parsed.data() + kMappedIpv4.size()) ==
      1) {
    return parsed;
  }
  return std::nullopt;
}

absl::StatusOr<AddressRange> AddressRange::Parse(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  const std::optional<IpAddress> address = ParseIpAddress(parts.first);
  AddressRange range;
  if (address.has_value()) {
    const int all = IsIpv4(*address) ? kIpv4Bits : kIpv6Bits;
    int bits = all;
    const bool valid = text.find('/') == absl::string_view::npos ||
                       absl::SimpleAtoi(parts.second, &bits);
    if (valid && bits >= 0 && bits <= all) {
      range.first_ = *address;
      range.prefix_bits_ = kIpv6Bits - all + bits;
      return range;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected an address or a range of them, such as 10.0.0.0/8, got \"",
      text, "\""));
}

bool AddressRange::Contains(const IpAddress& address) const {
  const auto whole = static_cast<size_t>(prefix_bits_ / 8);
  if (!std::equal(first_.begin(),
                  first_.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.begin())) {
    return false;
  }
  const int rest = prefix_bits_ % 8;
  return rest == 0 || ((first_[whole] ^ address[whole]) >> (8 - rest)) == 0;
}

std::string ClientAddress(absl::string_view peer, absl::string_view forwarded,
                          const std::vector<AddressRange>& proxies) {
  std::optional<IpAddress> address = PeerAddress(peer);
  if (!address.has_value()) return std::string(peer);
  const auto is_proxy = [&](const IpAddress& candidate) {
    return std::any_of(
        proxies.begin(), proxies.end(),
        [&](const AddressRange& range) { return range.Contains(candidate); });
  };
  const std::vector<absl::string_view> hops =
      absl::StrSplit(forwarded, ',', absl::SkipWhitespace());
  for (auto hop = hops.rbegin(); hop != hops.rend() && is_proxy(*address);
       ++hop) {
    const std::optional<IpAddress> next =
        ParseIpAddress(absl::StripAsciiWhitespace(*hop));
    if (!next.has_value()) break;
    address = next;
  }
  return SubscriberText(*address);
}

}  // namespace ladder::server
