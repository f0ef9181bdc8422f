#include "tests/server/security/test_certificates.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "server/security/pem.h"

namespace ladder::server {
namespace {

void Require(bool success) {
  if (!success) std::abort();
}

std::string ToPem(const CertificatePtr& certificate) {
  std::vector<CertificatePtr> one;
  Require(X509_up_ref(certificate.get()) == 1);
  one.emplace_back(certificate.get());
  return CertificatesToPem(one);
}

void SetName(X509_NAME* name, const std::string& common_name) {
  Require(X509_NAME_add_entry_by_txt(
              name, "CN", MBSTRING_ASC,
              reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
              -1, 0) == 1);
}

void AddExtension(X509* certificate, int id, const char* value) {
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
  Require(extension != nullptr &&
          X509_add_ext(certificate, extension, /*loc=*/-1) == 1);
  X509_EXTENSION_free(extension);
}

// Unsigned and without a name of its issuer.
CertificatePtr NewCertificate(const std::string& common_name, EVP_PKEY* key,
                              const TestCertificateOptions& options) {
  CertificatePtr certificate(X509_new());
  X509* const x509 = certificate.get();
  Require(X509_set_version(x509, X509_VERSION_3) == 1);
  Require(ASN1_INTEGER_set(X509_get_serialNumber(x509), options.serial) == 1);
  ASN1_TIME_set(X509_getm_notBefore(x509), absl::ToTimeT(options.not_before));
  ASN1_TIME_set(X509_getm_notAfter(x509), absl::ToTimeT(options.not_after));
  SetName(X509_get_subject_name(x509), common_name);
  Require(X509_set_pubkey(x509, key) == 1);
  return certificate;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name)
    : key_(EVP_EC_gen("P-256")),
      certificate_(NewCertificate(name, key_.get(), {})) {
  X509* const x509 = certificate_.get();
  Require(X509_set_issuer_name(x509, X509_get_subject_name(x509)) == 1);
  AddExtension(x509, NID_basic_constraints, "critical,CA:TRUE");
  Require(X509_sign(x509, key_.get(), EVP_sha256()) > 0);
  pem_ = ToPem(certificate_);
}

TestCertificate TestAuthority::Issue(
    const TestCertificateOptions& options) const {
  const KeyPtr key(options.rsa_bits == 0
                       ? EVP_EC_gen("P-256")
                       : EVP_RSA_gen(static_cast<unsigned>(options.rsa_bits)));
  const CertificatePtr certificate = NewCertificate("leaf", key.get(), options);
  X509* const x509 = certificate.get();
  Require(X509_set_issuer_name(x509,
                               X509_get_subject_name(certificate_.get())) == 1);
  AddExtension(x509, NID_subject_alt_name, "IP:127.0.0.1");
  Require(X509_sign(x509, key_.get(), EVP_sha256()) > 0);
  return {.certificate = ToPem(certificate), .key = PrivateKeyToPem(*key)};
}

std::string Encrypted(const std::string& key, const std::string& password) {
  const KeyPtr parsed = ParsePrivateKey(key).value();
  const BioPtr bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PKCS8PrivateKey(
              bio.get(), parsed.get(), EVP_aes_128_cbc(), password.data(),
              static_cast<int>(password.size()), nullptr, nullptr) == 1);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

long SerialOf(const std::string& certificate) {
  const auto parsed = ParseCertificates(certificate).value();
  return ASN1_INTEGER_get(X509_get0_serialNumber(parsed.front().get()));
}

}  // namespace ladder::server
