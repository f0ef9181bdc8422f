#ifndef LADDER_SERVER_SECURITY_PEM_H_
#define LADDER_SERVER_SECURITY_PEM_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// Frees what OpenSSL allocated by OpenSSL's own function.
template <auto kFree>
struct OpenSslDeleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpenSslDeleter<BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using TlsContextPtr = std::unique_ptr<SSL_CTX, OpenSslDeleter<SSL_CTX_free>>;

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
