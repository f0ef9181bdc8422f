#include "server/security/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

BioPtr Reading(absl::string_view text) {
  // Texts are small files, far below what an int can count.
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Written(BIO& bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(&bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

bool EndedBeforeAnother() {
  return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

// Never types a password, but remembers that one was asked for.
int RefusePassword(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

}  // namespace

absl::StatusOr<std::vector<CertificatePtr>> ParseCertificates(
    absl::string_view pem) {
  const BioPtr bio = Reading(pem);
  std::vector<CertificatePtr> certificates;
  ERR_clear_error();
  while (CertificatePtr next{
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    certificates.push_back(std::move(next));
  }
  const bool ended = EndedBeforeAnother();
  const std::string error = TakeOpenSslError();
  if (!ended) {
    return absl::InvalidArgumentError(absl::StrCat(
        "certificate ", certificates.size() + 1, " is broken: ", error));
  }
  if (certificates.empty()) {
    return absl::InvalidArgumentError(
        "expected PEM certificates (BEGIN CERTIFICATE), got none");
  }
  return certificates;
}

absl::StatusOr<KeyPtr> ParsePrivateKey(absl::string_view pem) {
  const BioPtr bio = Reading(pem);
  bool has_password = false;
  ERR_clear_error();
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, RefusePassword,
                                     &has_password));
  if (key != nullptr) return key;
  const std::string error = TakeOpenSslError();
  if (has_password) {
    return absl::InvalidArgumentError(
        "expected a private key without a password, got an encrypted one");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a PEM private key (BEGIN PRIVATE KEY) that can be read: ",
      error));
}

std::string CertificatesToPem(const std::vector<CertificatePtr>& certificates) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  for (const CertificatePtr& certificate : certificates) {
    PEM_write_bio_X509(bio.get(), certificate.get());
  }
  return Written(*bio);
}

std::string PrivateKeyToPem(EVP_PKEY& key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr,
                           nullptr);
  return Written(*bio);
}

std::string TakeOpenSslError() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text = reason == nullptr ? "unknown reason" : reason;
  ERR_clear_error();
  return text;
}

}  // namespace ladder::server
