#ifndef LADDER_SERVER_SECURITY_CALL_GUARD_H_
#define LADDER_SERVER_SECURITY_CALL_GUARD_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/string_ref.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "server/security/client_address.h"

namespace ladder::server {

// The bearer tokens that callers may use: one per line of a file, behind the
// name of its owner if it has one ("field-team 0123456789abcdef"); empty lines
// and lines that start with '#' are left out. A token is 16 to 1024 letters,
// digits and -._~+/= (what RFC 6750 allows), a name up to 64 letters, digits
// and -._ alone; a file has 1 to 1000 of them. One owner may have several.
//
// Keeps digests only. No message ever holds a token. Thread-safe.
class TokenFile {
 public:
  // InvalidArgument naming the line, or why the file cannot be read.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(std::string path);

  // Reads the file again. An error changes nothing.
  absl::Status Reload();

  // `authorization` is the header's value, such as "Bearer 0123456789abcdef".
  // The owner's name, or for a token without one "line N". Unauthenticated
  // unless it has one of the tokens. Takes the same time wherever a wrong token
  // differs from a right one.
  absl::StatusOr<std::string> Check(absl::string_view authorization) const;

  // How often Reload has failed.
  uint64_t NumFailedReloads() const;

  // What to tell the operator though the file is used: that every user of the
  // machine can read it. Empty if there is nothing. (Not an error, because
  // that is how orchestrators mount secrets.)
  std::string Warning() const;

 private:
  using Digest = std::array<unsigned char, 32>;  // SHA-256.
  struct Token {
    Digest digest = {};
    std::string owner = {};
  };
  using Tokens = std::vector<Token>;

  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<Tokens> Read() const;
  static Digest DigestOf(absl::string_view token);
  static absl::StatusOr<Tokens> Parse(absl::string_view content);
  std::shared_ptr<const Tokens> Current() const;

  const std::string path_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<Tokens>();
  uint64_t num_failed_reloads_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Says whether a call may go on, and whose it is; to be asked first in every
// RPC but those of health. Thread-safe.
class CallGuard {
 public:
  using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

  // If `tokens` is null every call may go on; otherwise they must outlive the
  // guard. `proxies` may say whom they forward calls for.
  explicit CallGuard(const TokenFile* tokens,
                     std::vector<AddressRange> proxies = {})
      : tokens_(tokens), proxies_(std::move(proxies)) {}

  // Who makes the call: the owner of its token, else the name in its
  // certificate, else the address that it comes from (ClientAddress).
  // Unauthenticated, if tokens are needed, unless the call's metadata have one
  // "authorization" that TokenFile::Check accepts.
  absl::StatusOr<std::string> Identify(
      const grpc::ServerContextBase& context) const;

  // The part of this that needs no token: the name in the call's certificate,
  // else the address that it comes from.
  std::string ClientOf(const grpc::ServerContextBase& context) const;

  // The part that is about tokens: empty if none are needed.
  // `metadata` is what the context's client_metadata() gives.
  absl::StatusOr<std::string> Check(const Metadata& metadata) const;

 private:
  const TokenFile* const tokens_;
  const std::vector<AddressRange> proxies_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_CALL_GUARD_H_
