#ifndef LADDER_TESTS_SERVER_SECURITY_TLS_DIRECTORY_H_
#define LADDER_TESTS_SERVER_SECURITY_TLS_DIRECTORY_H_

#include <fstream>
#include <ios>
#include <string>

#include "server/security/tls_identity.h"
#include "tests/server/security/test_certificates.h"
#include "tests/temporary_directory.h"

namespace ladder::server {

// A folder with a server's TLS files, as an operator would fill it.
class TlsDirectory {
 public:
  // With the client CA, whether it has been written or not.
  TlsFiles MutualFiles() const {
    return {.certificate_chain = directory_.path() / "tls.crt",
            .private_key = directory_.path() / "tls.key",
            .client_ca = directory_.path() / "ca.crt"};
  }
  TlsFiles Files() const {
    TlsFiles files = MutualFiles();
    files.client_ca.clear();
    return files;
  }

  void WriteChain(const std::string& pem) const {
    Write(MutualFiles().certificate_chain, pem);
  }
  void WriteKey(const std::string& pem) const {
    Write(MutualFiles().private_key, pem);
  }
  void WriteClientCa(const std::string& pem) const {
    Write(MutualFiles().client_ca, pem);
  }
  void WritePair(const TestCertificate& pair) const {
    WriteChain(pair.certificate);
    WriteKey(pair.key);
  }

 private:
  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  TemporaryDirectory directory_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SECURITY_TLS_DIRECTORY_H_
