#ifndef LADDER_SERVER_SECURITY_CALL_GUARD_H_
#define LADDER_SERVER_SECURITY_CALL_GUARD_H_

#include <grpcpp/support/string_ref.h>

#include <map>

#include "absl/status/status.h"
#include "server/security/token_file.h"

namespace ladder::server {

// Says whether a call may go on; to be asked first in every RPC but those of
// health. Thread-safe.
class CallGuard {
 public:
  using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

  // Null: every call may. Otherwise `tokens` must outlive the guard.
  explicit CallGuard(const TokenFile* tokens) : tokens_(tokens) {}

  // `metadata` is what the context's client_metadata() gives. Unauthenticated
  // unless it has one "authorization" that TokenFile::Check accepts.
  absl::Status Check(const Metadata& metadata) const;

 private:
  const TokenFile* const tokens_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_CALL_GUARD_H_
