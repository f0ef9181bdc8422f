#ifndef LADDER_SERVER_SECURITY_CALL_GUARD_H_
#define LADDER_SERVER_SECURITY_CALL_GUARD_H_

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

namespace ladder::server {

// The bearer tokens that callers may use: one per line of a file; empty lines
// and lines that start with '#' are left out. A token is 16 to 1024 letters,
// digits and -._~+/= (what RFC 6750 allows); a file has 1 to 1000 of them.
//
// Keeps digests only. No message ever holds a token. Thread-safe.
class TokenFile {
 public:
  // InvalidArgument naming the line, or why the file cannot be read.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(std::string path);

  // Reads the file again. An error changes nothing.
  absl::Status Reload();

  // `authorization` is the header's value, such as "Bearer 0123456789abcdef".
  // Unauthenticated unless it has one of the tokens. Takes the same time
  // wherever a wrong token differs from a right one.
  absl::Status Check(absl::string_view authorization) const;

  // How often Reload has failed.
  uint64_t NumFailedReloads() const;

  // What to tell the operator though the file is used: that every user of the
  // machine can read it. Empty if there is nothing. (Not an error, because
  // that is how orchestrators mount secrets.)
  std::string Warning() const;

 private:
  using Digest = std::array<unsigned char, 32>;  // SHA-256.
  using Digests = std::vector<Digest>;

  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<Digests> Read() const;
  static Digest DigestOf(absl::string_view token);
  static absl::StatusOr<Digests> Parse(absl::string_view content);
  std::shared_ptr<const Digests> Current() const;

  const std::string path_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const Digests> digests_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<Digests>();
  uint64_t num_failed_reloads_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Says whether a call may go on; to be asked first in every RPC but those of
// health. Thread-safe.
class CallGuard {
 public:
  using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

  // If `tokens` is null every call may go on; otherwise they must outlive the
  // guard.
  explicit CallGuard(const TokenFile* tokens) : tokens_(tokens) {}

  // `metadata` is what the context's client_metadata() gives. Unauthenticated
  // unless it has one "authorization" that TokenFile::Check accepts.
  absl::Status Check(const Metadata& metadata) const;

 private:
  const TokenFile* const tokens_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_CALL_GUARD_H_
