#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "server/security/certificate_watcher.h"
#include "server/security/pem.h"
#include "tests/server/security/loopback_tls.h"
#include "tests/server/security/test_certificates.h"
#include "tests/server/security/tls_directory.h"

namespace ladder::server {
namespace {

// Whether a client that speaks `version` alone, and is not choosy otherwise,
// can shake hands.
bool Handshakes(int port, int version) {
  const TlsContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  const unsigned char http2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), http2, sizeof(http2));
  const std::unique_ptr<BIO, OpenSslDeleter<BIO_free_all>> connection(
      BIO_new_ssl_connect(context.get()));
  BIO_set_conn_hostname(connection.get(),
                        absl::StrCat("127.0.0.1:", port).c_str());
  const bool done = BIO_do_connect(connection.get()) == 1 &&
                    BIO_do_handshake(connection.get()) == 1;
  ERR_clear_error();
  return done;
}

TEST(TlsVersionsTest, ServesNoneBefore12) {
  const TestAuthority authority("authority");
  const TlsDirectory directory;
  directory.WritePair(authority.Issue());
  const auto watcher =
      CertificateWatcher::Create(directory.Files(),
                                 {.interval = absl::InfiniteDuration()})
          .value();
  const EchoServer server(watcher->Credentials());

  EXPECT_FALSE(Handshakes(server.port(), TLS1_VERSION));
  EXPECT_FALSE(Handshakes(server.port(), TLS1_1_VERSION));
  EXPECT_TRUE(Handshakes(server.port(), TLS1_2_VERSION));
  EXPECT_TRUE(Handshakes(server.port(), TLS1_3_VERSION));
}

}  // namespace
}  // namespace ladder::server
