#ifndef LADDER_SERVER_SECURITY_TLS_IDENTITY_H_
#define LADDER_SERVER_SECURITY_TLS_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace ladder::server {

// Where a server's TLS files are, all PEM.
struct TlsFiles {
  std::string certificate_chain = {};  // The server's own certificate first.
  std::string private_key = {};        // Without a password.
  // Who signs the clients' certificates; empty if clients need none.
  std::string client_ca = {};
};

// What a server shows, and whom it trusts, after all checks. The texts are
// written anew from what was checked, so that nobody reads them differently.
struct TlsIdentity {
  std::string key_and_chain = {};  // PEM: own key, own certificate, the rest.
  std::string client_ca = {};      // PEM; empty if clients need no certificate.
  absl::Time expires = {};         // When the server's own certificate does.
};

// Reads the files and checks them as a handshake would: the chain is not empty,
// the key belongs to its first certificate and has no password, that
// certificate is valid at `now`, and OpenSSL takes it all (it refuses weak
// keys). An error names the file and what is wrong with it, and holds nothing
// of its content.
absl::StatusOr<TlsIdentity> ReadTlsIdentity(const TlsFiles& files,
                                            absl::Time now);

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_TLS_IDENTITY_H_
