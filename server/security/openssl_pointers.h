#ifndef LADDER_SERVER_SECURITY_OPENSSL_POINTERS_H_
#define LADDER_SERVER_SECURITY_OPENSSL_POINTERS_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

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

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_OPENSSL_POINTERS_H_
