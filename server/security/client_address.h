#ifndef LADDER_SERVER_SECURITY_CLIENT_ADDRESS_H_
#define LADDER_SERVER_SECURITY_CLIENT_ADDRESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// An IPv4 or IPv6 address; IPv4 as IPv6 maps it.
using IpAddress = std::array<uint8_t, 16>;
std::optional<IpAddress> ParseIpAddress(absl::string_view text);

// Some addresses that begin alike, such as 10.0.0.0/8, or a single one.
class AddressRange {
 public:
  // InvalidArgument, saying what was expected and what came.
  static absl::StatusOr<AddressRange> Parse(absl::string_view text);

  bool Contains(const IpAddress& address) const;

 private:
  IpAddress first_ = {};
  int prefix_bits_ = 0;
};

// The address that a call comes from: that of the connection's other end,
// `peer` as gRPC writes it, or, if that is one of `proxies`, the last of those
// that they say they forward for (`forwarded`, as of x-forwarded-for) that is
// none of them. What is in front of that was said by strangers. IPv6 addresses
// are cut to the 64 bits that a subscriber cannot choose. What is no address,
// such as a local socket, stays as it is.
std::string ClientAddress(absl::string_view peer, absl::string_view forwarded,
                          const std::vector<AddressRange>& proxies);

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_CLIENT_ADDRESS_H_
