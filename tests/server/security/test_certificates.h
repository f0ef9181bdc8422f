#ifndef LADDER_TESTS_SERVER_SECURITY_TEST_CERTIFICATES_H_
#define LADDER_TESTS_SERVER_SECURITY_TEST_CERTIFICATES_H_

#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/security/pem.h"

namespace ladder::server {

struct TestCertificate {
  std::string certificate = {};  // PEM.
  std::string key = {};          // PEM.
};

struct TestCertificateOptions {
  long serial = 1;
  absl::Time not_before = absl::Now() - absl::Hours(1);
  absl::Time not_after = absl::Now() + absl::Hours(24);
  int rsa_bits = 0;  // 0: a P-256 key.
};

// A certificate authority with a key of its own.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);

  const std::string& certificate() const { return pem_; }

  // For a server at 127.0.0.1, or any client.
  TestCertificate Issue(const TestCertificateOptions& options = {}) const;

 private:
  KeyPtr key_;
  CertificatePtr certificate_;
  std::string pem_;
};

// The same key, to be read with the password.
std::string Encrypted(const std::string& key, const std::string& password);

// Of the first certificate.
long SerialOf(const std::string& certificate);

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SECURITY_TEST_CERTIFICATES_H_
