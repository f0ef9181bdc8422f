#include "server/security/tls_identity.h"

#include <openssl/asn1.h>
#include <openssl/err.h>

#include <ctime>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/files/fault.h"
#include "base/files/small_file.h"
#include "base/status_macros.h"
#include "server/security/pem.h"

namespace ladder::server {
namespace {

using Certificates = std::vector<CertificatePtr>;

absl::StatusOr<Certificates> ReadCertificates(const std::string& path) {
  LADDER_ASSIGN_OR_RETURN(const std::string text, base::ReadSmallFile(path));
  absl::StatusOr<Certificates> certificates = ParseCertificates(text);
  if (!certificates.ok()) return base::AtPlace(path, certificates.status());
  return certificates;
}

absl::StatusOr<KeyPtr> ReadPrivateKey(const std::string& path) {
  LADDER_ASSIGN_OR_RETURN(const std::string text, base::ReadSmallFile(path));
  absl::StatusOr<KeyPtr> key = ParsePrivateKey(text);
  if (!key.ok()) return base::AtPlace(path, key.status());
  return key;
}

absl::StatusOr<absl::Time> TimeOf(const ASN1_TIME& time) {
  std::tm calendar = {};
  if (ASN1_TIME_to_tm(&time, &calendar) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError("the time of validity is broken");
  }
  return absl::FromTimeT(timegm(&calendar));
}

// Returns when the certificate expires.
absl::StatusOr<absl::Time> CheckValidity(const X509& certificate,
                                         absl::Time now) {
  LADDER_ASSIGN_OR_RETURN(const absl::Time from,
                          TimeOf(*X509_get0_notBefore(&certificate)));
  LADDER_ASSIGN_OR_RETURN(const absl::Time until,
                          TimeOf(*X509_get0_notAfter(&certificate)));
  const absl::TimeZone utc = absl::UTCTimeZone();
  if (now < from) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the certificate is not valid before ", absl::FormatTime(from, utc)));
  }
  if (now >= until) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the certificate expired on ", absl::FormatTime(until, utc)));
  }
  return until;
}

// Does what gRPC will do with the same library, because once gRPC has failed at
// it there is no way back to what it had before.
absl::Status CheckContext(const TlsFiles& files, const Certificates& chain,
                          EVP_PKEY& key) {
  ERR_clear_error();
  const TlsContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (SSL_CTX_use_certificate(context.get(), chain.front().get()) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.certificate_chain,
                     ": the certificate is refused: ", TakeOpenSslError()));
  }
  for (size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context.get(), chain[i].get()) != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(files.certificate_chain, ": certificate ", i + 1,
                       " is refused: ", TakeOpenSslError()));
    }
  }
  if (X509_check_private_key(chain.front().get(), &key) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        absl::StrCat(files.private_key,
                     ": expected the private key of the first certificate of ",
                     files.certificate_chain, ", got another one"));
  }
  if (SSL_CTX_use_PrivateKey(context.get(), &key) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.private_key,
                     ": the private key is refused: ", TakeOpenSslError()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsIdentity> ReadTlsIdentity(const TlsFiles& files,
                                            absl::Time now) {
  LADDER_ASSIGN_OR_RETURN(const Certificates chain,
                          ReadCertificates(files.certificate_chain));
  LADDER_ASSIGN_OR_RETURN(const KeyPtr key, ReadPrivateKey(files.private_key));
  LADDER_RETURN_IF_ERROR(CheckContext(files, chain, *key));
  const auto expires = CheckValidity(*chain.front(), now);
  if (!expires.ok())
    return base::AtPlace(files.certificate_chain, expires.status());

  TlsIdentity identity = {.key_and_chain = absl::StrCat(
                              PrivateKeyToPem(*key), CertificatesToPem(chain)),
                          .expires = *expires};
  if (!files.client_ca.empty()) {
    LADDER_ASSIGN_OR_RETURN(const Certificates client_ca,
                            ReadCertificates(files.client_ca));
    identity.client_ca = CertificatesToPem(client_ca);
  }
  return identity;
}

}  // namespace ladder::server
