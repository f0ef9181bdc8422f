#ifndef LADDER_SERVER_SECURITY_PEM_H_
#define LADDER_SERVER_SECURITY_PEM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/security/openssl_pointers.h"

namespace ladder::server {

// All certificates of a PEM text, at least one. InvalidArgument otherwise, or
// if any of them is broken.
absl::StatusOr<std::vector<CertificatePtr>> ParseCertificates(
    absl::string_view pem);

// The first private key of a PEM text. InvalidArgument if there is none or if
// it has a password.
absl::StatusOr<KeyPtr> ParsePrivateKey(absl::string_view pem);

// Back to PEM.
std::string CertificatesToPem(const std::vector<CertificatePtr>& certificates);
std::string PrivateKeyToPem(EVP_PKEY& key);

// Why the last call of OpenSSL on this thread failed, such as "ee key too
// small"; forgets it.
std::string TakeOpenSslError();

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_PEM_H_
